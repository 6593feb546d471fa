import { type Address, ZERO_ADDRESS } from '../../chain/hex.ts'
import { areFar } from '../routes.ts'
import type { EndSide, Leg } from '../trade.ts'
import type { TokenTransfer } from './receipt-flows.ts'
import { isTold, type NamedAccount } from './settlements.ts'

/**
 * What shows that an account gave or got a token, beside the token's own `Transfer` events:
 *
 * 1. `pools`: a route of the trade sells or buys it, so the amounts can be compared.
 * 2. `told`: an event of a configured settlement names it.
 * 3. `wrapped`: its contract minted it for exactly what it received of the pools' token, or burnt it for what it paid.
 * 4. `listed`: it is on the curated list. Anybody can move any amount of it, so its worth is still to be compared.
 */
export type EndEvidence = 'pools' | 'told' | 'wrapped' | 'listed'

export interface EvidenceFacts {
  transfers: readonly TokenTransfer[]
  /** The accounts of the trade that events name, with the tokens that these events tell. */
  told: readonly Pick<NamedAccount, 'sold' | 'bought'>[]
  /** Tokens whose contracts are curated. */
  listed: ReadonlySet<Address>
  wrappedNative: Address
}

/** Returns the evidence for an end of a trade whose pools took or paid `pools` there. Null: anybody can forge it. */
export function endEvidence(side: EndSide, end: Leg, pools: Leg, facts: EvidenceFacts): EndEvidence | null {
  if (end.token === pools.token) return 'pools'
  if (isToldEnd(side, end.token, facts)) return 'told'
  if (isWrapperOf(side, end, pools, facts.transfers)) return 'wrapped'
  return facts.listed.has(end.token) ? 'listed' : null
}

/** Returns whether an event names a token as what an account sold or bought. */
export function isToldEnd(
  side: EndSide,
  token: Address,
  { told, wrappedNative }: Omit<EvidenceFacts, 'listed'>,
): boolean {
  return told.some(({ sold, bought }) => isTold(token, side === 'sell' ? sold : bought, wrappedNative))
}

/**
 * Returns whether the end is a wrapper of the pools' token (a lending token, say) of about the amount that went through
 * the pools: one transfer from the zero address, and one of the same amount of the pools' token to the wrapper. For a
 * sold end both go the other way.
 */
function isWrapperOf(side: EndSide, end: Leg, pools: Leg, transfers: readonly TokenTransfer[]): boolean {
  if (areFar(end.amount, pools.amount)) return false
  const amounts = (token: Address, from: Address | null, to: Address | null) =>
    transfers.flatMap((tokenTransfer) =>
      tokenTransfer.token === token &&
      (from === null || tokenTransfer.from === from) &&
      (to === null || tokenTransfer.to === to)
        ? [tokenTransfer.amount]
        : [],
    )
  const made = side === 'buy' ? amounts(end.token, ZERO_ADDRESS, null) : amounts(end.token, null, ZERO_ADDRESS)
  const kept = side === 'buy' ? amounts(pools.token, null, end.token) : amounts(pools.token, end.token, null)
  return made.some((amount) => !areFar(amount, end.amount) && kept.includes(amount))
}

/**
 * Returns the tokens that the contract of each given token took for exactly what it minted, or paid for exactly what it
 * burnt, of about the given net of it. One pass over the transfers, for all tokens.
 */
export function wrappedFor(
  side: EndSide,
  nets: ReadonlyMap<Address, bigint>,
  transfers: readonly TokenTransfer[],
): ReadonlyMap<Address, ReadonlySet<Address>> {
  const made = new Map<Address, Set<bigint>>()
  for (const { token, from, to, amount } of transfers) {
    const net = nets.get(token)
    const isMade = (side === 'buy' ? from : to) === ZERO_ADDRESS
    if (net === undefined || !isMade || areFar(amount, net < 0n ? -net : net)) continue
    made.set(token, (made.get(token) ?? new Set<bigint>()).add(amount))
  }
  const wrapped = new Map<Address, Set<Address>>()
  for (const { token, from, to, amount } of transfers) {
    const contract = side === 'buy' ? to : from
    if (made.get(contract)?.has(amount) !== true) continue
    wrapped.set(contract, (wrapped.get(contract) ?? new Set<Address>()).add(token))
  }
  return wrapped
}
