import { type Address, ZERO_ADDRESS } from '../../chain.ts'
import { absolute } from '../../maths/integers.ts'
import { differByFifth } from '../routes.ts'
import type { EndSide, Leg } from '../trade.ts'
import type { TokenTransfer } from './receipt-flows.ts'
import { isReported, type NamedAccount } from './settlements.ts'

/**
 * What proves an end besides its token's own `Transfer` events, which anybody can forge (docs/internals/trades.md,
 * "Ends that no pool touched").
 */
export type EndEvidence = 'pools' | 'reported' | 'wrapped' | 'listed'

export interface EvidenceFacts {
  transfers: readonly TokenTransfer[]
  named: readonly Pick<NamedAccount, 'sold' | 'bought'>[]
  listed: ReadonlySet<Address>
  wrappedNative: Address
}

/** Returns the evidence for an end, or null if anybody could have forged it. `pools` is what the pools took or paid. */
export function endEvidence(side: EndSide, end: Leg, pools: Leg, facts: EvidenceFacts): EndEvidence | null {
  if (end.token === pools.token) return 'pools'
  if (isReportedEnd(side, end.token, facts)) return 'reported'
  if (isWrapperOf(side, end, pools, facts.transfers)) return 'wrapped'
  return facts.listed.has(end.token) ? 'listed' : null
}

export function isReportedEnd(
  side: EndSide,
  token: Address,
  { named, wrappedNative }: Omit<EvidenceFacts, 'listed'>,
): boolean {
  return named.some(({ sold, bought }) => isReported(token, side === 'sell' ? sold : bought, wrappedNative))
}

function isWrapperOf(side: EndSide, end: Leg, pools: Leg, transfers: readonly TokenTransfer[]): boolean {
  if (differByFifth(end.amount, pools.amount)) return false
  return (
    wrappedFor(side, new Map([[end.token, end.amount]]), transfers)
      .get(end.token)
      ?.has(pools.token) === true
  )
}

/**
 * Returns the tokens that each given token (a lending token, say) wraps: its contract received exactly a minted amount
 * of them, or paid out exactly a burnt amount, and that amount is close to the given token's net.
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
    if (net === undefined || !isMade || differByFifth(amount, absolute(net))) continue
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
