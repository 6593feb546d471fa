import { dayOf, type Pool, type PricedTrade } from '@dexfeed/dex'
import { openReader, type PoolDay, type TokenDay } from '@dexfeed/store'
import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { address, headers, hop, MIDNIGHT, POOL, sidesOf, TOKEN, trade, within } from '../../../test/rows/sample.ts'
import { database, fill, follow, rows, startOver, store, useStore } from '../../../test/rows/scene.ts'

// What the readers of candles return must not depend on which parts trades hold.

const [ONE, TWO, THREE] = [address(1), address(2), address(3)]
const TOKENS = [ONE, TWO, THREE].map((token, n) => ({ ...TOKEN, address: token, decimals: [18, 6, 0][n] ?? 0 }))
const POOLS: Pool[] = [
  { ...POOL, token0: ONE, token1: TWO },
  { ...POOL, address: address(0xa1), token0: TWO, token1: THREE },
  { ...POOL, address: address(0xa2), token0: ONE, token1: THREE },
]
/** Half a minute per block, with midnight in the middle. */
const BLOCKS = 60
const timeOf = (number: number) => MIDNIGHT + (number - BLOCKS / 2) * 30
const END = timeOf(BLOCKS)

useStore('bsc', 4)

interface Draft {
  block: number
  pool: number
  isTurned: boolean
  amount: bigint
  usd: bigint | null
  isTwice: boolean
}

const draft: fc.Arbitrary<Draft> = fc.record({
  block: fc.integer({ min: 1, max: BLOCKS }),
  pool: fc.integer({ min: 0, max: POOLS.length - 1 }),
  isTurned: fc.boolean(),
  amount: fc.bigInt({ min: 900n, max: 10n ** 12n }),
  usd: fc.option(fc.bigInt({ min: 0n, max: 10n ** 12n }), { freq: 6 }),
  isTwice: fc.boolean(),
})

function toTrade({ block, pool, isTurned, amount, usd, isTwice }: Draft, position: number): PricedTrade {
  const of = POOLS[pool] ?? POOL
  const [tokenIn, tokenOut] = isTurned ? [of.token1, of.token0] : [of.token0, of.token1]
  const first = hop(of, position * 2, { tokenIn, amountIn: amount, tokenOut, amountOut: 5_000n })
  const hops = isTwice ? [first, { ...first, logIndex: position * 2 + 1 }] : [first]
  return trade(block, timeOf(block), {
    ...{ position, hops, hopsUsdE8: hops.map(() => usd), usdE8: usd, source: usd === null ? null : 'stablecoin' },
    ...sidesOf(first),
  })
}

const KNOWN = { pools: POOLS, tokens: TOKENS }

/** Commits the blocks up to `first` as history, a few at a time, and the others as the follower does. */
async function commit(trades: readonly PricedTrade[], first: number, partBlocks: number): Promise<void> {
  for (let from = 1; from <= first; from += partBlocks) {
    const to = Math.min(from + partBlocks - 1, first)
    await fill(from, to, within(trades, from, to), { fromTime: timeOf(from), toTime: timeOf(to), ...KNOWN })
  }
  if (first === BLOCKS) return
  await follow(headers(first + 1, BLOCKS, 0, timeOf), within(trades, first + 1, BLOCKS), {}, KNOWN)
}

/** Returns everything that readers return about candles. */
async function readAll() {
  const reader = openReader(database)
  const span = { from: MIDNIGHT - 86_400, to: MIDNIGHT + 86_400 }
  const tokens = [ONE, TWO, THREE]
  const withins = [null, ...POOLS.map(({ address: pool }) => ({ pool })), ...tokens.map((other) => ({ other }))]
  const found: Record<string, unknown> = {}
  for (const token of tokens) {
    for (const [n, within] of withins.entries()) {
      if (within !== null && 'other' in within && within.other === token) continue
      found[`candles ${token} ${n}`] = await reader.candles({ network: 'bsc', token, within, interval: 60, ...span })
    }
    const of = { token }
    found[`volume ${token}`] = await reader.volumeSeries({ network: 'bsc', of, interval: 3_600, ...span })
  }
  for (const { address: pool } of POOLS) {
    const of = { pool }
    found[`volume ${pool}`] = await reader.volumeSeries({ network: 'bsc', of, interval: 3_600, ...span })
  }
  for (const at of [timeOf(1) + 300, MIDNIGHT, END + 60]) {
    found[`prices at ${at}`] = [...(await reader.pastPrices('bsc', tokens, at))]
  }
  for (const now of [MIDNIGHT + 90, END]) found[`day ${now}`] = await readDay(now)
  const minutes = tokens.flatMap((token) =>
    Array.from({ length: BLOCKS / 2 + 1 }, (_, n) => ({ token, minute: timeOf(0) + n * 60 })),
  )
  await reader.edge(new Map(), AbortSignal.timeout(60_000), async (edge) => {
    for (const network of edge.networks) {
      const ofMinutes = await edge.candles(network, minutes, TOKENS)
      found.minutes = ofMinutes.sort((a, b) => a.time - b.time || (a.token < b.token ? -1 : 1))
      found.last = [...(await edge.prices(network, TOKENS))].sort()
    }
  })
  return found
}

async function readDay(now: number) {
  const days: { tokens: TokenDay[]; pools: PoolDay[] } = { tokens: [], pools: [] }
  await openReader(database).lastDay('bsc', now, {
    begin() {},
    takeTokens: (tokens) => void days.tokens.push(...tokens),
    takePools: (_, pools) => void days.pools.push(...pools),
  })
  return days
}

/** Compares what readers return before and after all parts are moved into rows. */
async function expectSame(): Promise<void> {
  const held = await readAll()
  await database.pool.query('UPDATE swap SET parts = 0')
  for (const day of [dayOf(MIDNIGHT - 1), dayOf(MIDNIGHT)]) await store.recountDay(day)
  expect(held).toEqual(await readAll())
}

it('all readers return the same, whether trades hold parts of candles or not', async () => {
  await fc.assert(
    fc
      .asyncProperty(
        fc.array(draft, { minLength: 30, maxLength: 50 }),
        fc.integer({ min: 10, max: BLOCKS }),
        fc.integer({ min: 1, max: 12 }),
        async (drafts, first, partBlocks) => {
          await commit(drafts.map(toTrade), first, partBlocks)
          await expectSame()
        },
      )
      .afterEach(startOver),
    { numRuns: inject('scale') },
  )
}, 300_000)

it('a trade sets the last price in the minute of an earlier row', async () => {
  const alone = { pool: 0, isTurned: false, usd: 10n ** 9n, isTwice: false }
  // Blocks 2 and 3 are in the same minute, but not in the same commit.
  const drafts = [10_000n, 20_000n, 40_000n].map((amount, n) => ({ ...alone, amount, block: n < 2 ? 2 : 3 }))
  await commit(drafts.map(toTrade), BLOCKS, 2)
  expect(await rows('SELECT DISTINCT parts FROM swap ORDER BY parts')).toEqual([{ parts: 0 }, { parts: 7 }])
  await expectSame()
})

it('only a trade that holds its hop, and is alone in its commit and minute, is a part itself', async () => {
  const alone = { pool: 0, isTurned: false, amount: 10_000n, usd: 10n ** 9n, isTwice: false }
  const drafts: Draft[] = [
    { ...alone, block: 1 },
    { ...alone, block: 3, isTwice: true },
    { ...alone, block: 5 },
    { ...alone, block: 5, pool: 1 },
    { ...alone, block: 8 },
    { ...alone, block: 8 },
  ]
  await commit(drafts.map(toTrade), BLOCKS, 2)
  const parts = 'SELECT block_number::int AS block, position, parts FROM swap ORDER BY block_number, position'
  expect(await rows(parts)).toEqual([
    { block: 1, position: 0, parts: 7 },
    { block: 3, position: 1, parts: 0 },
    // One trade buys token 2 and the other one sells it.
    { block: 5, position: 2, parts: 3 },
    { block: 5, position: 3, parts: 5 },
    { block: 8, position: 4, parts: 0 },
    { block: 8, position: 5, parts: 0 },
  ])
  await expectSame()
})
