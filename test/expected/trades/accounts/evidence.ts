import type { Leg } from '../legs.ts'
import { BURNT, type Receipt } from '../receipt/receipt.ts'
import type { ToldTokens } from '../receipt/settlements.ts'
import { areNear } from './joined.ts'

const [ZERO] = BURNT

/** What shows that an end is real. Null if its beneficiary could have made it all up. */
export type Evidence = 'pools' | 'told' | 'wrapped' | 'listed' | null

export function evidenceOf(
  side: 'sell' | 'buy',
  end: { token: string; amount: bigint },
  pools: Leg,
  told: ToldTokens,
  receipt: Receipt,
): Evidence {
  if (end.token === pools.token) return 'pools'
  if (told[side].has(end.token)) return 'told'
  if (isWrapped(side, end, pools, receipt)) return 'wrapped'
  return receipt.listed.has(end.token) ? 'listed' : null
}

/**
 * Returns whether the token was minted for, or burnt into, an equal amount of the pools' token, near the end's amount.
 */
export function isWrapped(
  side: 'sell' | 'buy',
  { token, amount }: { token: string; amount: bigint },
  pools: Leg,
  { moves }: Receipt,
): boolean {
  const ofWrapper = moves.filter((move) => move.token === token && (side === 'buy' ? move.from : move.to) === ZERO)
  const ofPools = moves.filter((move) => {
    return move.token === pools.token && (side === 'buy' ? move.to : move.from) === token
  })
  return (
    areNear(amount, pools.amount) &&
    ofWrapper.some((made) => areNear(made.amount, amount) && ofPools.some((kept) => kept.amount === made.amount))
  )
}
