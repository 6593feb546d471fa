import type { RecordedLog, RecordedTransaction } from '../../chain-record.ts'
import { isPoolEvent } from '../../pool-events.ts'
import { isExchange } from './hops.ts'
import {
  coinMoveIn,
  isFirst404,
  isPairLiquidity,
  isRangeLiquidity,
  isReserves,
  isWithdrawal,
  itemsIn,
  type Move,
  moveIn,
  polygonMoveIn,
  type Wrapping,
  withoutInterest,
  wrappingIn,
} from './moves-in-logs.ts'
import { Nets } from './nets.ts'
import type { Settlement } from './settlements.ts'

/** The address that logs transfers of coins since EIP-7708. */
const SYSTEM = '0xfffffffffffffffffffffffffffffffffffffffe'
const POLYGON_COIN = `0x${'0'.repeat(36)}1010`
export const BURNT: readonly string[] = [
  '0x0000000000000000000000000000000000000000',
  '0x000000000000000000000000000000000000dead',
]
export const WORD = 2n ** 256n - 1n

export interface Receipt {
  /** Null if unknown, or if the signer has another trade. */
  signer: string | null
  sender: string
  value: bigint
  wrappedNative: string
  listed: ReadonlySet<string>
  logs: readonly RecordedLog[]
  moves: readonly Move[]
  deposits: readonly Wrapping[]
  withdrawals: readonly Wrapping[]
  /** Emitters of pool events, verified or not. */
  poolLike: ReadonlySet<string>
  changesLiquidity: boolean
  withdrawsLiquidity: boolean
  nets: Nets
  logsCoins: boolean
}

export interface ReceiptFacts {
  wrappedNative: string
  listed: ReadonlySet<string>
  settlements: readonly Settlement[]
  logsCoins: boolean
}

export function readReceipt(transaction: RecordedTransaction, facts: ReceiptFacts): Receipt {
  const { wrappedNative, listed, settlements } = facts
  const ofPolygon = transaction.logs.filter(({ address }) => address === POLYGON_COIN).flatMap(polygonMoveIn)
  const logsCoins = facts.logsCoins || ofPolygon.length > 0
  const logs = transaction.logs.filter(({ address }) => address !== SYSTEM && address !== POLYGON_COIN)
  const moves = logs.flatMap((log, at) => withoutInterest(moveIn(log), logs[at + 1]))
  const wrappings = logs.filter(({ address }) => address === wrappedNative).flatMap(wrappingIn)
  const deposits = wrappings.filter(({ isOut }) => !isOut)
  const withdrawals = wrappings.filter(({ isOut }) => isOut)
  const nets = new Nets(wrappedNative)
  for (const { token, from, to, amount } of moves) nets.move(token, from, to, amount)
  for (const { account, amount } of deposits) nets.add(account, wrappedNative, amount)
  for (const { account, amount } of withdrawals) nets.add(account, wrappedNative, -amount)
  for (const { name, from, to, amount } of logs.flatMap((log, at) => (isOfToken(log, at, logs) ? [] : itemsIn(log)))) {
    nets.moveItem(name, from, to, amount)
  }
  const entryPoints = settlements.filter(({ kind }) => kind === 'erc4337').map(({ address }) => address)
  const coins = facts.logsCoins ? transaction.logs.filter(({ address }) => address === SYSTEM).flatMap(coinMoveIn) : []
  for (const { from, to, amount } of [...coins, ...ofPolygon]) {
    if (!entryPoints.includes(from) && !entryPoints.includes(to)) nets.moveCoins(from, to, amount)
  }
  const changes = logs.filter(
    (log) =>
      isRangeLiquidity(log) ||
      (isPairLiquidity(log) && logs.some((other) => isReserves(other) && other.address === log.address)),
  )
  return {
    sender: transaction.from,
    signer: transaction.from === '' ? null : transaction.from,
    value: transaction.value,
    wrappedNative,
    listed,
    logs,
    moves,
    deposits,
    withdrawals,
    poolLike: new Set(
      logs.filter((log) => isPoolEvent(log) || isExchange(log) || isRangeLiquidity(log)).map(({ address }) => address),
    ),
    changesLiquidity: changes.length > 0,
    withdrawsLiquidity: changes.some(isWithdrawal),
    nets,
    logsCoins,
  }
}

/** Returns whether items move together with amounts of the token (ERC-404, DN404). */
function isOfToken(log: RecordedLog, at: number, logs: readonly RecordedLog[]): boolean {
  const isTokens = (other: RecordedLog) => moveIn(other).length > 0 || isFirst404(other)
  if (logs.some((other) => other.address === log.address && isTokens(other))) return true
  const next = logs.slice(at + 1).find((other) => other.address !== log.address || itemsIn(other).length === 0)
  const [move] = next === undefined ? [] : moveIn(next)
  const isEnd = (account: string, end: string) => account === end || account === BURNT[0]
  return move !== undefined && itemsIn(log).every(({ from, to }) => isEnd(from, move.from) && isEnd(to, move.to))
}

/** Returns the coins that the signer sent and that did not go back to it. */
export function spentCoins(receipt: Receipt): bigint {
  const { value, signer, nets } = receipt
  const spent = value - unwrapped(receipt)
  const flows = nets.tokens(signer)
  const isPaidForToken = flows.length > 0 && flows.every(({ net }) => net > 0n) && value >= 10n ** 12n
  return spent > 0n ? spent : isPaidForToken ? value : 0n
}

/** Returns what was unwrapped, except by accounts that wrapped as much and moved no wrapper. */
export function unwrapped({ moves, deposits, withdrawals, wrappedNative }: Receipt): bigint {
  const sum = (wrappings: readonly Wrapping[], of: string) => total(wrappings.filter(({ account }) => account === of))
  const isBack = (account: string) =>
    sum(deposits, account) === sum(withdrawals, account) &&
    !moves.some(({ token, from, to }) => token === wrappedNative && [from, to].includes(account))
  return total(withdrawals.filter(({ account }) => !isBack(account)))
}

export function total(wrappings: readonly Wrapping[]): bigint {
  return wrappings.reduce((sum, { amount }) => sum + amount, 0n)
}
