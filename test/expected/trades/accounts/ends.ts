import type { Leg, LeggedTrade } from '../legs.ts'
import type { Move } from '../receipt/moves-in-logs.ts'
import { type Receipt, spentCoins, WORD } from '../receipt/receipt.ts'
import { holdersOf } from './flows.ts'
import { areNear } from './joined.ts'

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
  /** Whether it moved no items, and credible amounts. */
  isClear: boolean
  gaveOthers: boolean
  isOnly: boolean
  hasOther: boolean
  venues: ReadonlySet<string>
  receipt: Receipt
}

export function amountSold(end: End): bigint {
  const { leg, account, isAll, isOnly, receipt } = end
  const { nets, signer, wrappedNative } = receipt
  const net = nets.of(account, leg.token)
  const isMixed = leg.token === wrappedNative && account === signer && spentCoins(receipt) > 0n
  const isNet = !leg.native && net < 0n && (isAll || isOneWay(net, end)) && isOnly && !isMixed && !isSlice(-net, end)
  return isNet ? -net : leg.amount
}

/** Returns whether the account moved the token only in the direction of its net, which is near the pools' amount. */
function isOneWay(net: bigint, { leg, account, isClear, gaveOthers, receipt }: End): boolean {
  const isBack = ({ token, from, to }: Move) => token === leg.token && (net < 0n ? to : from) === account
  if (net > 0n && gaveOthers) return false
  return isClear && areNear(net < 0n ? -net : net, leg.amount) && !receipt.moves.some(isBack)
}

/** Returns what the account bought or, if it got nothing, what the only other holder got. */
export function amountBought(end: End): bigint {
  const { leg, account, isAll, isOnly, receipt, venues } = end
  if (leg.native || !isOnly) return leg.amount
  const net = receipt.nets.of(account, leg.token)
  const isFee = net > 0n && isSlice(net, end)
  if (net > 0n && (isAll || isOneWay(net, end)) && !isFee) return net
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
