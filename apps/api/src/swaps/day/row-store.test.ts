import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { closeAfter, temporaryFolder } from '@dexfeed/test-setup'
import { hexNumber } from '@dexfeed/test-setup/seed'
import { expect, it } from 'vitest'
import type { ListedRow } from './listed-row.ts'
import { RowRenderer } from './row-renderer.ts'
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

it('what a log contains belongs to its suffix: if it changes, raise the number in SUFFIX', async () => {
  const [wrapped, token] = [hexNumber(0xa), hexNumber(0xb)]
  const renderer = new RowRenderer('bsc')
  const sold = { sellToken: wrapped, sellNative: true, sellAmount: '1200000000000000000' }
  const bought = { buyToken: token, buyNative: false, buyAmount: '345' }
  const place = { network: 'bsc', blockNumber: 7, time: 8, transactionIndex: 9, position: 10 } as const
  const swaps = [null, '2.50000000'].map((volumeUsd) => ({
    ...{ ...place, ...sold, ...bought, txHash: hexNumber(6, 64), volumeUsd, flagged: volumeUsd === null },
  }))
  const metadata = { symbol: 'É', name: 'a "token"', decimals: 2 }
  await renderer.learn(swaps, async () => [{ address: token, ...metadata }])
  const rows = swaps.flatMap((swap) => renderer.render(swap) ?? [])
  const folder = temporaryFolder()
  const store = await RowStore.open(folder)
  closeAfter(() => store.close())
  await store.write(rows, 'any name')
  const [log = ''] = await readdir(folder)
  const text = await readFile(join(folder, log, 'text'), 'utf8')
  const index = await readFile(join(folder, log, 'index'))
  // Not their values: lengths and checksums depend on the version of zlib.
  const facts = Object.keys(JSON.parse(index.toString('utf8', 4, 512)))
  const digest = hash('sha256', [text, ...facts, index.toString('utf8', 512)].join('\n'), 'base64url').slice(0, 24)
  expect([extname(log), rows.length, digest]).toEqual(['.rows2', 2, 'K-jFwblPUBWdMeoXxzyYDJqr'])
})
