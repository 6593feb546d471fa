import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import type { Address, Hex } from '../../src/chain.ts'
import { builtInDeployments } from '../../src/deployments/dex-config.ts'
import type { Leg, Trade } from '../../src/trades/trade.ts'
import { type PlainLog, type RecordedReceipt, readReceipts } from './recorded-receipts.ts'

interface Moved extends RecordedReceipt {
  moves: [from: Address, to: Address, wei: string][]
  wallet?: [sold: [token: string, amount: string], bought: [token: string, amount: string]]
}

const { transactions, tradesOf } = readReceipts<Moved>('ether-moves/transactions')
const WETH = builtInDeployments.eth.wrappedNative
const SYSTEM: Address = '0xfffffffffffffffffffffffffffffffffffffffe'
const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

const word = (hex: string): Hex => `0x${hex.slice(2).padStart(64, '0')}`
const movesOf = ({ moves }: Moved): PlainLog[] =>
  moves.map(([from, to, wei]) => [SYSTEM, [TRANSFER, word(from), word(to)], word(`0x${BigInt(wei).toString(16)}`)])

/** Returns the fields of a row in short form. */
const rowsOf = (trades: readonly Trade[]) =>
  trades.map(({ sell, buy, settledFor, byToken, isPartial }) => ({ sell, buy, settledFor, byToken, isPartial }))
const endOf = ({ token, amount, native }: Leg) => [native ? '' : token, String(amount)]
const isCoin = ({ token }: Leg) => token === WETH

const plainTrades = transactions.map((moved) => tradesOf(moved))
/**
 * In a receipt, the transfer of the transaction's own coins comes first; here all coin transfers precede other logs.
 */
const loggedTrades = transactions.map((moved) => tradesOf(moved, [...movesOf(moved), ...moved.logs], true))

/** The wallet bought an unlisted token through a pool of a factory that is not configured. */
const UNSHOWN = '0x35458da7da5b86c5d5003835afafaa753a23a6bbf21fcd5657068b4fdb7184c4'

test('with moves of ether in the receipts every known flow of a wallet is its row', () => {
  let [known, coins] = [0, 0]
  transactions.forEach(({ hash, wallet }, i) => {
    if (wallet === undefined) return
    const ofTrader = loggedTrades[i]?.filter(({ byToken }) => !byToken) ?? []
    if (hash === UNSHOWN) {
      const [sold] = wallet
      expect(ofTrader.map(({ sell, buy, isPartial }) => [endOf(sell), buy.token, isPartial])).toEqual([
        [sold, WETH, true],
      ])
      return
    }
    expect(
      ofTrader.map(({ sell, buy }) => [endOf(sell), endOf(buy)]),
      hash,
    ).toEqual([wallet])
    known++
    coins += wallet.filter(([token]) => token === '').length
  })
  expect([known, coins]).toEqual([548, 440])
})

test('an end in coins is the signer’s net of them where one row has such an end', () => {
  let count = 0
  transactions.forEach(({ hash, from, moves }, i) => {
    const ofTrader = loggedTrades[i]?.filter(({ byToken }) => !byToken) ?? []
    const ends = ofTrader.flatMap(({ sell, buy }) => [sell, buy]).filter(({ native }) => native)
    const net = moves.reduce((sum, [by, to, wei]) => {
      return sum + (to === from ? BigInt(wei) : 0n) - (by === from ? BigInt(wei) : 0n)
    }, 0n)
    if (ends.length !== 1 || ofTrader[0]?.settledFor !== null || net === 0n) return
    expect(ends[0]?.amount, hash).toBe(net < 0n ? -net : net)
    count++
  })
  expect(count).toBeGreaterThan(440)
})

test('no row names the system address, and ends in tokens are as without these logs', () => {
  transactions.forEach(({ hash }, i) => {
    const [plain, logged] = [rowsOf(plainTrades[i] ?? []), rowsOf(loggedTrades[i] ?? [])]
    const inTokens = (rows: typeof plain) =>
      rows.map(({ sell, buy, ...row }) => ({ ...row, ends: [sell, buy].map((end) => (isCoin(end) ? null : end)) }))
    expect(inTokens(logged), hash).toEqual(inTokens(plain))
    const named = loggedTrades[i]?.flatMap(({ sell, buy, hops }) => [
      ...[sell.token, buy.token],
      ...hops.flatMap(({ tokenIn, tokenOut, pool }) => [tokenIn, tokenOut, pool.address]),
    ])
    expect(named, hash).not.toContain(SYSTEM)
  })
})

test('the position of these logs among the others does not matter', () => {
  const place = fc.array(fc.nat(), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(fc.nat(transactions.length - 1), place, (index, places) => {
      const each = transactions[index]
      if (each === undefined) throw new Error('no such transaction')
      const [logs, moves] = [each.logs, movesOf(each)]
      const at = moves.map((_, i) => (places[i % places.length] ?? 0) % (logs.length + 1)).sort((a, b) => a - b)
      const mixed = [...logs, null].flatMap((log, i) => [
        ...moves.filter((_, move) => at[move] === i),
        ...(log === null ? [] : [log]),
      ])
      expect(rowsOf(tradesOf(each, mixed, true))).toEqual(rowsOf(loggedTrades[index] ?? []))
    }),
    { numRuns: 60 * inject('scale') },
  )
})

test('where the header does not say that ether is logged, these logs are nothing', () => {
  transactions.forEach((moved, i) => {
    expect(rowsOf(tradesOf(moved, [...movesOf(moved), ...moved.logs])), moved.hash).toEqual(
      rowsOf(plainTrades[i] ?? []),
    )
  })
})
