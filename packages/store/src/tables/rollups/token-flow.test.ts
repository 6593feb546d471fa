import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Address, dayOf, type Pool, type PricedTrade } from '@dexfeed/dex'
import { tableContents } from '@dexfeed/test-setup/table-dump'
import fc from 'fast-check'
import { beforeEach, expect, inject, it } from 'vitest'
import { address, deployment, headers, hop, MIDNIGHT, POOL, sidesOf, trade, within } from '../../../test/rows/sample.ts'
import { database, fill, follow, lease, rows, startOver, store, useStore } from '../../../test/rows/scene.ts'
import { migrationsFolder } from '../../migrate/migration-history.ts'
import { ensureDayPartitions } from '../day-partition.ts'
import { flowsWithin } from './token-flow.ts'

// A token's flow through a pool is what its buyers paid in an hour, minus what its sellers got, in hops that set a
// price.

const [UNI, PEPE, USDC, WETH] = [address(1), address(2), address(3), address(0xee)] as const
const pool = (n: number, token0: Address, token1: Address, coins?: Address[]): Pool => ({
  ...POOL,
  address: address(n),
  token0,
  token1,
  ...(coins === undefined ? {} : { coins }),
})
/** Both tokens of the third pool are anchors; the fourth pool has three tokens. */
const POOLS = [
  pool(0xa1, UNI, WETH),
  pool(0xa2, UNI, PEPE),
  pool(0xa3, USDC, WETH),
  pool(0xa4, UNI, PEPE, [UNI, PEPE, USDC]),
] as const
const [UNI_WETH, UNI_PEPE, USDC_WETH, THREE] = POOLS
const TABLES = ['token_flow', 'pool_candle', 'hour_volume']
const HOUR = 3_600

useStore('bsc', 4)
beforeEach(configure)

async function configure(): Promise<void> {
  await store.configure(lease.epoch, { ...deployment('bsc'), stablecoins: [USDC] })
}

const again = () => startOver().then(configure)

interface Swap {
  of: Pool
  sold: Address
  bought: Address
  usd: bigint | null
  amount?: bigint
  flags?: number
}

const hopOf = ({ of, sold, bought, amount = 10_000n }: Swap, logIndex: number) =>
  hop(of, logIndex, { tokenIn: sold, amountIn: amount, tokenOut: bought, amountOut: 5_000n })

/** Returns a trade that consists of these swaps. With one swap, the trade's row holds its hop. */
function tradeOf(block: number, time: number, position: number, swaps: readonly [Swap, ...Swap[]]): PricedTrade {
  const [{ usd, flags = 0 }, ...more] = swaps
  const first = hopOf(swaps[0], position * 10)
  const hops = [first, ...more.map((swap, n) => hopOf(swap, position * 10 + n + 1))]
  return trade(block, time, {
    position,
    hops,
    hopsUsdE8: swaps.map(({ usd }) => usd),
    flags,
    hopsFlags: swaps.map(({ flags = 0 }) => flags),
    usdE8: usd,
    source: usd === null ? null : 'stablecoin',
    ...sidesOf(first, hops.at(-1)),
  })
}

/** Returns the stored flows as text: token key, pool key, hours after midnight, hops, USD. */
async function flows(): Promise<string[]> {
  const found = await rows(`
    SELECT concat_ws(' ', to_hex(token_key), to_hex(pool_key), extract(epoch FROM hour)::int / ${HOUR} - ${MIDNIGHT / HOUR},
      sum(hops), round(sum(net_usd), 2)) AS line
    FROM token_flow GROUP BY token_key, pool_key, hour ORDER BY token_key, pool_key, hour`)
  return found.map(({ line }) => line)
}

const DAYS = [dayOf(MIDNIGHT - 1), dayOf(MIDNIGHT)]

async function expectCounted(): Promise<void> {
  for (const day of DAYS) expect(await store.compareDay(day)).toEqual([])
}

const sell = (of: Pool, sold: Address, bought: Address, usd: bigint, over: Partial<Swap> = {}): Swap => {
  return { of, sold, bought, usd: usd * 100_000_000n, ...over }
}

it('what buyers pay counts up, what sellers get counts down, hour by hour and pool by pool', async () => {
  const trades = [
    tradeOf(1, MIDNIGHT - 1, 0, [sell(UNI_PEPE, UNI, PEPE, 7n)]),
    tradeOf(2, MIDNIGHT, 0, [sell(UNI_PEPE, PEPE, UNI, 5n)]),
    tradeOf(2, MIDNIGHT, 1, [sell(UNI_PEPE, UNI, PEPE, 2n)]),
    tradeOf(3, MIDNIGHT + HOUR - 1, 0, [sell(UNI_PEPE, UNI, PEPE, 1n)]),
    tradeOf(4, MIDNIGHT + HOUR, 0, [sell(THREE, USDC, UNI, 3n), sell(UNI_PEPE, UNI, PEPE, 3n)]),
    tradeOf(4, MIDNIGHT + HOUR, 1, [sell(THREE, PEPE, UNI, 4n)]),
  ]
  await fill(1, 4, trades, { pools: POOLS })
  expect(await flows()).toEqual([
    ...['1 a2 -1 1 -7.00', '1 a2 0 3 2.00', '1 a2 1 1 -3.00', '1 a4 1 2 7.00'],
    ...['2 a2 -1 1 7.00', '2 a2 0 3 -2.00', '2 a2 1 1 3.00', '2 a4 1 1 -4.00'],
  ])
  await expectCounted()
  const right = await flows()
  await database.pool.query('UPDATE token_flow SET net_usd = net_usd + 1 WHERE token_key = 1')
  const differences = await store.compareDay(dayOf(MIDNIGHT))
  expect(differences.map(({ table }) => table)).toEqual(['token_flow', 'token_flow', 'token_flow'])
  for (const day of DAYS) await store.recountDay(day)
  expect(await flows()).toEqual(right)
})

it('an anchor has flows through pools of anchors alone', async () => {
  const trades = [
    tradeOf(1, MIDNIGHT, 0, [sell(UNI_WETH, WETH, UNI, 5n)]),
    tradeOf(1, MIDNIGHT, 1, [sell(USDC_WETH, USDC, WETH, 2n)]),
  ]
  await fill(1, 1, trades, { pools: POOLS })
  expect(await flows()).toEqual(['1 a1 0 1 5.00', '3 a3 0 1 -2.00', 'ee a3 0 1 2.00'])
  await expectCounted()
})

it('a hop that sets no price is in no flow, and one that goes there and back leaves a flow of zero', async () => {
  const uni = (usd: bigint, over: Partial<Swap>) => sell(UNI_PEPE, UNI, PEPE, usd, over)
  const trades = [
    tradeOf(1, MIDNIGHT, 0, [uni(5n, { usd: null })]),
    tradeOf(1, MIDNIGHT, 1, [uni(5n, { usd: 999_999n })]),
    tradeOf(1, MIDNIGHT, 2, [uni(5n, { amount: 999n })]),
    tradeOf(1, MIDNIGHT, 3, [uni(5n, { flags: 4 })]),
    tradeOf(1, MIDNIGHT, 4, [sell(THREE, UNI, PEPE, 5n)]),
    tradeOf(1, MIDNIGHT, 5, [sell(THREE, PEPE, UNI, 5n)]),
  ]
  await fill(1, 1, trades, { pools: POOLS })
  expect(await flows()).toEqual(['1 a4 0 2 0.00', '2 a4 0 2 0.00'])
  await expectCounted()
})

it('a rollback and a repair take out the flows of their hops, and leave those of others', async () => {
  const sale = (block: number, usd: bigint) => tradeOf(block, MIDNIGHT + block, 0, [sell(UNI_PEPE, PEPE, UNI, usd)])
  await fill(1, 2, [sale(1, 1n), sale(2, 2n)], { pools: POOLS })
  await follow(headers(3, 4), [sale(3, 4n), sale(4, 8n)], { finalNumber: 3 })
  expect(await flows()).toEqual(['1 a2 0 4 15.00', '2 a2 0 4 -15.00'])
  await follow(headers(4, 4, 1), [], { rollbackTo: 3, finalNumber: 3 })
  expect(await flows()).toEqual(['1 a2 0 3 7.00', '2 a2 0 3 -7.00'])
  const replaced = { pools: [], tokens: [], times: new Map() }
  await store.replaceRange({ from: 2, to: 3, trades: [sale(2, 16n)], ...replaced })
  expect(await flows()).toEqual(['1 a2 0 2 17.00', '2 a2 0 2 -17.00'])
  await store.replaceRange({ from: 1, to: 3, trades: [], ...replaced })
  expect(await flows()).toEqual([])
})

/** Six minutes a block, with midnight in the middle. */
const BLOCKS = 30
const timeOf = (block: number) => MIDNIGHT + (block - BLOCKS / 2) * 360
const timesOf = (from: number, to: number) => ({ fromTime: timeOf(from), toTime: timeOf(to) })

const swap: fc.Arbitrary<Swap> = fc
  .record({
    of: fc.constantFrom(...POOLS),
    isTurned: fc.boolean(),
    usd: fc.option(fc.bigInt({ min: 0n, max: 10n ** 12n }), { freq: 6 }),
    amount: fc.bigInt({ min: 900n, max: 10n ** 12n }),
    flags: fc.constantFrom(0, 0, 0, 4),
  })
  .map(({ of, isTurned, ...rest }) => {
    const [sold, bought] = isTurned ? [of.token1, of.token0] : [of.token0, of.token1]
    return { of, sold, bought, ...rest }
  })
const route = fc.tuple(swap, swap).chain(([one, other]) => fc.constantFrom<[Swap, ...Swap[]]>([one], [one, other]))
const drafts = fc.array(fc.tuple(fc.integer({ min: 1, max: BLOCKS }), route), { minLength: 15, maxLength: 40 })
const tradesOf = (made: readonly (readonly [number, [Swap, ...Swap[]]])[]) =>
  made.map(([block, swaps], position) => tradeOf(block, timeOf(block), position, swaps))

/** Returns the contents of an empty database after one history commit. */
async function cleanly(trades: readonly PricedTrade[]) {
  await fill(1, BLOCKS, trades, { ...timesOf(1, BLOCKS), pools: POOLS })
  const contents = await tableContents(database.pool, TABLES)
  await expectCounted()
  await again()
  return contents
}

//   history, in parts and any order | the follower | rolled back and followed again
//   1 ------------------------- first ------- cut ------- 30
it('flows are the same in any order, after a rollback, after a repair and as the migration makes them', async () => {
  const cuts = fc.tuple(fc.integer({ min: 4, max: BLOCKS - 4 }), fc.integer({ min: 1, max: 4 }), fc.boolean())
  await fc.assert(
    fc
      .asyncProperty(drafts, drafts, cuts, async (made, wrong, [first, partBlocks, isBackwards]) => {
        const [right, other] = [tradesOf(made), tradesOf(wrong)]
        const clean = await cleanly(right)
        const parts = Array.from({ length: Math.ceil(first / partBlocks) }, (_, n) => ({
          from: n * partBlocks + 1,
          to: Math.min((n + 1) * partBlocks, first),
        }))
        const cut = Math.ceil((first + BLOCKS) / 2)
        const followAll = async () => {
          const blocks = headers(first + 1, BLOCKS, 0, timeOf)
          await follow(blocks, within(other, first + 1, BLOCKS), { finalNumber: first }, { pools: POOLS })
          const live = { rollbackTo: cut - 1, finalNumber: BLOCKS }
          await follow(headers(cut, BLOCKS, 1, timeOf), within(right, cut, BLOCKS), live)
        }
        if (isBackwards) await followAll()
        for (const { from, to } of isBackwards ? parts.toReversed() : parts) {
          await fill(from, to, within(other, from, to), { ...timesOf(from, to), pools: POOLS })
        }
        if (!isBackwards) await followAll()
        await expectCounted()
        // Repairs the blocks below the cut, some of them together.
        const ends = [0, 2, first, cut - 1]
        for (const [n, to] of ends.slice(1).entries()) {
          const from = (ends[n] ?? 0) + 1
          const replacement = { from, to, trades: within(right, from, to), pools: POOLS, tokens: [], times: new Map() }
          if (from <= to) await store.replaceRange(replacement)
        }
        expect(await tableContents(database.pool, TABLES)).toEqual(clean)
        await expectCounted()

        await database.pool.query('DROP TABLE token_flow')
        const sql = await readFile(join(migrationsFolder(), '20261129150000_token_flow', 'migration.sql'), 'utf8')
        await database.pool.query(sql)
        expect(await tableContents(database.pool, TABLES)).toEqual(clean)
      })
      .afterEach(again),
    { numRuns: inject('scale') },
  )
}, 300_000)

it('reading the flows of a token reads no rows of others', async () => {
  await ensureDayPartitions(database, [dayOf(MIDNIGHT)])
  await database.prisma.$executeRaw`INSERT INTO token_flow (chain_id, token_key, hour, pool_key, part, hops, net_usd)
    SELECT 56, n % 1000, to_timestamp(${MIDNIGHT}) + n % 4 * interval '1 hour', n, 0, 1, 1
    FROM generate_series(1, 4000) AS n`
  await database.prisma.$executeRaw`ANALYZE token_flow`
  const query = flowsWithin(56, [{ token: UNI, from: MIDNIGHT - 24 * HOUR, to: MIDNIGHT + 6 * HOUR }])
  const plan = await database.prisma.$queryRaw<Record<string, string>[]>`EXPLAIN ${query}`
  const lines = plan.flatMap((row) => Object.values(row))
  expect(lines.filter((line) => line.includes('Index Cond'))).toEqual([expect.stringContaining('token_key = ')])
})
