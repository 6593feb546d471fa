import type { Hop } from './receipt/hops.ts'
import type { Wrapping } from './receipt/moves-in-logs.ts'
import { type Receipt, total } from './receipt/receipt.ts'
import type { PoolTrade } from './routes.ts'

export interface Leg {
  /** The wrapped coin's address, also for the coin. */
  token: string
  amount: bigint
  native: boolean
}

interface Legs {
  sell: Leg
  buy: Leg
}

export interface ValuedRoute {
  through: Legs
  hops: readonly Hop[]
  /** Whether the route's money passed through another route of the trade, where it is counted. */
  isPassedOn?: boolean
}

export interface LeggedTrade extends Pick<PoolTrade, 'hops' | 'shape'> {
  through: Legs
  routes?: readonly ValuedRoute[]
}

export function withLegs(trades: readonly PoolTrade[], all: readonly Hop[], own: ReadonlySet<Hop>, receipt: Receipt) {
  return trades.map((trade): LeggedTrade => {
    const withdrawals = own.size === 0 ? receipt.withdrawals : withdrawnFor(trade.hops, all, receipt)
    const { sold, bought, hops, shape } = trade
    const sell = { ...sold, native: hasCoinSold(trade, { ...receipt, withdrawals }) }
    const buy = { ...bought, native: hasCoinBought(trade, { ...receipt, withdrawals }) }
    return { hops, shape, through: { sell, buy } }
  })
}

/**
 * Returns the withdrawals that belong to the hops: each to the last hop before it that bought wrapped coins for its
 * account or, if there is none, for any account.
 */
function withdrawnFor(hops: readonly Hop[], all: readonly Hop[], { withdrawals, wrappedNative }: Receipt): Wrapping[] {
  return withdrawals.filter(({ account, logIndex }) => {
    const before = all.filter((hop) => hop.tokenOut === wrappedNative && hop.logIndex < logIndex)
    const last = before.findLast(({ recipient }) => recipient === account) ?? before.at(-1)
    return last !== undefined && hops.includes(last)
  })
}

function hasCoinSold({ sold, hops }: PoolTrade, { value, deposits, withdrawals, wrappedNative }: Receipt): boolean {
  const taken = hops.reduce((sum, { coinIn, amountIn }) => sum + (coinIn ? amountIn : 0n), 0n)
  const areUnwrapped = taken > value && 10n * total(withdrawals) >= 9n * taken
  const isCovered = taken + total(deposits) >= sold.amount
  return sold.token === wrappedNative && value > 0n && isCovered && !areUnwrapped
}

/** If the signer received all of the wrapped coins, only the signer's own unwrapping counts. */
function hasCoinBought({ bought, hops }: PoolTrade, receipt: Receipt): boolean {
  const { value, deposits, withdrawals, signer, wrappedNative } = receipt
  if (bought.token !== wrappedNative) return false
  const last = hops.filter(({ tokenOut }) => tokenOut === wrappedNative)
  const isSigners = last.every(({ recipient }) => recipient === signer)
  const paid = last.reduce((sum, { coinOut, amountOut }) => sum + (coinOut ? amountOut : 0n), 0n)
  const wrapped = total(deposits) > value ? total(deposits) - value : 0n
  const stayed = paid > wrapped ? paid - wrapped : 0n
  const unwrapped = total(isSigners ? withdrawals.filter(({ account }) => account === signer) : withdrawals)
  return 10n * (stayed + unwrapped) >= 9n * bought.amount
}
