import { type Address, ZERO_ADDRESS } from '../../chain/hex.ts'
import { absolute } from '../../maths/integers.ts'
import type { ReadonlyTotals } from '../../totals.ts'
import { keeperOf } from '../../venues/managed-pool.ts'
import { protocolOf } from '../../venues/registry.ts'
import type { Ledger } from '../receipt/ledger.ts'
import type { Hop } from '../trade.ts'

/** What a transaction's receipt shows of its hops' tokens. */
export interface NetFacts {
  hops: readonly Hop[]
  ledger: Ledger
}

/**
 * Returns the largest net of each token outside of the pools, as a size: what one address received in total, or gave.
 * Coins count as their wrapper. Coins that no log shows count as those of one address: what the wrapper and the pools
 * paid out of them, less what they took. A token that must have moved without a log is left out: nothing is known of it.
 */
export function outsideNets({ hops, ledger }: NetFacts): Map<Address, bigint> {
  const venues = new Set(hops.map(({ pool }) => keeperOf(pool)))
  const largest = new Map<Address, bigint>()
  for (const token of new Set(hops.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))) {
    const nets = ledger.ofToken(token)
    if (nets.size === 0 && mustMove(token, hops)) continue
    const all = token === ledger.wrappedNative ? withCoins(nets, hops, ledger) : nets
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
  wrapped: ReadonlyTotals<Address>,
  hops: readonly Hop[],
  { flows, coins }: Ledger,
): Iterable<readonly [Address | null, bigint]> {
  if (flows.coins !== undefined) {
    const accounts = new Set([...wrapped.keys(), ...coins.keys()])
    return [...accounts].map((account) => [account, wrapped.of(account) + coins.of(account)])
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
