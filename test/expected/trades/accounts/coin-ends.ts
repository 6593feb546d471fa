import type { Leg } from '../legs.ts'
import { BURNT, type Receipt, WORD } from '../receipt/receipt.ts'
import { amountBought, type End } from './ends.ts'
import { magnitude, type OneForOne } from './flows.ts'

interface Amount {
  amount: bigint
  native: boolean
}

/** Used if the block logs transfers of coins. */
export function coinSold(end: End, flows: OneForOne | null, byPools: Leg): Leg {
  const isFlow = flows?.out.token === end.receipt.wrappedNative
  return accountsOwn(end, -1n, isFlow) ?? { ...end.leg, native: byPools.native }
}

export function coinBought(end: End, flows: OneForOne | null): Leg {
  const { leg, account, isOnly, venues, receipt } = end
  const { nets, wrappedNative } = receipt
  const own = accountsOwn(end, 1n, flows?.in.token === wrappedNative)
  if (own !== null) return own
  const fee = nets.wrapped(account)
  if (isOnly && fee > 0n && nets.coins(account) === 0n && !end.hasOther && 5n * fee < 4n * leg.amount) {
    return { ...leg, amount: amountBought({ ...end, leg: { ...leg, native: false } }) }
  }
  if (!isOnly || fee !== 0n) return leg
  if (!leg.native) return { ...leg, amount: amountBought(end) }
  const holders = nets.accounts().filter((holder) => {
    const gained = nets.coins(holder) > 0n || nets.wrapped(holder) > 0n
    return gained && !venues.has(holder) && holder !== wrappedNative && !BURNT.includes(holder)
  })
  const [holder = null, another] = holders
  const gain = another === undefined ? nearest(holder, 1n, leg.amount, receipt) : null
  return gain && isNearlyAll(gain, leg) ? { ...leg, ...gain } : leg
}

function accountsOwn({ leg, account, isAll, isOnly, receipt }: End, sign: bigint, isFlow: boolean): Leg | null {
  const own = nearest(account, sign, leg.amount, receipt)
  if (own === null || !(isFlow || isNearlyAll(own, leg))) return null
  return { ...leg, native: own.native, amount: isAll && isOnly ? own.amount : leg.amount }
}

/**
 * Returns the account's net in coins, in wrapped coins, or in both that is nearest to the amount. The first wins a tie.
 */
function nearest(account: string | null, sign: bigint, amount: bigint, { nets }: Receipt): Amount | null {
  const [coins, wrapped] = [sign * nets.coins(account), sign * nets.wrapped(account)]
  const candidates = [
    { amount: coins, native: true },
    { amount: wrapped, native: false },
    { amount: coins + wrapped, native: coins >= wrapped },
  ].filter((each) => each.amount > 0n && each.amount <= WORD)
  if (coins <= 0n && wrapped <= 0n) return null
  const off = (each: Amount) => magnitude(each.amount - amount)
  return candidates.reduce<Amount | null>((best, each) => (best === null || off(each) < off(best) ? each : best), null)
}

function isNearlyAll({ amount }: Amount, leg: Leg): boolean {
  return 5n * amount >= 4n * leg.amount
}
