import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SwapRow } from '../tables/swap/swap-list.ts'
import { compareSwaps, mergeSwaps, placeAfter, type SwapPages } from './merge-swaps.ts'

const place = fc.record({
  network: fc.constantFrom(...NETWORK_NAMES),
  blockNumber: fc.nat(6),
  transactionIndex: fc.nat(3),
  position: fc.nat(2),
})
const rows = fc.uniqueArray(place, { selector: (row) => JSON.stringify(row), maxLength: 60 })

async function* pages(all: readonly SwapRow[], size: number): SwapPages {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size)
}

async function collect(batches: AsyncIterable<SwapRow[]>): Promise<SwapRow[]> {
  const all: SwapRow[] = []
  for await (const batch of batches) all.push(...batch)
  return all
}

const ofNetwork = (all: readonly SwapRow[], network: NetworkName) => all.filter((row) => row.network === network)

describe('merging swaps', () => {
  it('orders by block, then network, then transaction, then position, whatever the pages are', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 5 }), async (shuffled, size) => {
        const sorted = (shuffled as SwapRow[]).toSorted(compareSwaps)
        const sources = NETWORK_NAMES.map((network) => pages(ofNetwork(sorted, network), size))
        expect(await collect(mergeSwaps(sources))).toEqual(sorted)
      }),
    )
  })

  it('goes on behind a cursor with exactly the rows that come later in the list', () => {
    fc.assert(
      fc.property(rows, place, (all, cursor) => {
        for (const row of all) {
          const start = placeAfter(row.network, cursor)
          const later =
            row.blockNumber - start.blockNumber ||
            row.transactionIndex - start.transactionIndex ||
            row.position - start.position
          expect(later > 0).toBe(compareSwaps(row as SwapRow, cursor) > 0)
        }
      }),
    )
  })

  it('compares numbers, not digits', () => {
    const row = (blockNumber: number, network: NetworkName) =>
      ({ blockNumber, network, transactionIndex: 0, position: 0 }) as SwapRow
    const list = [row(100, 'eth'), row(99, 'polygon'), row(99, 'bsc'), row(99, 'eth'), row(9, 'bsc')]
    expect(list.toSorted(compareSwaps).map(({ blockNumber, network }) => `${blockNumber} ${network}`)).toEqual([
      ...['9 bsc', '99 eth', '99 bsc', '99 polygon', '100 eth'],
    ])
  })

  it('fails where a source fails', async () => {
    async function* failing(): SwapPages {
      yield [{ blockNumber: 1, network: 'eth', transactionIndex: 0, position: 0 } as SwapRow]
      throw new Error('lost')
    }
    await expect(collect(mergeSwaps([failing()]))).rejects.toThrow('lost')
  })
})
