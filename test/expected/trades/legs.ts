import type { Hop } from './hops.ts'
import type { Receipt, Wrapping } from './receipt.ts'
import type { PoolTrade } from './routes.ts'

export interface Leg {
  /** The wrapped coin's address for the coin, too. */
  token: string
  amount: bigint
  /** The coin itself, not its wrapper. */
  native: boolean
}

/** A trade by what went through its pools; its value is theirs. */
export interface LeggedTrade extends Pick<PoolTrade, 'hops' | 'shape'> {
  through: { sell: Leg; buy: Leg }
}

/** Says of the ends of trades whether the coins that came along and the wrapper's events make them coins. */
export function withLegs(trades: readonly PoolTrade[], all: readonly Hop[], own: ReadonlySet<Hop>, receipt: Receipt) {
  return trades.map((trade): LeggedTrade => {
    const withdrawals = own.size === 0 ? receipt.withdrawals : withdrawnFor(trade.hops, all, receipt)
    const { sold, bought, hops, shape } = trade
    const sell = { ...sold, native: hasCoinSold(trade, receipt) }
    const buy = { ...bought, native: hasCoinBought(trade, { ...receipt, withdrawals }) }
    return { hops, shape, through: { sell, buy } }
  })
}

/** Each withdrawal is for the last hop before it that paid the account of it; where none did, for the last one at all. */
function withdrawnFor(hops: readonly Hop[], all: readonly Hop[], { withdrawals, wrappedNative }: Receipt): Wrapping[] {
  return withdrawals.filter(({ account, logIndex }) => {
    const before = all.filter((hop) => hop.tokenOut === wrappedNative && hop.logIndex < logIndex)
    const last = before.findLast(({ recipient }) => recipient === account) ?? before.at(-1)
    return last !== undefined && hops.includes(last)
  })
}

/** Whether the coins that came along were wrapped for what a trade sold. */
function hasCoinSold({ sold }: PoolTrade, { value, deposits, wrappedNative }: Receipt): boolean {
  return sold.token === wrappedNative && value > 0n && total(deposits) >= sold.amount
}

/** Whether nine tenths at least of what a trade bought were unwrapped; where it all went to the signer, by the signer. */
function hasCoinBought({ bought, hops }: PoolTrade, { withdrawals, signer, wrappedNative }: Receipt): boolean {
  if (bought.token !== wrappedNative) return false
  const isSigners = hops.every(({ tokenOut, recipient }) => tokenOut !== wrappedNative || recipient === signer)
  const unwrapped = total(isSigners ? withdrawals.filter(({ account }) => account === signer) : withdrawals)
  return unwrapped > 0n && 10n * unwrapped >= 9n * bought.amount
}

export function total(wrappings: readonly Wrapping[]): bigint {
  return wrappings.reduce((sum, { amount }) => sum + amount, 0n)
}
