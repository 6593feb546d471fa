import type { Leg, LeggedTrade } from '../legs.ts'
import { type Receipt, total, WORD } from '../receipt/receipt.ts'
import { holdersOf } from './flows.ts'

export interface Accounted {
  trade: LeggedTrade
  account: string | null
  sell: Leg
  buy: Leg
}

export interface End {
  leg: Leg
  account: string | null
  /** Whether the account netted only ends of its trades, and in credible amounts. */
  isAll: boolean
  isOnly: boolean
  hasOther: boolean
  venues: ReadonlySet<string>
  receipt: Receipt
}

export function amountSold(end: End): bigint {
  const { leg, account, isAll, isOnly, receipt } = end
  const { nets, signer, value, withdrawals, wrappedNative } = receipt
  const net = nets.of(account, leg.token)
  const isMixed = leg.token === wrappedNative && account === signer && value > total(withdrawals)
  return !leg.native && net < 0n && isAll && isOnly && !isMixed && !isSlice(-net, end) ? -net : leg.amount
}

/** Returns what the account bought or, if it got nothing, what the only other holder got. */
export function amountBought(end: End): bigint {
  const { leg, account, isAll, isOnly, receipt, venues } = end
  if (leg.native || !isOnly) return leg.amount
  const net = receipt.nets.of(account, leg.token)
  const isFee = net > 0n && isSlice(net, end)
  if (net > 0n && isAll && !isFee) return net
  if (net !== 0n && !isFee) return leg.amount
  const [holder, another] = holdersOf(leg.token, venues, receipt).filter((each) => each.account !== account)
  const isHolders = holder && !another && holder.amount <= WORD && 5n * holder.amount >= 4n * leg.amount
  return isHolders ? holder.amount : leg.amount - (isFee && !isGivenByOthers(end) ? net : 0n)
}

/** Returns whether others gave some of the token, from which a fee may have been taken. */
function isGivenByOthers({ leg, venues, receipt: { nets } }: End): boolean {
  return nets.accounts().some((account) => nets.of(account, leg.token) < 0n && !venues.has(account))
}

/** Returns whether the amount is a small part of the pools', kept by an account that has no part in the other end. */
function isSlice(amount: bigint, { leg, hasOther }: End): boolean {
  return !hasOther && 5n * amount < 4n * leg.amount
}
