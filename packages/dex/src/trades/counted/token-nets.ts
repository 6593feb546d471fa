import type { Log } from '../../chain/block.ts'
import { type Address, ZERO_ADDRESS } from '../../chain/hex.ts'
import { absolute } from '../../maths/integers.ts'
import { keeperOf } from '../../venues/managed-pool.ts'
import { protocolOf } from '../../venues/registry.ts'
import { coinHoldersOf, type ReceiptFlows } from '../receipt/receipt-flows.ts'
import type { Hop } from '../trade.ts'

/** By token: what each address received less what it gave in a transaction, coins that it wrapped included. */
export type TokenNets = ReadonlyMap<Address, ReadonlyMap<Address, bigint>>

/** What a transaction's receipt shows of its hops' tokens. */
export interface NetFacts {
  hops: readonly Hop[]
  /** All of the transaction, in log order. */
  logs: readonly Log[]
  flows: ReceiptFlows
  nets: TokenNets
  wrappedNative: Address
}

/** Returns the nets of the tokens that hops sold or bought. */
export function tokenNets(
  hops: readonly Hop[],
  { transfers, deposits, withdrawals }: ReceiptFlows,
  wrappedNative: Address,
): TokenNets {
  const byToken = new Map<Address, Map<Address, bigint>>()
  for (const { tokenIn, tokenOut } of hops) byToken.set(tokenIn, new Map()).set(tokenOut, new Map())
  for (const { token, from, to, amount } of transfers) {
    const nets = byToken.get(token)
    if (nets === undefined) continue
    add(nets, from, -amount)
    add(nets, to, amount)
  }
  const wrapped = byToken.get(wrappedNative)
  if (wrapped === undefined) return byToken
  for (const { account, amount } of deposits) add(wrapped, account, amount)
  for (const { account, amount } of withdrawals) add(wrapped, account, -amount)
  return byToken
}

function add(nets: Map<Address, bigint>, account: Address, amount: bigint): void {
  nets.set(account, (nets.get(account) ?? 0n) + amount)
}

/**
 * Returns the largest net of each token outside of the pools, as a size: what one address received in total, or gave.
 * Coins count as their wrapper. Coins that no log shows count as those of one address: what the wrapper and the pools
 * paid out of them, less what they took. A token that must have moved without a log is left out: nothing is known of it.
 */
export function outsideNets({ hops, flows, nets, wrappedNative }: NetFacts): Map<Address, bigint> {
  const venues = new Set(hops.map(({ pool }) => keeperOf(pool)))
  const largest = new Map<Address, bigint>()
  for (const [token, ofToken] of nets) {
    if (ofToken.size === 0 && mustMove(token, hops)) continue
    const all = token === wrappedNative ? withCoins(ofToken, hops, flows) : ofToken
    let size = 0n
    for (const [account, net] of all) {
      if (account !== null && (account === ZERO_ADDRESS || venues.has(account))) continue
      if (absolute(net) > size) size = absolute(net)
    }
    largest.set(token, size)
  }
  return largest
}

/** Whether a pool's swap of a token needs a transfer: only managers settle several swaps together. */
function mustMove(token: Address, hops: readonly Hop[]): boolean {
  return hops.some(({ pool, tokenIn, nativeIn, tokenOut, nativeOut }) => {
    const isMoved = (tokenIn === token && !nativeIn) || (tokenOut === token && !nativeOut)
    return isMoved && protocolOf(pool.dex.kind).family !== 'managed'
  })
}

/** Returns the nets of the wrapped coin with those of the coin. */
function withCoins(
  wrapped: ReadonlyMap<Address, bigint>,
  hops: readonly Hop[],
  { coins }: ReceiptFlows,
): Iterable<readonly [Address | null, bigint]> {
  if (coins !== undefined) {
    const all = new Map(wrapped)
    for (const [account, net] of coinHoldersOf(coins)) add(all, account, net)
    return all
  }
  let unseen = 0n
  for (const { nativeIn, amountIn, nativeOut, amountOut } of hops) {
    if (nativeIn) unseen -= amountIn
    if (nativeOut) unseen += amountOut
  }
  // Transfers add up to nothing; what is left is what was wrapped, less what was unwrapped.
  for (const net of wrapped.values()) unseen -= net
  return [...wrapped, [null, unseen]]
}
