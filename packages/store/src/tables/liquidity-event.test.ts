import { expect, it } from 'vitest'
import { address, filling, MIDNIGHT, trade } from '../../test/rows/sample.ts'
import { database, rows, store, useStore } from '../../test/rows/scene.ts'
import { newLiquidity, readNewLiquidity } from './liquidity-event.ts'
import { timesOfBlocks } from './swap/swap-list.ts'

useStore('bsc', 4)

const POOLS = 200
const EVENTS = 10_000

/** Stores the same pools on two networks, of which those with an odd number are young, with events a second apart. */
async function fillEvents(): Promise<void> {
  const ofPool = (number: string) => `decode(lpad(to_hex(${number}), 40, '0'), 'hex')`
  await database.pool.query(`
    INSERT INTO pool_creation (chain_id, pool, block_number, block_time, transaction_index, tx_hash)
    SELECT chain_id, ${ofPool('n')}, n, to_timestamp(${MIDNIGHT} + n % 2), 0, decode(repeat('ab', 32), 'hex')
    FROM generate_series(1, ${POOLS}) AS n CROSS JOIN unnest('{1,56}'::int[]) AS chain_id`)
  await database.pool.query(`
    INSERT INTO liquidity_event (chain_id, block_number, log_index, block_time, transaction_index, tx_hash, pool, added,
      amounts, value_usd)
    SELECT chain_id, n / 2, n, to_timestamp(${MIDNIGHT} + n / 2), 0, decode(repeat('ab', 32), 'hex'),
      ${ofPool(`n % ${POOLS} + 1`)}, n % 3 > 0, '{}', nullif(n % 7, 3) * chain_id
    FROM generate_series(1, ${EVENTS}) AS n CROSS JOIN unnest('{1,56}'::int[]) AS chain_id`)
}

it('the liquidity of new pools is summed up pool by pool, also without statistics', async () => {
  await fillEvents()
  const pools = Array.from({ length: 30 }, (_, n) => address(POOLS - 20 + n))
  const summed = await readNewLiquidity(database.prisma, 56, pools, MIDNIGHT)
  const expected = await rows(`
    SELECT '0x' || encode(pool, 'hex') || ' ' || round(sum(CASE WHEN added THEN value_usd ELSE -value_usd END) * 1e8) AS line
    FROM liquidity_event JOIN pool_creation AS creation USING (chain_id, pool)
    WHERE chain_id = 56 AND creation.block_time > to_timestamp(${MIDNIGHT})
      AND pool >= decode('${address(POOLS - 20).slice(2)}', 'hex')
    GROUP BY pool ORDER BY pool`)
  expect(expected).toHaveLength(10)
  expect([...summed].map((each) => each.join(' ')).sort()).toEqual(expected.map(({ line }) => line))
  const { text, values } = newLiquidity(56, pools, MIDNIGHT)
  const found = await database.pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values)
  const plan = found.rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan).toMatch(/Scan (using|on) liquidity_event_pool_idx/)
  expect(plan).toMatch(/using pool_creation_pkey/)
  expect(plan).not.toMatch(/liquidity_event_(pkey|time_idx)|Seq Scan/)
})

it('the first and last times of blocks are those of their trades and events', async () => {
  await fillEvents()
  const timesOf = (from: number, to: number) => timesOfBlocks(database.prisma, 'bsc', { from, to })
  expect(await timesOf(10, 20)).toEqual({ from: MIDNIGHT + 10, to: MIDNIGHT + 20 })
  expect(await timesOf(EVENTS, EVENTS + 5)).toBeNull()
  const trades = [EVENTS + 1, EVENTS + 4].map((block) => trade(block, MIDNIGHT + block))
  const times = { fromTime: MIDNIGHT + EVENTS, toTime: MIDNIGHT + EVENTS + 5 }
  await store.commitHistory({ ...filling(EVENTS, EVENTS + 5, trades, times), moves: [] })
  expect(await timesOf(EVENTS, EVENTS + 5)).toEqual({ from: MIDNIGHT + EVENTS + 1, to: MIDNIGHT + EVENTS + 4 })
  await database.pool.query(`
    UPDATE liquidity_event SET block_number = block_number + ${EVENTS}, block_time = block_time + interval '${EVENTS} s'
    WHERE block_number BETWEEN 2 AND 3`)
  expect(await timesOf(EVENTS, EVENTS + 5)).toEqual({ from: MIDNIGHT + EVENTS + 1, to: MIDNIGHT + EVENTS + 4 })
})
