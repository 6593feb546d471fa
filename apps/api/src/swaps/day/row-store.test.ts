import { closeAfter, temporaryFolder } from '@dexfeed/test-setup'
import { expect, it } from 'vitest'
import type { ListedRow } from './listed-row.ts'
import { RowStore } from './row-store.ts'

function rowOf(blockNumber: number, json: string): ListedRow {
  const place = { network: 'eth', blockNumber, transactionIndex: 0, position: 0 } as const
  return { ...place, time: 0, unpriced: false, flagged: false, json }
}

it('rows can be read although others push them out of memory meanwhile', async () => {
  const store = await RowStore.open(temporaryFolder())
  closeAfter(() => store.close())
  // Three of these fit. A fifth is larger than all that is kept.
  const lengths = [10, 10, 10, 10, 40].map((megabytes) => megabytes * 1_000_000)
  const rows = lengths.map((length, block) => [rowOf(block, 'x'.repeat(length))])
  const segments = []
  for (const each of rows) segments.push(await store.write(each))
  for (let turn = 0; turn < 2; turn++) {
    const read = await Promise.all(segments.map((segment) => store.rowsOf({ segment, rows: [] })))
    expect(read.map((found) => found.map(({ json }) => json.length))).toEqual(lengths.map((length) => [length]))
  }
})
