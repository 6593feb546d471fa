import type { Accounted, End } from './ends.ts'
import { DUST } from './makers.ts'

/** Returns the coins that the only `Withdrawal` paid. Null if it may have had another purpose. */
export function onlyWithdrawal(end: Accounted & End & { named: ReadonlySet<string> }): bigint | null {
  const { trade, account, sell, buy, named, venues, receipt, isAll, isOnly } = end
  const { withdrawals, deposits, value, nets } = receipt
  const [only, another] = withdrawals
  if (!only || another || deposits.length > 0 || value >= DUST || named.size > 1) return null

  const net = nets.wrapped(only.account)
  const isGiven = net <= 0n && 10n * (net + only.amount) >= 9n * only.amount
  if (venues.has(only.account) || !isGiven) return null

  const isLast = trade.hops.every(({ logIndex, coinIn, coinOut }) => logIndex < only.logIndex && !coinIn && !coinOut)
  const isAccounts = nets.of(account, sell.token) < 0n && nets.wrapped(account) === 0n && isAll
  if (!isLast || !isOnly || !isAccounts) return null
  return 5n * only.amount >= 4n * buy.amount ? only.amount : null
}
