import {
  type Address,
  dayOf,
  type Hex,
  type Hop,
  intervalStart,
  NETWORKS,
  type Pool,
  type PricedTrade,
  ZERO_ADDRESS,
} from '@dexfeed/dex'
import {
  type Candle,
  type CandleSelection,
  type IndexerStore,
  openReader,
  type PoolDay,
  type TokenDay,
  type WriterLease,
} from '@dexfeed/store'
import fc from 'fast-check'
import { beforeEach, describe, expect, inject, it } from 'vitest'
import { emptyTables } from '../../test/rows/empty-tables.ts'
import { plainCandles, plainHops } from '../../test/rows/plain-candles.ts'
import {
  address,
  filling,
  following,
  header,
  hop,
  MIDNIGHT,
  POOL,
  sidesOf,
  TOKEN,
  trade,
} from '../../test/rows/sample.ts'
import { database, FOLLOWED, type Followed, openForFile, rows, startFollowed } from '../../test/rows/scene.ts'
import { HOPS } from '../tables/swap/swap-hop.ts'

const [ONE, TWO, THREE] = [address(1), address(2), address(3)]
const POOLS: Pool[] = [
  { ...POOL, token0: ONE, token1: TWO },
  { ...POOL, address: address(0xa1), token0: THREE, token1: ONE },
  { ...POOL, address: address(0xa2), token0: ONE, token1: TWO, coins: [ONE, TWO, THREE] },
  // Of the coin and its wrapper, which have one address in hops.
  { ...POOL, address: address(0xa3), token0: ZERO_ADDRESS, token1: ONE },
]
const TOKENS = [ONE, TWO, THREE].map((token, n) => ({ ...TOKEN, address: token, decimals: [18, 6, 0][n] ?? 0 }))
/** A block number as on real networks. */
const HEIGHT = 78_000_000
/** The follower begins with this empty block; history lies below it, in part within the same minute. */
const FIRST = HEIGHT + 39
/** Three blocks per minute; midnight is between two minutes. */
const timeOf = (number: number) => MIDNIGHT + (number - HEIGHT - 20) * 20

let stores: Record<Followed, IndexerStore>
let leases: Record<Followed, WriterLease>

openForFile(8)
beforeEach(start)

async function start(): Promise<void> {
  await emptyTables(database.pool)
  ;({ stores, leases } = await startFollowed(database))
}

async function startAgain(): Promise<void> {
  await Promise.all(FOLLOWED.map((name) => leases[name].release()))
  await start()
}

const TRADERS = [address(0xb0), address(0xb1), address(0xb2), null]

interface DraftHop {
  pool: number
  isTurned: boolean
  third: boolean
  amountIn: bigint
  amountOut: bigint
  usd: bigint | null
  flags: number
}

const draftHop: fc.Arbitrary<DraftHop> = fc.record({
  pool: fc.integer({ min: 0, max: 3 }),
  isTurned: fc.boolean(),
  third: fc.boolean(),
  amountIn: fc.oneof(fc.bigInt({ min: 1n, max: 2_000n }), fc.bigInt({ min: 1_000n, max: 10n ** 39n })),
  amountOut: fc.oneof(fc.bigInt({ min: 900n, max: 1_100n }), fc.bigInt({ min: 1_000n, max: 10n ** 24n })),
  usd: fc.option(fc.oneof(fc.bigInt({ min: 0n, max: 2_000_000n }), fc.bigInt({ min: 10n ** 6n, max: 10n ** 20n }))),
  flags: fc.constantFrom(0, 0, 0, 0, 2, 4),
})
/** Up to two trades of a block, each with one or two hops. Both are in one transaction, with alternating logs. */
const blockContent = fc.array(fc.array(draftHop, { minLength: 1, maxLength: 2 }), { maxLength: 2 })
type BlockContent = DraftHop[][]

function toHop({ pool, isTurned, third, amountIn, amountOut }: DraftHop, logIndex: number): Hop {
  const of = POOLS[pool] ?? POOL
  const first = pool === 3 ? ONE : of.token0
  const pair: [Address, Address] = pool === 2 && third ? [TWO, THREE] : [first, of.token1]
  const [tokenIn = ONE, tokenOut = TWO] = isTurned ? pair.toReversed() : pair
  return hop(of, logIndex, { tokenIn, amountIn, tokenOut, amountOut })
}

function tradesOf(number: number, content: BlockContent): PricedTrade[] {
  return content.map((drafts, position) => {
    const hops = drafts.map((draft, n) => toHop(draft, n * content.length + content.length - position))
    return trade(number, timeOf(number), {
      position,
      hops,
      hopsUsdE8: drafts.map(({ usd }) => usd),
      trader: TRADERS[(number + 2 * position + drafts.length) % TRADERS.length] ?? null,
      ...(drafts.some(({ flags }) => flags > 0) ? { hopsFlags: drafts.map(({ flags }) => flags) } : {}),
      ...asItsHop(hops, drafts),
    })
  })
}

/** A trade with one hop holds that hop, and so may hold parts of candles. */
function asItsHop([only]: Hop[], [draft, ...more]: DraftHop[]): Partial<PricedTrade> {
  if (only === undefined || draft === undefined || more.length > 0) return {}
  const value = { usdE8: draft.usd, source: draft.usd === null ? null : ('stablecoin' as const), flags: draft.flags }
  return { ...sidesOf(only), ...value }
}

interface Scenario {
  live: { depth: number | null; blocks: BlockContent[] }[]
  history: { blocks: BlockContent[]; repair: { at: number; blocks: BlockContent[] } | null }[]
  /** Order in which to fill the parts of history. */
  order: number[]
}

const blocks = fc.array(blockContent, { minLength: 1, maxLength: 4 })
const scenario: fc.Arbitrary<Scenario> = fc.record({
  live: fc.array(fc.record({ depth: fc.option(fc.integer({ min: 0, max: 5 })), blocks }), { maxLength: 5 }),
  history: fc.array(
    fc.record({ blocks, repair: fc.option(fc.record({ at: fc.integer({ min: 0, max: 3 }), blocks })) }),
    { maxLength: 6 },
  ),
  order: fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 6, maxLength: 6 }),
})

const HOP: DraftHop = {
  pool: 0,
  isTurned: false,
  third: false,
  amountIn: 5_000n,
  amountOut: 5_000n,
  usd: 10n ** 8n,
  flags: 0,
}
/** A block with four hops in two trades, neither of which holds parts of candles. */
const FULL: BlockContent = [
  [HOP, { ...HOP, pool: 2, third: true, usd: null }],
  [HOP, { ...HOP, pool: 1, isTurned: true, flags: 2 }],
]
/** The follower rolls back, history is repaired, and six trades around midnight are alone in their minutes. */
const MIXED: Scenario = {
  live: [
    { depth: null, blocks: [FULL, FULL, FULL, FULL] },
    { depth: 2, blocks: [FULL, [[HOP, { ...HOP, pool: 3 }]], FULL] },
  ],
  history: [
    { blocks: [FULL, FULL, [], FULL], repair: { at: 1, blocks: [[[HOP], [HOP]], FULL] } },
    ...Array.from({ length: 6 }, (_, n) => ({
      blocks: [[[{ ...HOP, amountIn: 5_000n + BigInt(n), usd: n === 2 ? null : HOP.usd }]], [], []],
      repair: null,
    })),
  ],
  order: [5, 2, 0, 4, 1, 3],
}

/** Two commits share a minute: in the later one, block 36 has a trade alone. */
const PARTS: Scenario = {
  live: [],
  history: [
    { blocks: [[[HOP]], [], []], repair: null },
    { blocks: [[], [], [[HOP], [HOP]]], repair: null },
    { blocks: [[[HOP, HOP]], [], []], repair: null },
    { blocks: [[[HOP], [{ ...HOP, pool: 1 }]], [], []], repair: null },
  ],
  order: [0, 1, 2, 3],
}

const KNOWN = { pools: POOLS, tokens: TOKENS }

/** The blocks that a network's follower has committed. */
class Chain {
  readonly #name: Followed
  readonly #hashes = new Map<number, Hex>()
  #head = FIRST - 1
  #branch = 0

  constructor(name: Followed) {
    this.#name = name
  }

  async follow(steps: Scenario['live']): Promise<void> {
    for (const { depth, blocks } of steps) {
      const rollbackTo = depth === null ? null : Math.max(FIRST, this.#head - depth)
      const from = (rollbackTo ?? this.#head) + 1
      this.#branch += 1
      const headers = blocks.map((_, n) => this.#header(from + n))
      const trades = blocks.flatMap((content, n) => tradesOf(from + n, content))
      const live = following(leases[this.#name].epoch, headers, trades, { rollbackTo, finalNumber: FIRST - 1 })
      await stores[this.#name].commitHead({ ...live, ...KNOWN })
      this.#head = from + blocks.length - 1
    }
  }

  #header(number: number) {
    const own = header(number, timeOf(number), this.#branch)
    const parentHash = this.#hashes.get(number - 1) ?? own.parentHash
    this.#hashes.set(number, own.hash)
    return { ...own, parentHash }
  }
}

/** Commits the parts of history below the follower's first block concurrently, starting them in the given order. */
async function fill(name: Followed, { history, order }: Scenario): Promise<void> {
  let below = FIRST
  const parts = history.map(({ blocks, repair }) => {
    below -= blocks.length
    return { from: below, blocks, repair }
  })
  const shuffled = parts.map((part, n) => ({ part, key: order[n] ?? 0 })).sort((a, b) => a.key - b.key)
  await Promise.all(
    shuffled.map(async ({ part: { from, blocks, repair } }) => {
      const to = from + blocks.length - 1
      const trades = blocks.flatMap((content, n) => tradesOf(from + n, content))
      const times = { fromTime: timeOf(from), toTime: timeOf(to) }
      await stores[name].commitHistory({ ...filling(from, to, trades, times), ...KNOWN })
      if (repair === null) return
      const first = from + (repair.at % blocks.length)
      const right = repair.blocks.slice(0, to - first + 1)
      const last = first + right.length - 1
      const others = right.flatMap((content, n) => tradesOf(first + n, content))
      await stores[name].replaceRange({ from: first, to: last, trades: others, ...KNOWN, times: new Map() })
    }),
  )
}

const DAYS = [MIDNIGHT - 1, MIDNIGHT].map(dayOf)
const SPAN = { from: MIDNIGHT - 86_400, to: MIDNIGHT + 86_400 }
const SELECTIONS: Omit<CandleSelection, 'network' | 'interval'>[] = [
  ...[ONE, TWO, THREE].map((token) => ({ token, within: null, ...SPAN })),
  ...POOLS.flatMap(({ address: pool }) => [ONE, TWO, THREE].map((token) => ({ token, within: { pool }, ...SPAN }))),
  ...[ONE, TWO, THREE].flatMap((token) =>
    [ONE, TWO, THREE]
      .filter((other) => other !== token)
      .flatMap((other) => [
        { token, within: { other }, ...SPAN },
        { token, within: { other }, quote: other, ...SPAN },
      ]),
  ),
  ...POOLS.slice(0, 2).flatMap(({ address: pool, token0, token1 }) => [
    { token: token0, within: { pool }, quote: token1, ...SPAN },
    { token: token1, within: { pool }, quote: token0, ...SPAN },
  ]),
]

const decimalsOf = (token: Address | undefined) => TOKENS.find((known) => known.address === token)?.decimals ?? 0

async function begin(): Promise<Record<Followed, Chain>> {
  // A range of history can only be repaired below a final block.
  const chains = { bsc: new Chain('bsc'), polygon: new Chain('polygon') }
  for (const name of FOLLOWED) await chains[name].follow([{ depth: null, blocks: [[]] }])
  return chains
}

async function commit(scenarios: Record<Followed, Scenario>): Promise<void> {
  const chains = await begin()
  await Promise.all(
    FOLLOWED.flatMap((name) => [chains[name].follow(scenarios[name].live), fill(name, scenarios[name])]),
  )
}

const AGES = [300, 3_600, 21_600, 86_400]
const MANY = 200_001

/** Compares the counts of signers with those of Postgres, read by pools and by blocks. */
async function expectTraders(network: Followed): Promise<void> {
  const { chainId } = NETWORKS[network]
  const targets = [
    ...[ONE, TWO, THREE].map((token) => ({ token })),
    ...POOLS.flatMap(({ address: pool }) => [ONE, TWO, THREE].map((token) => ({ pool, token }))),
  ]
  for (const [to, head] of [
    [MIDNIGHT + 60, null],
    [timeOf(FIRST) + 120, FIRST + 1],
  ] as const) {
    for (const isPool of [false, true]) {
      const ofKind = targets.filter((target) => 'pool' in target === isPool)
      const counted = await Promise.all(
        ofKind.map((target) =>
          Promise.all(AGES.map((age) => distinctTraders(chainId, target, { from: to - age, to, head }))),
        ),
      )
      for (const last of [0, MANY]) {
        const requests = ofKind.map((target, n) => {
          const hops = counted[n]?.map(({ hops }) => hops) ?? []
          return { ...target, hops: last === 0 ? hops : [...hops.slice(0, 3), last] }
        })
        const found = await openReader(database).tradersOfAges(network, requests, { to, head })
        expect(found).toEqual(
          counted.map((ages) => ages.map(({ hops, ...traders }, age) => (age === 3 && last === MANY ? null : traders))),
        )
      }
    }
  }
}

async function distinctTraders(
  chainId: number,
  { pool, token }: { pool?: Hex; token: Address },
  { from, to, head }: { from: number; to: number; head: number | null },
) {
  const [row] = await rows(
    `SELECT count(*)::int AS hops, count(DISTINCT trader) FILTER (WHERE token_out = $1)::int AS buyers,
       count(DISTINCT trader) FILTER (WHERE token_in = $1 AND token_out <> $1)::int AS sellers, count(DISTINCT trader)::int AS traders
     FROM ${HOPS.text} AS hop JOIN swap USING (chain_id, block_number, transaction_index, position)
     WHERE chain_id = $2 AND hop.block_time >= to_timestamp($3) AND hop.block_time < to_timestamp($4)
       AND block_number <= $5 AND CASE WHEN $6::text IS NULL THEN $1 IN (token_in, token_out) ELSE hop.pool_key = $6::bigint END`,
    [
      Buffer.from(token.slice(2), 'hex'),
      chainId,
      from,
      to,
      head ?? 2 ** 31 - 1,
      pool ? BigInt(`0x${pool.slice(-16)}`) : null,
    ],
  )
  return row
}

/** Returns what readers other than `candles` return about candles. */
async function readOthers() {
  const reader = openReader(database)
  const found: Record<string, unknown> = {}
  for (const of of [
    ...[ONE, TWO, THREE].map((token) => ({ token })),
    ...POOLS.map(({ address: pool }) => ({ pool })),
  ]) {
    const series = { network: 'bsc', of, interval: 3_600, ...SPAN } as const
    found[`volume of ${JSON.stringify(of)}`] = await reader.volumeSeries(series)
  }
  for (const at of [timeOf(HEIGHT + 10), MIDNIGHT, timeOf(FIRST) + 60]) {
    found[`prices at ${at}`] = [...(await reader.pastPrices('bsc', [ONE, TWO, THREE], at))]
  }
  for (const now of [MIDNIGHT + 90, timeOf(FIRST)]) found[`day at ${now}`] = await lastDay(now)
  const minutes = [ONE, TWO, THREE].flatMap((token) =>
    Array.from({ length: 20 }, (_, n) => ({ token, minute: MIDNIGHT + (n - 10) * 60 })),
  )
  await reader.edge(new Map(), AbortSignal.timeout(60_000), async (edge) => {
    for (const network of edge.networks) {
      const ofMinutes = await edge.candles(network, minutes, TOKENS)
      found[`minutes ${network.network}`] = ofMinutes.sort((a, b) => a.time - b.time || (a.token < b.token ? -1 : 1))
      found[`last ${network.network}`] = [...(await edge.prices(network, TOKENS))].sort()
    }
  })
  return found
}

async function lastDay(now: number) {
  const days: { tokens: TokenDay[]; pools: PoolDay[] } = { tokens: [], pools: [] }
  await openReader(database).lastDay('bsc', now, {
    begin() {},
    takeTokens: (tokens) => void days.tokens.push(...tokens),
    takePools: (pools) => void days.pools.push(...pools),
  })
  return days
}

/** Compares the candles of these intervals with those computed from the rows, and returns them. */
async function expectCandles(intervals: readonly number[]): Promise<[CandleSelection, Candle[]][]> {
  const hops = await plainHops(database.pool)
  const reader = openReader(database)
  const compared: [CandleSelection, Candle[]][] = []
  for (const network of FOLLOWED) {
    for (const interval of intervals) {
      for (const omit of SELECTIONS) {
        const selection = { ...omit, network, interval }
        const decimals = decimalsOf(omit.token) - decimalsOf(omit.quote)
        const candles = await reader.candles(selection)
        expect(candles).toEqual(plainCandles(hops, selection, decimals))
        compared.push([selection, candles])
      }
    }
  }
  // The figures added step by step equal those of a recount.
  for (const day of DAYS) expect(await stores.bsc.compareDay(day)).toEqual([])
  return compared
}

/** Compares all that readers return, also before and after all parts that trades hold are moved into rows. */
async function expectPlain(intervals: readonly number[]): Promise<void> {
  for (const [selection, candles] of await expectCandles(intervals)) await expectCloses(selection, candles)
  for (const network of FOLLOWED) await expectTraders(network)
  const held = await readOthers()
  await database.pool.query('UPDATE swap SET parts = 0')
  for (const day of DAYS) await stores.bsc.recountDay(day)
  expect(await readOthers()).toEqual(held)
}

/** Lets some rows be as an older version wrote them: those whose number in the table is a multiple of `every`. */
async function forgetFlow(every: number): Promise<void> {
  for (const table of ['pool_candle', 'token_volume']) {
    await database.pool.query(`
      UPDATE ${table} SET buys = NULL, buy_volume_usd = NULL FROM (
        SELECT tableoid AS day, ctid AS place, row_number() OVER () AS n FROM ${table}) AS numbered
      WHERE tableoid = day AND ctid = place AND n % ${every} = 0`)
  }
  await database.pool.query('UPDATE network SET flow_unknown_to = 2147483647')
}

/** A candle either has the sums of its hops or does not know them. */
async function expectKnownOrNull(): Promise<void> {
  const hops = await plainHops(database.pool)
  for (const omit of SELECTIONS) {
    const selection = { ...omit, network: 'bsc', interval: 60 } as const
    const found = await openReader(database).candles(selection)
    const unknown = { buys: null, sells: null, buyVolumeUsd: null, sellVolumeUsd: null }
    const decimals = decimalsOf(omit.token) - decimalsOf(omit.quote)
    const plain = plainCandles(hops, selection, decimals)
    expect(found).toEqual(plain.map((candle, n) => (found[n]?.buys == null ? { ...candle, ...unknown } : candle)))
  }
}

async function fillFlow(name: Followed, trades: number): Promise<void> {
  while (await stores[name].fillOrderFlow(trades));
}

/** Expects the close before each interval to be that of the last candle before it. */
async function expectCloses(selection: CandleSelection, candles: readonly Candle[]): Promise<void> {
  const since = intervalStart(SPAN.from, selection.interval)
  const last = candles.at(-1)
  for (const from of last === undefined ? [] : [candles[0]?.time ?? 0, last.time, last.time + selection.interval]) {
    const before = candles.findLast(({ time, close }) => time < from && close !== null)
    expect(await openReader(database).closeBefore({ ...selection, from }, since)).toBe(before?.close ?? null)
  }
}

const INTERVALS = [60, 300, 86_400, 604_800]

describe('candles', () => {
  it('equal those computed from the rows, of any interval', async () => {
    await commit({ bsc: MIXED, polygon: MIXED })
    const held = await rows('SELECT count(*)::int FROM swap WHERE parts > 0 GROUP BY chain_id')
    expect(held).toEqual([{ count: 6 }, { count: 6 }])
    await expectPlain(INTERVALS)
  })

  it('have as their parts trades that hold their hop and are alone in their commit and minute', async () => {
    await commit({ bsc: PARTS, polygon: { live: [], history: [], order: [] } })
    const parts = `SELECT block_number::int - ${HEIGHT} AS block, position, parts FROM swap ORDER BY 1, 2`
    expect(await rows(parts)).toEqual([
      // One trade sells token 1 and the other one buys it.
      { block: 27, position: 0, parts: 5 },
      { block: 27, position: 1, parts: 3 },
      { block: 30, position: 0, parts: 0 },
      { block: 35, position: 0, parts: 0 },
      { block: 35, position: 1, parts: 0 },
      { block: 36, position: 0, parts: 7 },
    ])
    await expectPlain(INTERVALS)
  })

  it('have the signers of pools of the coin among those of its wrapper', async () => {
    await commit({ bsc: MIXED, polygon: { live: [], history: [], order: [] } })
    const [coin, wrapper] = [ZERO_ADDRESS, ONE].map((token) => `'\\x${token.slice(2)}'::bytea`)
    await database.pool.query(`UPDATE pool SET token1 = ${coin} WHERE token1 = ${wrapper}`)
    await database.pool.query(`UPDATE network SET wrapped_native = ${wrapper}`)
    await expectTraders('bsc')
  })

  it('of an older version have no buys until they are filled in, however the steps and other commits meet', async () => {
    await fc.assert(
      fc
        .asyncProperty(
          scenario,
          scenario,
          fc.integer({ min: 1, max: 3 }),
          fc.integer({ min: 1, max: 9 }),
          async (bsc, polygon, every, trades) => {
            const chains = await begin()
            await fill('bsc', bsc)
            await chains.bsc.follow(bsc.live)
            await forgetFlow(every)
            await expectKnownOrNull()
            await stores.bsc.fillOrderFlow(trades)
            await expectKnownOrNull()
            await Promise.all([
              fillFlow('bsc', trades),
              chains.bsc.follow(polygon.live),
              chains.polygon.follow(polygon.live),
              fill('polygon', polygon),
            ])
            await fillFlow('polygon', trades)
            expect(await rows('SELECT flow_unknown_to FROM network')).toEqual(
              FOLLOWED.map(() => ({ flow_unknown_to: null })),
            )
            await expectCandles([60])
          },
        )
        .afterEach(startAgain),
      {
        numRuns: 3 * inject('scale'),
        endOnFailure: true,
        examples: [1, 2].map((every) => [MIXED, MIXED, every, 2] as const),
      },
    )
  }, 300_000)

  it('equal those computed from the rows, after any steps of two networks (follower, history, repairs)', async () => {
    await fc.assert(
      fc
        .asyncProperty(scenario, scenario, fc.constantFrom(...INTERVALS), async (bsc, polygon, interval) => {
          await commit({ bsc, polygon })
          await expectPlain([interval])
        })
        .afterEach(startAgain),
      { numRuns: 3 * inject('scale'), endOnFailure: true },
    )
  }, 300_000)
})
