import { setTimeout as delay } from 'node:timers/promises'
import { connectTo } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import type { Client } from 'pg'
import { expect, test } from 'vitest'
import type { CheckedPart } from '../src/verify/range-checker.ts'
import { byOlderRules } from './scene/older-rules.ts'
import { openStore } from './scene/open-store.ts'
import { scriptedScene } from './scene/scripted-scene.ts'

const BLOCKS = 140

async function rowsOfBlocks(client: Client): Promise<Map<number, string>> {
  const { rows } = await client.query<{ number: number; rows: string }>(`
    SELECT block_number::int AS number, string_agg(concat_ws(' ', position, transaction_index, trader, volume_usd, flags), ', '
      ORDER BY transaction_index, position) AS rows
    FROM swap GROUP BY block_number`)
  return new Map(rows.map(({ number, rows }) => [number, rows]))
}

//   rows of an older version   0 ------------------------------ 140 . . . . 170
//   an indexer of today                  <---- derived again ---|-- follows -->
test('rows that an older version made end as those of a fresh database, without a gap for readers', async () => {
  const scene = await scriptedScene('bsc', BLOCKS)
  const databaseUrl = await scene.indexed()
  const client = await connectTo(databaseUrl)
  await byOlderRules(databaseUrl, 'bsc')
  const before = await rowsOfBlocks(client)
  scene.chain.mine(30)
  const right = await scene.cleanIndex()
  const { store } = await openStore(databaseUrl, 'bsc')

  const audited: CheckedPart[] = []
  const indexer = await scene.index(databaseUrl, { onAudit: (part) => audited.push(part) })
  const seen: Map<number, string>[] = []
  let isDone = false
  const readers = (async () => {
    for (; !isDone; await delay(5)) {
      seen.push(await rowsOfBlocks(client))
      expect((await store.coveredRanges())[0]).toMatchObject({ from: 0 })
      expect((await store.coveredRanges())[0]?.to).toBeGreaterThanOrEqual(BLOCKS)
    }
  })()
  await indexer.caughtUp(scene.head())
  isDone = true
  await readers
  await indexer.stop()

  expect(await dumpTables(databaseUrl)).toEqual(right)
  // At any time, a block has all rows of one of the two versions.
  const after = await rowsOfBlocks(client)
  const blocks = Array.from({ length: BLOCKS + 1 }, (_, number) => number)
  const isOfAVersion = (rows: Map<number, string>) =>
    blocks.every((number) => [before.get(number), after.get(number)].includes(rows.get(number)))
  expect(seen.length).toBeGreaterThan(10)
  expect(seen.every(isOfAVersion)).toBe(true)
  expect(blocks.filter((number) => before.get(number) !== after.get(number)).length).toBeGreaterThan(BLOCKS / 3)
  // The audit does not report old rows.
  expect(audited.filter(({ outcome }) => outcome !== 'equal')).toEqual([])
})
