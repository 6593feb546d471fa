import { connectTo, testDatabase } from '@dexfeed/test-setup'
import { hexNumber, seedNetwork, seedSwaps } from '@dexfeed/test-setup/seed'
import type { Client } from 'pg'
import { beforeEach, describe, expect, it } from 'vitest'
import { open } from '../../test/rows/sample.ts'
import { type Database, openReader, READER_ROLE } from '../index.ts'

// Block n has the time T + 12 n; midnight is among them. The window begins at block 50.
const T = Date.UTC(2026, 10, 20, 23, 50) / 1000
const timeOf = (block: number) => T + 12 * block
const SINCE = timeOf(50)
const A = hexNumber(0xa)
const B = hexNumber(0xb)
const never = new AbortController().signal

let url: string
let owner: Client
let database: Database

beforeEach(async () => {
  url = await testDatabase()
  database = await open(url, { applicationName: 'test-reader', readOnly: true, max: 4 })
  owner = await connectTo(url)
  await seedNetwork(owner, {
    network: 'eth',
    wrapped: A,
    start: { number: 1, time: timeOf(1) },
    final: 190,
    head: { number: 200, time: timeOf(200) },
  })
})

const swap = (block: number, transaction: number, time = timeOf(block)) =>
  ({ network: 'eth', block, time, transaction, sell: A, buy: B }) as const

/** Returns the rows of the window's blocks that are new enough. */
async function readWindow(since: number, signal = never, from = database): Promise<string[]> {
  return openReader(from).listSnapshot(signal, async (snapshot) => {
    const [network] = snapshot.networks
    const window = network === undefined ? null : await snapshot.window(network, since)
    const names: string[] = []
    if (network === undefined || window === null) return names
    for await (const page of snapshot.rows(network, window.from, window.to)) {
      for (const row of page) if (row.time >= since) names.push(`${row.blockNumber} ${row.transactionIndex}`)
    }
    return names
  })
}

describe('the rows of a list', () => {
  it('are those of the window, in order, over any number of pages', async () => {
    const swaps = []
    for (let block = 1; block <= 200; block++) for (let at = 0; at < 30; at++) swaps.push(swap(block, at))
    await seedSwaps(owner, swaps)
    const expected = swaps.filter(({ block }) => block >= 50).map(({ block, transaction }) => `${block} ${transaction}`)
    expect(await readWindow(SINCE)).toEqual(expected)
  })

  it('take exactly the second that the window begins with', async () => {
    await seedSwaps(owner, [swap(50, 0), swap(51, 0)])
    expect(await readWindow(SINCE)).toEqual(['50 0', '51 0'])
    expect(await readWindow(SINCE + 1)).toEqual(['51 0'])
  })

  it('are found if block times run against block numbers', async () => {
    const swaps = Array.from({ length: 200 }, (_, at) => swap(at + 1, 0))
    await seedSwaps(owner, [...swaps, swap(45, 7, SINCE + 1), swap(60, 7, SINCE - 1)])
    const names = await readWindow(SINCE)
    expect(names[0]).toBe('45 7')
    expect(names).not.toContain('60 7')
  })

  it('hold nothing without rows, and when all are older', async () => {
    expect(await readWindow(SINCE)).toEqual([])
    await seedSwaps(owner, [swap(1, 0)])
    expect(await readWindow(SINCE)).toEqual([])
  })

  it('belong to one snapshot', async () => {
    await seedSwaps(owner, [swap(60, 0), swap(61, 0)])
    await openReader(database).listSnapshot(never, async (snapshot) => {
      const [network] = snapshot.networks
      if (network === undefined) throw new Error('there is a network')
      await owner.query('DELETE FROM swap')
      await owner.query('UPDATE network SET reorgs = 9')
      const pages = []
      for await (const page of snapshot.rows(network, 0, 100)) pages.push(...page)
      expect(pages).toHaveLength(2)
      expect(network.reorgs).toBe(0)
    })
  })

  it.each([null, READER_ROLE])('are not awaited by a caller that aborts (role %s)', async (role) => {
    const reader = await open(url, { applicationName: 'test-reader', role, readOnly: true, max: 2 })
    const gone = new AbortController()
    await owner.query('BEGIN')
    await owner.query('LOCK TABLE swap IN ACCESS EXCLUSIVE MODE')
    const reading = readWindow(SINCE, gone.signal, reader)
    const watcher = await connectTo(url)
    const waiting = async () => {
      const { rows } = await watcher.query(
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'test-reader' AND wait_event_type = 'Lock'`,
      )
      return rows.length
    }
    await expect.poll(waiting).toBe(1)
    gone.abort(new Error('gone'))
    await expect(reading).rejects.toThrow('gone')
    await expect.poll(waiting).toBe(0)
    await owner.query('ROLLBACK')
  })
})

describe('the state of lists', () => {
  const stamps = async () => {
    const { networks } = await openReader(database).listStamps(new Map())
    return networks.map(({ stamp, history }) => ({ stamp, history }))
  }

  it.each([
    ['a version of a cell', 'INSERT INTO list_cell VALUES (1, 3, 77, now())', true],
    ['the version of the network', 'UPDATE network SET list_version = list_version + 1', true],
    ['a rollback', 'UPDATE network SET reorgs = reorgs + 1', true],
    ['a head', 'UPDATE network SET head_number = 201', false],
    ['another head of the same number', "UPDATE network SET head_hash = decode(repeat('77', 32), 'hex')", false],
    ['what is final', 'UPDATE network SET final_number = 191', false],
  ])('detects %s', async (_name, sql, changesHistory) => {
    const [before] = await stamps()
    expect(await stamps()).toEqual([before])
    await owner.query(sql)
    const [after] = await stamps()
    expect(after?.stamp).not.toBe(before?.stamp)
    expect(after?.history !== before?.history).toBe(changesHistory)
  })

  it('has the active networks, and reports when an unknown token has been stored', async () => {
    await seedNetwork(owner, { network: 'bsc', wrapped: A, start: { number: 1, time: timeOf(1) }, active: false })
    const reader = openReader(database)
    const unknown = new Map([['eth', [B]]] as const)
    const before = await reader.listStamps(unknown)
    expect(before).toMatchObject({ networks: [{ network: 'eth' }], hasNewTokens: false })
    await owner.query("INSERT INTO token VALUES (1, $1, 'B', 'B', 2)", [Buffer.from(B.slice(2), 'hex')])
    expect((await reader.listStamps(unknown)).hasNewTokens).toBe(true)
  })
})
