import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Block, Log } from '../../src/chain/block.ts'
import type { Address, Hex } from '../../src/chain/hex.ts'
import { builtInDeployments } from '../../src/deployments/built-in.ts'
import { DEX_KINDS, type Pool } from '../../src/pool.ts'
import { decode } from '../../src/protocols/decode.ts'
import { decodersOf } from '../../src/protocols/registry.ts'
import { blockHops, toTrades, tradeRules } from '../../src/trades/to-trades.ts'
import type { Leg, Trade } from '../../src/trades/trade.ts'

interface Recorded {
  hash: Hex
  from: Address
  value: string
  logs: [Address, Hex[], Hex][]
  moves: [from: Address, to: Address, wei: string][]
  wallet?: [sold: [token: string, amount: string], bought: [token: string, amount: string]]
}

type PlainLog = Pick<Log, 'address' | 'topics' | 'data'>

const FILE = new URL('../fixtures/ether-moves/transactions.json.gz', import.meta.url)
const { pools, transactions }: { pools: Pool[]; transactions: Recorded[] } = JSON.parse(
  gunzipSync(readFileSync(FILE)).toString(),
)
const POOLS = new Map(pools.map((pool) => [pool.address, pool]))
const RULES = tradeRules(builtInDeployments.eth)
const DECODERS = decodersOf(DEX_KINDS)
const SYSTEM: Address = '0xfffffffffffffffffffffffffffffffffffffffe'
const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

const word = (hex: string): Hex => `0x${hex.slice(2).padStart(64, '0')}`
const logsOf = ({ logs }: Recorded): PlainLog[] => logs.map(([address, topics, data]) => ({ address, topics, data }))
const movesOf = ({ moves }: Recorded): PlainLog[] =>
  moves.map(([from, to, wei]) => ({
    address: SYSTEM,
    topics: [TRANSFER, word(from), word(to)],
    data: word(`0x${BigInt(wei).toString(16)}`),
  }))

function tradesOf({ hash, from, value }: Recorded, plain: readonly PlainLog[], logsEther: boolean): Trade[] {
  const logs = plain.map((log, logIndex): Log => ({ ...log, transactionIndex: 0, logIndex }))
  const block: Block = {
    ...{ number: 1, hash: '0x01', parentHash: '0x00', timestamp: 1, logs },
    ...(logsEther ? { logsEther: true as const } : {}),
    transactions: new Map([[0, { hash, from, value: BigInt(value) }]]),
  }
  const hops = blockHops(block, decode(block, DECODERS).events, POOLS, RULES.wrappedNative)
  return toTrades(hops, RULES, new Map([[hash, logs]]))
}

/** What a row says, short. */
const rowsOf = (trades: readonly Trade[]) =>
  trades.map(({ sell, buy, settledFor, byToken, isPartial }) => ({ sell, buy, settledFor, byToken, isPartial }))
const endOf = ({ token, amount, native }: Leg) => [native ? '' : token, String(amount)]
const isCoin = ({ token }: Leg) => token === RULES.wrappedNative

const plainTrades = transactions.map((one) => tradesOf(one, logsOf(one), false))
/** The move of what the transaction itself sends comes first in a receipt; here all come before other logs. */
const loggedTrades = transactions.map((one) => tradesOf(one, [...movesOf(one), ...logsOf(one)], true))

test('with moves of ether in the receipts every known flow of a wallet is its row', () => {
  let [known, coins] = [0, 0]
  transactions.forEach(({ hash, wallet }, i) => {
    if (wallet === undefined) return
    const ofTrader = loggedTrades[i]?.filter(({ byToken }) => !byToken) ?? []
    expect(
      ofTrader.map(({ sell, buy }) => [endOf(sell), endOf(buy)]),
      hash,
    ).toEqual([wallet])
    known++
    coins += wallet.filter(([token]) => token === '').length
  })
  expect([known, coins]).toEqual([549, 440])
})

test('an end in coins is the signer’s net of them where one row has such an end', () => {
  let told = 0
  transactions.forEach(({ hash, from, moves }, i) => {
    const ofTrader = loggedTrades[i]?.filter(({ byToken }) => !byToken) ?? []
    const ends = ofTrader.flatMap(({ sell, buy }) => [sell, buy]).filter(({ native }) => native)
    const net = moves.reduce((sum, [by, to, wei]) => {
      return sum + (to === from ? BigInt(wei) : 0n) - (by === from ? BigInt(wei) : 0n)
    }, 0n)
    if (ends.length !== 1 || ofTrader[0]?.settledFor !== null || net === 0n) return
    expect(ends[0]?.amount, hash).toBe(net < 0n ? -net : net)
    told++
  })
  expect(told).toBeGreaterThan(440)
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

test('where these logs stand among the others does not matter', () => {
  const place = fc.array(fc.nat(), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(fc.nat(transactions.length - 1), place, (index, places) => {
      const one = transactions[index]
      if (one === undefined) throw new Error('no such transaction')
      const [logs, moves] = [logsOf(one), movesOf(one)]
      const at = moves.map((_, i) => (places[i % places.length] ?? 0) % (logs.length + 1)).sort((a, b) => a - b)
      const mixed = [...logs, null].flatMap((log, i) => [
        ...moves.filter((_, move) => at[move] === i),
        ...(log === null ? [] : [log]),
      ])
      expect(rowsOf(tradesOf(one, mixed, true))).toEqual(rowsOf(loggedTrades[index] ?? []))
    }),
    { numRuns: 300 },
  )
})

test('where the header does not say that ether is logged, these logs are nothing', () => {
  transactions.forEach((one, i) => {
    expect(rowsOf(tradesOf(one, [...movesOf(one), ...logsOf(one)], false)), one.hash).toEqual(
      rowsOf(plainTrades[i] ?? []),
    )
  })
})
