import type { Leg, LeggedTrade } from '../legs.ts'
import { type Receipt, total, WORD } from '../receipt/receipt.ts'
import { holdersOf } from './flows.ts'

/** A trade with its account. Other trades may belong to the same account. */
export interface Accounted {
  trade: LeggedTrade
  account: string | null
  sell: Leg
  buy: Leg
}

/** An end of a trade, with the pools' amount. */
export interface End {
  leg: Leg
  account: string | null
  /** Everything that the account gave or got is an end of a trade, and possible. */
  isAll: boolean
  /** No other trade ends in the token. */
  isOnly: boolean
  /** The account has a part in the trade's other end, as far as is known. */
  hasOther: boolean
  venues: ReadonlySet<string>
  receipt: Receipt
}

/** Returns the amount of a token that the account sold. */
export function amountSold(end: End): bigint {
  const { leg, account, isAll, isOnly, receipt } = end
  const { nets, signer, value, withdrawals, wrappedNative } = receipt
  const net = nets.of(account, leg.token)
  // The same account also paid coins beside the wrapped coin.
  const isMixed = leg.token === wrappedNative && account === signer && value > total(withdrawals)
  return !leg.native && net < 0n && isAll && isOnly && !isMixed && !isSlice(-net, end) ? -net : leg.amount
}

/** Returns the amount that the account bought. If it bought none, the amount of the only other holder. */
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

/** Returns whether somebody beside venues gave some of the token: a fee may be out of that. */
function isGivenByOthers({ leg, venues, receipt: { nets } }: End): boolean {
  return nets.accounts().some((account) => nets.of(account, leg.token) < 0n && !venues.has(account))
}

/** Returns whether an amount is a small part of the pools', kept by an account that has no part in the other end. */
function isSlice(amount: bigint, { leg, hasOther }: End): boolean {
  return !hasOther && 5n * amount < 4n * leg.amount
}
