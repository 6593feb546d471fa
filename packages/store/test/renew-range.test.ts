import { openReader, RangeNotSettled } from '@dexfeed/store'
import { tableContents } from '@dexfeed/test-setup/table-dump'
import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { address, anyParts, filling, header, headers, hop, MIDNIGHT, POOL, trade, within } from './rows/sample.ts'
import { database, fill, follow, rows, startOver, store, useStore } from './rows/scene.ts'

const BLOCKS = 60

useStore('bsc', 4, BLOCKS)

/** Midnight is in the middle. */
const timeOf = (block: number) => MIDNIGHT + (block - BLOCKS / 2) * 12
const timesOf = (from: number, to: number) => ({ fromTime: timeOf(from), toTime: timeOf(to) })
const blocks = Array.from({ length: BLOCKS }, (_, index) => index + 1)

/**
 * The trades of the blocks under the current rules, and under older ones: with other values, flags, traders and rows.
 */
const RIGHT = blocks.flatMap((block) =>
  Array.from({ length: block % 3 }, (_, position) =>
    trade(block, timeOf(block), { position, trader: trader(block), hops: [priced(position)] }),
  ),
)
const OLD = blocks.flatMap((block) =>
  Array.from({ length: (block * 5) % 4 }, (_, position) => {
    const moves = position === 0 ? [{ token: address(7), isWhole: true }] : []
    const usdE8 = BigInt(block) * 1_000_000n
    const value = { usdE8, hopsUsdE8: [usdE8], hops: [priced(position)], flags: block % 2, moves }
    return trade(block, timeOf(block), { position, trader: trader(block + position), ...value })
  }),
)

/** A hop that sets a price, and so has a flow. */
function priced(position: number) {
  return hop(POOL, position, { amountIn: 10_000n, amountOut: 20_000n })
}

function trader(n: number) {
  return address(0xb0 + (n % 7))
}

const renewal = (from: number, to: number) => filling(from, to, within(RIGHT, from, to), timesOf(from, to))

async function fillByOlderRules() {
  await fill(1, BLOCKS, OLD, timesOf(1, BLOCKS))
  await database.pool.query('UPDATE covered_range SET rules = 0')
}

describe('rows of older rules', () => {
  it('end as the rows of today, in whatever parts and order they are derived again', async () => {
    await store.commitHistory(renewal(1, BLOCKS))
    const right = await tableContents(database.pool)
    expect(right.token_flow).not.toEqual([])
    await fc.assert(
      fc.asyncProperty(anyParts(BLOCKS, 6), async (chunks) => {
        await startOver()
        await fillByOlderRules()
        for (const { from, to } of chunks) {
          await store.renew(renewal(from, to))
          // Readers never see a gap.
          expect(await store.coveredRanges()).toEqual([{ from: 1, to: BLOCKS, ...timesOf(1, BLOCKS) }])
        }
        expect(await store.oldRanges()).toEqual([])
        expect(await tableContents(database.pool)).toEqual(right)
      }),
      { numRuns: 4 * inject('scale') },
    )
  })

  it('are left alone by blocks that follow, and by history beside them', async () => {
    await fillByOlderRules()
    await fill(BLOCKS + 1, BLOCKS + 5, [], timesOf(BLOCKS + 1, BLOCKS + 5))
    expect(await store.oldRanges()).toEqual([{ from: 1, to: BLOCKS }])
    expect(await store.coveredRanges()).toEqual([{ from: 1, to: BLOCKS + 5, ...timesOf(1, BLOCKS + 5) }])
    const [network] = await openReader(database).networks()
    expect(network).toMatchObject({ oldBlocks: BLOCKS, covered: [{ from: 1, to: BLOCKS + 5 }] })
  })

  it('keep their version through a rollback, and what comes in their place has the new one', async () => {
    await fill(1, BLOCKS, OLD, timesOf(1, BLOCKS))
    await follow(headers(61, 64, 0, timeOf), [], { finalNumber: BLOCKS })
    await database.pool.query('UPDATE covered_range SET rules = 0')
    await follow(headers(63, 64, 1, timeOf), [], { finalNumber: BLOCKS, rollbackTo: 62 })
    expect(await store.oldRanges()).toEqual([{ from: 1, to: 62 }])
    expect(await store.coveredRanges()).toEqual([{ from: 1, to: 64, ...timesOf(1, 64) }])
    await expect(store.renew(renewal(50, 62))).rejects.toBeInstanceOf(RangeNotSettled)
  })

  it('are replaced once, whoever is faster', async () => {
    await fillByOlderRules()
    await Promise.all([store.renew(renewal(20, 40)), store.renew(renewal(20, 40))])
    const cells = () => rows('SELECT * FROM list_cell ORDER BY cell')
    const before = await cells()
    await store.renew(renewal(30, 40))
    expect(await cells()).toEqual(before)
    expect(await store.oldRanges()).toEqual([
      { from: 1, to: 19 },
      { from: 41, to: BLOCKS },
    ])
  })

  it('stay where a block waits for the key of a pool', async () => {
    await fillByOlderRules()
    const covered = [
      { from: 20, to: 29, ...timesOf(20, 29) },
      { from: 31, to: 40, ...timesOf(31, 40) },
    ]
    const trades = within(RIGHT, 20, 40).filter(({ blockNumber }) => blockNumber !== 30)
    await store.renew({ ...renewal(20, 40), trades, covered, awaiting: [{ number: 30, pools: [address(9)] }] })
    expect(await store.oldRanges()).toEqual([
      { from: 1, to: 19 },
      { from: 30, to: 30 },
      { from: 41, to: BLOCKS },
    ])
    const stored = await store.storedTrades({ from: 30, to: 30 })
    expect(stored).toHaveLength(OLD.filter(({ blockNumber }) => blockNumber === 30).length)
  })

  it('give their cells of the list a new version, unless they are too old for it', async () => {
    await fillByOlderRules()
    const cells = () => rows('SELECT cell::int FROM list_cell ORDER BY cell')
    await database.pool.query('TRUNCATE list_cell')
    await store.renew(renewal(40, BLOCKS))
    expect(await cells()).toEqual([{ cell: 1 }])
    await follow([header(61, timeOf(61) + 3 * 86_400)], [], { finalNumber: BLOCKS })
    await store.renew(renewal(1, 39))
    expect(await cells()).toEqual([{ cell: 1 }])
  })
})
