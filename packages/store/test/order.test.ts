import { openIndexerStore } from '@dexfeed/store'
import { tableContents } from '@dexfeed/test-setup/table-dump'
import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { emptyTables } from './rows/empty-tables.ts'
import { address, anyParts, filling, MIDNIGHT, TOKEN, trade, within } from './rows/sample.ts'
import { database, useDatabase } from './rows/scene.ts'

const BLOCKS = 60

useDatabase(4)

const trades = Array.from({ length: BLOCKS }, (_, block) => block + 1).flatMap((block) =>
  Array.from({ length: block % 4 }, (_, position) =>
    // Every tenth block time goes back, and midnight is in the middle.
    trade(block, timeOf(block), {
      position,
      trader: address((block * 7 + position) % 11),
      ...(position === 0 ? { moves: [7, 8].map((token) => ({ token: address(token), isWhole: block % 3 > 0 })) } : {}),
      ...(block % 5 === 0 ? { usdE8: null, source: null } : { usdE8: BigInt(block * 1_000_003 + position) }),
    }),
  ),
)

function timeOf(block: number): number {
  return MIDNIGHT + (block - BLOCKS / 2) * 12 - (block % 10 === 0 ? 20 : 0)
}

/** Commits the chunks one after the other. */
async function index(chunks: readonly { from: number; to: number }[]): Promise<void> {
  const store = openIndexerStore(database, 'bsc')
  for (const { from, to } of chunks) {
    const times = { fromTime: timeOf(from), toTime: timeOf(to) }
    await store.commitHistory({ ...filling(from, to, within(trades, from, to), times), tokens: [TOKEN] })
  }
}

it('the order and size of commits makes no difference to what the tables hold', async () => {
  await index([{ from: 1, to: BLOCKS }])
  const whole = await tableContents(database.pool)
  expect(whole.covered_range).toHaveLength(1)
  expect(whole.token_move?.length).toBeGreaterThan(BLOCKS)
  expect(whole.liquidity_event).toHaveLength(trades.length)
  await fc.assert(
    fc.asyncProperty(anyParts(BLOCKS, 8), async (chunks) => {
      await emptyTables(database.pool)
      await index(chunks)
      expect(await tableContents(database.pool)).toEqual(whole)
    }),
    { numRuns: 4 * inject('scale') },
  )
})
