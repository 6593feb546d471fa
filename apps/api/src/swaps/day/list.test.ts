import { gunzipSync } from 'node:zlib'
import { closeAfter, temporaryFolder } from '@dexfeed/test-setup'
import fc from 'fast-check'
import { beforeAll, expect, inject, it } from 'vitest'
import { type Cell, type CellLog, CellStore } from './cell-store.ts'
import { type Coding, type List, makeList } from './list.ts'
import type { ListedRow } from './listed-row.ts'

let store: CellStore
let log: CellLog

beforeAll(async () => {
  store = await CellStore.open(temporaryFolder())
  log = store.log()
  closeAfter(() => store.close())
})

function row(blockNumber: number, json: string): ListedRow {
  const place = { network: 'eth', blockNumber, transactionIndex: 0, position: 0 } as const
  return { ...place, time: blockNumber, unpriced: false, flagged: false, json }
}

async function listOf(...texts: readonly string[]): Promise<List> {
  const cells: Cell[] = []
  for (const [number, text] of texts.entries()) {
    const facts = { number, version: '1', isComplete: true, unknown: [], youngest: 32 * number }
    cells.push(await log.write(facts, [row(32 * number, text)]))
  }
  return makeList(cells, { since: 0 }, store, log)
}

async function bytesOf(list: List, coding: Coding): Promise<Buffer> {
  const pieces = list
    .parts(coding)
    .map((part) => ('file' in part ? part.file.read(Buffer.alloc(part.length), part.start) : part))
  return Buffer.concat(await Promise.all(pieces))
}

it('lists of different rows have different tags, even with equal counts and lengths', async () => {
  const { tag } = await listOf('{"a":1}', '{"b":2}')
  expect((await listOf('{"a":1}', '{"b":2}')).tag).toBe(tag)
  expect((await listOf('{"a":1}', '{"b":3}')).tag).not.toBe(tag)
  expect((await listOf('{"a":2}', '{"b":2}')).tag).not.toBe(tag)
})

it('cells of any lengths become one gzip member of the same bytes', async () => {
  const text = fc.oneof(fc.string({ maxLength: 300 }), fc.constant('é'.repeat(700_000)))
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 6 }), async (texts) => {
      const list = await listOf(...texts)
      const identity = await bytesOf(list, 'identity')
      expect(identity.toString()).toBe(`[${texts.join()}]`)
      expect(list.length).toBe(identity.length)
      // Also checks both sums of the trailer, and that nothing follows.
      expect(gunzipSync(await bytesOf(list, 'gzip')).equals(identity)).toBe(true)
    }),
    { numRuns: 40 * inject('scale') },
  )
})

it('cells that follow each other are one range', async () => {
  const list = await listOf('1', '2', '3', '4')
  expect(list.parts('identity')).toHaveLength(3)
})
