import { openIndexerStore } from '@dexfeed/store'
import { beforeAll, describe, expect, it } from 'vitest'
import { filling, hash, MIDNIGHT, startWriter, trade } from './rows/sample.ts'
import { database, openForFile, rows } from './rows/scene.ts'

/** A check constraint, or the type itself for Infinity in a column of 78 digits. */
const REFUSED = /^(23514|22003)$/
const UNIQUE = '23505'
const MAX = 2n ** 256n - 1n

openForFile(3)
beforeAll(async () => {
  const store = openIndexerStore(database, 'eth')
  const lease = await startWriter(store, 'eth')
  await store.commitHistory(filling(1, 1, [trade(1, MIDNIGHT)]))
  await lease.release()
})

/** Copies the only swap to another place, with some columns replaced. */
async function insertSwap(change: Record<string, string>): Promise<void> {
  const values: Record<string, string> = { position: '1', ...change }
  const columns = [
    ...['chain_id', 'block_number', 'transaction_index', 'position', 'block_time', 'tx_hash', 'trader', 'sell_token'],
    ...['sell_native', 'sell_amount', 'buy_token', 'buy_native', 'buy_amount', 'volume_usd', 'usd_source', 'flags'],
    'settled_for',
  ]
  const list = columns.map((column) => values[column] ?? column)
  await database.pool.query(
    `INSERT INTO swap (${columns.join(', ')}) SELECT ${list.join(', ')} FROM swap WHERE position = 0`,
  )
}

describe('the tables refuse', () => {
  it.each([
    ['NaN as an amount', { sell_amount: "'NaN'" }],
    ['Infinity as an amount', { buy_amount: "'Infinity'" }],
    ['a negative amount', { sell_amount: '-1' }],
    ['an amount above uint256', { buy_amount: (MAX + 1n).toString() }],
    ['NaN as a volume', { volume_usd: "'NaN'" }],
    ['Infinity as a volume', { volume_usd: "'Infinity'" }],
    ['a negative volume', { volume_usd: '-0.00000001' }],
    ['a volume with other than eight fractional digits', { volume_usd: '1.5' }],
    ['a volume without a source', { usd_source: 'NULL' }],
    ['a settled account that is not an address', { settled_for: "'\\x01'" }],
    ['a source without a volume', { volume_usd: 'NULL' }],
    ['a short hash', { tx_hash: "'\\x00'" }],
    ['a long trader', { trader: `'\\x${hash(1).slice(2)}'` }],
  ])('%s', async (_, change) => {
    await expect(insertSwap(change)).rejects.toMatchObject({ code: expect.stringMatching(REFUSED) })
  })

  it('a trade that is already stored', async () => {
    await expect(insertSwap({ position: '0' })).rejects.toMatchObject({ code: UNIQUE })
  })

  it.each([
    `UPDATE day_total SET swaps = swaps - 2`,
    `UPDATE day_total SET volume_usd = 'NaN'`,
    `UPDATE day_total SET volume_usd = -1`,
    'UPDATE day_trader SET networks = 0',
    'UPDATE day_trader SET networks = -1',
    `UPDATE day_address_count SET networks = 0`,
    `UPDATE day_address_count SET addresses = -1`,
    `UPDATE covered_range SET from_block = to_block + 1`,
    `INSERT INTO pool_state (chain_id, pool, block_number, revision, reserve0, reserve1) VALUES (1, '\\x01', 1, 1, 'NaN', 1)`,
    `INSERT INTO pool_state (chain_id, pool, block_number, revision, reserve0, reserve1) VALUES (1, '\\x01', 1, 1, -1, 1)`,
    `INSERT INTO pool_state (chain_id, pool, block_number, revision, reserve0, tick) VALUES (1, '\\x01', 1, 1, 1, 1)`,
    `INSERT INTO pool_tick (chain_id, pool, tick, block_number, revision, gross, net) VALUES (1, '\\x01', 0, 1, 1, -1, 0)`,
    `INSERT INTO pool_tick (chain_id, pool, tick, block_number, revision, gross, net) VALUES (1, '\\x01', 0, 1, 1, 1, 'NaN')`,
  ])('%s', async (sql) => {
    await expect(database.pool.query(sql)).rejects.toMatchObject({ code: expect.stringMatching(REFUSED) })
  })
})

it('a day holds a dozen volumes of the largest uint256 without an overflow', async () => {
  const store = openIndexerStore(database, 'eth')
  const day = MIDNIGHT + 86_400
  const trades = Array.from({ length: 12 }, (_, position) => trade(2, day, { position, usdE8: MAX }))
  await store.commitHistory(filling(2, 2, trades))
  await store.commitHistory(filling(3, 3, [trade(3, day, { usdE8: MAX })]))
  const volume = '(volume_usd * 100000000)::numeric(200, 0)::text AS volume'
  const stored = await rows(`SELECT ${volume} FROM day_total WHERE day = '2026-11-21'`)
  expect(stored).toEqual([{ volume: (13n * MAX).toString() }])
})
