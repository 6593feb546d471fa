import { gunzipSync } from 'node:zlib'
import { closeAfter, temporaryFolder } from '@dexfeed/test-setup'
import fc from 'fast-check'
import { beforeAll, expect, inject, it } from 'vitest'
import { type Encoding, type List, makeList, partsOf } from './list.ts'
import type { ListedRow } from './listed-row.ts'
import type { Cell } from './network-renderer.ts'
import { RowStore, readFully } from './row-store.ts'

let store: RowStore

beforeAll(async () => {
  store = await RowStore.open(temporaryFolder())
  closeAfter(() => store.close())
})

/** Returns a list of cells that are one row each, in memory or on disk. */
async function listOf(texts: readonly string[], isWritten: (cell: number) => boolean): Promise<List> {
  const cells: Cell[] = []
  for (const [number, json] of texts.entries()) {
    const place = { network: 'eth', blockNumber: 32 * number, transactionIndex: 0, position: 0 } as const
    const rows: ListedRow[] = [{ ...place, time: 32 * number, unpriced: false, flagged: number % 2 === 0, json }]
    const segment = isWritten(number) ? await store.write(rows) : null
    const known = { number, version: '1', readTo: Number.POSITIVE_INFINITY, unknown: [] }
    cells.push({ ...known, segment, rows: segment === null ? rows : [] })
  }
  return makeList(cells, { since: 0 }, store)
}

async function bytesOf(list: List, encoding: Encoding): Promise<Buffer> {
  const pieces = partsOf(list, encoding).map((part) =>
    typeof part === 'function' ? part() : readFully(part.file, Buffer.alloc(part.length), part.start),
  )
  return Buffer.concat(await Promise.all(pieces))
}

it('lists of different rows have different tags, even with equal counts and lengths', async () => {
  const tagOf = async (...texts: string[]) => (await listOf(texts, () => false)).tag
  const tag = await tagOf('{"a":1}', '{"b":2}')
  expect(await tagOf('{"a":1}', '{"b":2}')).toBe(tag)
  expect(await tagOf('{"a":1}', '{"b":3}')).not.toBe(tag)
  expect(await tagOf('{"a":2}', '{"b":2}')).not.toBe(tag)
})

it('cells of any lengths become one gzip member of the same bytes, in memory or on disk', async () => {
  const text = fc.oneof(fc.string({ maxLength: 300 }), fc.constant('é'.repeat(70_000)))
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 6 }), fc.nat(63), async (texts, written) => {
      const list = await listOf(texts, (cell) => (written >> cell) % 2 === 1)
      const identity = await bytesOf(list, 'identity')
      expect(identity.toString()).toBe(`[${texts.join()}]`)
      expect(list).toMatchObject({ rows: texts.length, flagged: Math.ceil(texts.length / 2), length: identity.length })
      // Also checks both sums of the trailer, and that nothing follows.
      expect(gunzipSync(await bytesOf(list, 'gzip')).equals(identity)).toBe(true)
    }),
    { numRuns: 40 * inject('scale') },
  )
})

it('cells that follow each other on disk are one range', async () => {
  const list = await listOf(['1', '2', '3', '4'], () => true)
  expect(partsOf(list, 'identity')).toHaveLength(3)
  expect(partsOf(list, 'gzip')).toHaveLength(5)
})
