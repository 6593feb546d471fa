import { NETWORK_NAMES } from '@dexfeed/dex'
import { closeAfter, connectTo, testDatabase } from '@dexfeed/test-setup'
import { hexNumber, type SeedSwap, seedNetwork, seedSwaps, seedTokens } from '@dexfeed/test-setup/seed'
import type { Client } from 'pg'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase, openReader, type SwapRow } from '../src/index.ts'

// Block n of every network has the time T + 12 n. The window begins at block 50.
//
//   eth      |....50==================================== final 190 ---- head 200
//   bsc      |....50==================================== final 198 - head 200
//   polygon  |....50================================================ final = head 200
const T = Date.UTC(2026, 10, 20, 23, 50) / 1000
const timeOf = (block: number) => T + 12 * block
const SINCE = timeOf(50)
const A = hexNumber(0xa)
const B = hexNumber(0xb)
const FINAL = { eth: 190, bsc: 198, polygon: 200 } as const

let url: string
let owner: Client
let database: Database

beforeEach(async () => {
  url = await testDatabase()
  const opened = await openDatabase(url, { applicationName: 'test-reader', readOnly: true, max: 4 })
  closeAfter(() => opened.close())
  database = opened
  owner = await connectTo(url)
})

async function seedChains(swapsPerBlock = 2): Promise<SeedSwap[]> {
  const swaps: SeedSwap[] = []
  for (const network of ['eth', 'bsc', 'polygon'] as const) {
    await seedNetwork(owner, {
      network,
      wrapped: A,
      start: { number: 1, time: timeOf(1) },
      head: { number: 200, time: timeOf(200) },
      final: FINAL[network],
      covered: [[1, 200, timeOf(1), timeOf(200)]],
    })
    for (let block = 1; block <= 200; block++) {
      for (let transaction = 0; transaction < swapsPerBlock; transaction++) {
        swaps.push({
          ...{ network, block, time: timeOf(block), transaction, sell: A, buy: B },
          usd: transaction === 0 ? '1.50000000' : null,
        })
      }
    }
  }
  await seedSwaps(owner, swaps)
  return swaps
}

const rank = ({ network }: SeedSwap) => NETWORK_NAMES.indexOf(network)

function expected(swaps: readonly SeedSwap[]): string[] {
  return swaps
    .filter((swap) => swap.time >= SINCE)
    .toSorted((a, b) => a.block - b.block || rank(a) - rank(b) || (a.transaction ?? 0) - (b.transaction ?? 0))
    .map((swap) => `${swap.block} ${swap.network} ${swap.transaction ?? 0}`)
}

const nameOf = (row: SwapRow) => `${row.blockNumber} ${row.network} ${row.transactionIndex}`

async function collect(batches: AsyncIterable<SwapRow[]>): Promise<string[]> {
  const names: string[] = []
  for await (const batch of batches) names.push(...batch.map(nameOf))
  return names
}

describe('window of swaps', () => {
  it.each([
    [{ pageRows: 7, maxTailRows: 1000 }],
    [{ pageRows: 1000, maxTailRows: 1000 }],
    [{ pageRows: 16, maxTailRows: 3 }],
  ])('gives exactly the rows of the window in order with %j', async (options) => {
    const swaps = await seedChains()
    const window = await openReader(database, options).swapWindow({ since: SINCE })
    expect(window.unsure.unpriced).toBe(3 * 151)
    expect(await collect(window.batches)).toEqual(expected(swaps))
  })

  it('takes exactly the second that the window begins with', async () => {
    await seedChains(1)
    const first = async (since: number) => {
      const { batches } = await openReader(database).swapWindow({ since, network: 'eth' })
      return (await collect(batches))[0]
    }
    expect(await first(SINCE)).toBe('50 eth 0')
    expect(await first(SINCE + 1)).toBe('51 eth 0')
  })

  it('finds rows whose block times run against their numbers', async () => {
    await seedChains(1)
    await seedSwaps(owner, [
      { network: 'eth', block: 45, time: SINCE + 1, transaction: 7, sell: A, buy: B },
      { network: 'eth', block: 60, time: SINCE - 1, transaction: 7, sell: A, buy: B },
    ])
    const { batches } = await openReader(database).swapWindow({ since: SINCE, network: 'eth' })
    const names = await collect(batches)
    expect(names[0]).toBe('45 eth 7')
    expect(names).not.toContain('60 eth 7')
  })

  it('is empty without networks, without rows, and when all rows are older', async () => {
    const reader = openReader(database)
    expect(await collect((await reader.swapWindow({ since: SINCE })).batches)).toEqual([])
    await seedNetwork(owner, { network: 'eth', wrapped: A, start: { number: 1, time: timeOf(1) } })
    expect(await collect((await reader.swapWindow({ since: SINCE })).batches)).toEqual([])
    await seedSwaps(owner, [{ network: 'eth', block: 1, time: timeOf(1), sell: A, buy: B }])
    expect(await collect((await reader.swapWindow({ since: SINCE })).batches)).toEqual([])
  })

  it('leaves out a network that is no longer indexed', async () => {
    const swaps = await seedChains(1)
    await owner.query("UPDATE network SET active = false WHERE name = 'bsc'")
    const window = await openReader(database).swapWindow({ since: SINCE })
    expect(window.networks.map(({ network }) => network)).toEqual(['eth', 'polygon'])
    expect(await collect(window.batches)).toEqual(expected(swaps.filter(({ network }) => network !== 'bsc')))
  })

  it('counts as unpriced only what can be listed', async () => {
    await seedChains(0)
    await seedTokens(owner, 'eth', [{ address: B, symbol: 'B', name: 'B', decimals: null }])
    await seedSwaps(owner, [
      { network: 'eth', block: 60, time: timeOf(60), sell: A, buy: B },
      { network: 'eth', block: 61, time: timeOf(61), sell: A, buy: B, buyNative: true },
    ])
    expect((await openReader(database).swapWindow({ since: SINCE })).unsure.unpriced).toBe(1)
  })

  it('adds up from pages to the whole list, for any size of page', async () => {
    const swaps = await seedChains()
    const reader = openReader(database)
    for (const limit of [7, 100, 906, 5000]) {
      const names: string[] = []
      for (let after: SwapRow | undefined; ; ) {
        const page = await reader.swapPage({ since: SINCE, ...(after && { after }) }, limit)
        names.push(...page.rows.map(nameOf))
        after = page.rows.at(-1)
        if (!page.more) break
        expect(page.rows).toHaveLength(limit)
      }
      expect(names).toEqual(expected(swaps))
    }
  })

  it('shows nothing of a reorg that comes while it is read', async () => {
    const swaps = await seedChains()
    const { batches } = await openReader(database, { pageRows: 10 }).swapWindow({ since: SINCE })
    const names = (await batches.next()).value?.map(nameOf) ?? []
    await owner.query('BEGIN')
    await owner.query('DELETE FROM swap WHERE chain_id = 1 AND block_number > 190')
    await seedSwaps(owner, [{ network: 'eth', block: 195, time: timeOf(195), transaction: 99, sell: A, buy: B }])
    await owner.query('UPDATE network SET reorgs = reorgs + 1 WHERE chain_id = 1')
    await owner.query('COMMIT')
    expect([...names, ...(await collect(batches))]).toEqual(expected(swaps))
  })

  it('breaks off on a reorg when the reorgable part is too long to be held', async () => {
    await seedChains()
    const { batches } = await openReader(database, { pageRows: 10, maxTailRows: 3 }).swapWindow({ since: SINCE })
    await batches.next()
    await owner.query('UPDATE network SET reorgs = reorgs + 1 WHERE chain_id = 1')
    await expect(collect(batches)).rejects.toMatchObject({ retryable: true })
  })

  it('holds no transaction while its reader pauses', async () => {
    await seedChains()
    const { batches } = await openReader(database, { pageRows: 10 }).swapWindow({ since: SINCE })
    await batches.next()
    await expect
      .poll(async () => {
        const { rows } = await owner.query(
          `SELECT state, backend_xmin FROM pg_stat_activity
           WHERE application_name = 'test-reader' AND (state <> 'idle' OR backend_xmin IS NOT NULL)`,
        )
        return rows
      })
      .toEqual([])
    await batches.return(undefined)
  })

  it('cancels its statement when the caller gives up', async () => {
    await seedChains()
    const gone = new AbortController()
    const lock = await owner.query('BEGIN').then(() => owner.query('LOCK TABLE swap IN ACCESS EXCLUSIVE MODE'))
    expect(lock.command).toBe('LOCK')
    const window = openReader(database).swapWindow({ since: SINCE, signal: gone.signal })
    const watcher = await connectTo(url)
    const waiting = async () => {
      const { rows } = await watcher.query(
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'test-reader' AND state <> 'idle'`,
      )
      return rows.length
    }
    await expect.poll(waiting).toBe(1)
    gone.abort(new Error('gone'))
    await expect(window).rejects.toThrow('gone')
    await expect.poll(waiting).toBe(0)
    await owner.query('ROLLBACK')
  })
})
