import { open as openFile, readdir, readFile, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { DAY_S, NETWORK_NAMES } from '@dexfeed/dex'
import { createLogger } from '@dexfeed/service'
import { type Database, openDatabase, openReader, READER_ROLE, type Reader } from '@dexfeed/store'
import { closeAfter, connectTo, temporaryFolder, testDatabase } from '@dexfeed/test-setup'
import { seedSwaps } from '@dexfeed/test-setup/seed'
import fc from 'fast-check'
import type { Client } from 'pg'
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import type { Changes } from '../src/service/change-feed.ts'
import { partsOf, type Selection } from '../src/swaps/day/list.ts'
import type { Part } from '../src/swaps/day/piece.ts'
import { RenderedDay } from '../src/swaps/day/rendered-day.ts'
import { RowStore, readFully } from '../src/swaps/day/row-store.ts'
import { NOON } from './api-fixture.ts'
import { expectedList } from './expected-list.ts'
import { IndexedWorld, LATE, step } from './indexed-world.ts'

let url: string
let owner: Client
let database: Database
let folder: string
let day: RenderedDay | null = null
let time = NOON

beforeAll(async () => {
  url = await testDatabase()
  owner = await connectTo(url)
  const options = { applicationName: 'test-lists', role: READER_ROLE, readOnly: true, max: 4 }
  const opened = await openDatabase(url, options)
  closeAfter(() => opened.close())
  database = opened
})

beforeEach(async () => {
  folder = temporaryFolder()
  await owner.query('TRUNCATE network, swap, liquidity_event, pool, pool_creation, token, list_cell CASCADE')
  time = NOON
})

afterEach(async () => {
  await day?.stop()
  day = null
})

async function open(): Promise<RenderedDay> {
  await day?.stop()
  day = new RenderedDay({
    reader: breakable(openReader(database)),
    store: await RowStore.open(folder),
    changes: ANNOUNCED,
    log: createLogger({ name: 'test', level: 'silent' }),
    now: () => time,
    freshMs: 0,
    patienceMs: 60_000,
  })
  return day
}

/** Returns an indexed world, and its list. */
async function begin(): Promise<{ world: IndexedWorld; current: RenderedDay }> {
  const world = new IndexedWorld(owner)
  await world.begin()
  return { world, current: await open() }
}

/** Changes are announced only by `announce`. */
const listeners = new Set<() => void>()
const announce = () => {
  for (const listener of listeners) listener()
}
const ANNOUNCED: Changes = {
  subscribe(listener) {
    const notify = () => listener({ network: null })
    listeners.add(notify)
    return () => void listeners.delete(notify)
  },
}

/** How often the rows of lists were read. */
let snapshots = 0

/** Whether reading the rows of a list fails halfway. */
let isBroken = false

function breakable(reader: Reader): Reader {
  const broken = (): never => {
    throw new Error('the connection was cut')
  }
  return {
    ...reader,
    listSnapshot(signal, work) {
      snapshots++
      return reader.listSnapshot(signal, (snapshot) => work(isBroken ? { ...snapshot, rows: broken } : snapshot))
    },
  }
}

async function bytesOf(parts: readonly Part[]): Promise<Buffer> {
  const pieces = parts.map((part) =>
    typeof part === 'function' ? part() : readFully(part.file, Buffer.alloc(part.length), part.start),
  )
  return Buffer.concat(await Promise.all(pieces))
}

async function listOf(from: RenderedDay, selection: Selection): Promise<{ text: string; tag: string }> {
  const list = await from.list(await from.current(selection.since), selection)
  const identity = await bytesOf(partsOf(list, 'identity'))
  expect(identity.length).toBe(list.length)
  expect(gunzipSync(await bytesOf(partsOf(list, 'gzip'))).equals(identity)).toBe(true)
  const rows = JSON.parse(identity.toString())
  expect(list.rows).toBe(rows.length)
  return { text: identity.toString(), tag: list.tag }
}

async function expectLists(from: RenderedDay): Promise<void> {
  const since = time - DAY_S
  for (const network of [undefined, ...NETWORK_NAMES]) {
    const selection = { since, ...(network && { network }) }
    expectSame((await listOf(from, selection)).text, await expectedList(owner, since, network))
  }
}

/** Reports only the first row that differs. */
function expectSame(text: string, expected: string): void {
  if (text === expected) return
  const [rows, right] = [text, expected].map((list): { block_number: string }[] => JSON.parse(list)) as [
    object[],
    object[],
  ]
  const at = right.findIndex((row, index) => JSON.stringify(row) !== JSON.stringify(rows[index]))
  expect({ rows: rows.length, at, row: rows[at] }).toEqual({ rows: right.length, at, row: right[at] })
}

/** Shortens a file, overwrites the beginning of a second, and changes a letter in a third. */
async function damage(): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const files = await Promise.all(paths.map(async (path) => ({ path, bytes: await readFile(path) })))
  // The names are random, so that a failing seed would damage other files next time.
  const [first, second, third] = files.sort((a, b) => a.bytes.compare(b.bytes))
  if (first !== undefined) await truncate(first.path, Math.floor(first.bytes.length / 2))
  if (second !== undefined) await overwrite(second.path, 0, 'not ours')
  const middle = third === undefined ? 0 : Math.floor(third.bytes.length / 2)
  if (third !== undefined) await overwrite(third.path, middle, String(third.bytes[middle] === 48 ? 1 : 0))
}

async function overwrite(path: string, position: number, text: string): Promise<void> {
  const file = await openFile(path, 'r+')
  await file.write(text, position)
  await file.close()
}

const RUNS = inject('scale')

describe('the rendered day', () => {
  it('equals a plain query, after anything that happens to a database, over restarts', async () => {
    await fc.assert(
      fc
        .asyncProperty(fc.array(step, { minLength: 8, maxLength: 14 }), async (steps) => {
          const world = new IndexedWorld(owner)
          await world.begin()
          let current = await open()
          await expectLists(current)
          for (const step of steps) {
            if (step.kind === 'damage') await damage()
            if (step.kind === 'restart' || step.kind === 'damage') current = await open()
            else if (step.kind === 'time') time += step.seconds
            else await world.take(step)
            await expectLists(current)
          }
          // Another process, which has rendered nothing before, returns the same in the same pieces.
          const selection = { since: time - DAY_S }
          const mine = await listOf(current, selection)
          const other = await open()
          expect(await listOf(other, selection)).toEqual(mine)
        })
        .beforeEach(async () => {
          await owner.query('TRUNCATE network, swap, liquidity_event, pool, pool_creation, token, list_cell CASCADE')
          for (const log of await readdir(folder)) await rm(join(folder, log), { recursive: true })
          time = NOON
        }),
      { numRuns: RUNS, endOnFailure: true },
    )
  }, 300_000)
})

describe('without requests, a list', () => {
  const grow = { kind: 'grow', network: 'eth', blocks: 5, final: 0 } as const

  it('is rendered after a notified change', async () => {
    const { world, current } = await begin()
    await current.firstRound
    const before = snapshots
    await world.take(grow)
    announce()
    await expect.poll(() => snapshots).toBe(before + 1)
    await expectLists(current)
    // A request found it rendered.
    expect(snapshots).toBe(before + 1)
  })

  it('is tried again after a failure, without a further notification', async () => {
    const { world, current } = await begin()
    await current.firstRound
    await world.take(grow)
    const before = snapshots
    isBroken = true
    announce()
    await expect.poll(() => snapshots).toBeGreaterThan(before + 1)
    isBroken = false
    await expectLists(current)
  })

  it('no longer listens once it was stopped', async () => {
    await open()
    expect(listeners.size).toBe(1)
    await day?.stop()
    expect(listeners.size).toBe(0)
  })
})

it('a rendering that fails leaves the list as it was', async () => {
  const { world, current } = await begin()
  await expectLists(current)
  await world.take({ kind: 'grow', network: 'eth', blocks: 5, final: 0 })
  isBroken = true
  await expect(current.current(NOON)).rejects.toThrow('the connection was cut')
  isBroken = false
  await expectLists(current)
})

it('the window cuts the rows of each network anywhere', async () => {
  const { current } = await begin()
  // A block takes five minutes. The oldest rows leave the window, then others, until the cells end elsewhere.
  time += DAY_S - 130 * 300
  for (let move = 0; move < 6; move++) {
    time += 13 * 300
    await expectLists(current)
  }
})

it('rows whose tokens become known later are added to a list that begins with them', async () => {
  const world = new IndexedWorld(owner)
  await world.begin()
  // Whole cells at the window's beginning have only rows of an unknown token.
  const swaps = Array.from(
    { length: 40 },
    (_, at) => ({ network: 'bsc', block: 800 + at, sell: LATE, buy: LATE }) as const,
  )
  await seedSwaps(
    owner,
    swaps.map((swap) => ({ ...swap, time: NOON - DAY_S + swap.block })),
  )
  const current = await open()
  await expectLists(current)
  await world.take({ kind: 'grow', network: 'bsc', blocks: 3, final: 0 })
  await expectLists(current)
  await world.take({ kind: 'learn', network: 'bsc' })
  await expectLists(current)
})

it('rows are listed even if no follower runs', async () => {
  const { current } = await begin()
  await expectLists(current)
  // As a repair leaves it.
  await owner.query(`UPDATE network SET head_number = NULL, head_hash = NULL, head_time = NULL,
    chain_head_number = NULL, chain_head_time = NULL`)
  await expectLists(current)
  await expectLists(await open())
})

it('a list continues after any of its rows', async () => {
  const { current } = await begin()
  const since = time - DAY_S
  const whole = JSON.parse((await listOf(current, { since })).text)
  const { rows } = await owner.query(
    `SELECT name, block_number::int AS block, transaction_index AS transaction FROM swap JOIN network USING (chain_id)
     WHERE block_time >= to_timestamp($1) ORDER BY md5(tx_hash::text) LIMIT 40`,
    [since],
  )
  for (const { name, block, transaction } of rows) {
    const after = { network: name, blockNumber: block, transactionIndex: transaction, position: 0 }
    const rest = JSON.parse((await listOf(current, { since, after })).text)
    expect(rest).toEqual(whole.slice(whole.length - rest.length))
    const { rows: later } = await owner.query(
      `SELECT count(*)::int AS count FROM swap s JOIN network n USING (chain_id)
       LEFT JOIN token a ON a.chain_id = s.chain_id AND a.address = sell_token
       LEFT JOIN token b ON b.chain_id = s.chain_id AND b.address = buy_token
       WHERE block_time >= to_timestamp($1) AND (sell_native OR a.decimals IS NOT NULL) AND (buy_native OR b.decimals IS NOT NULL)
         AND (block_number, array_position($5::text[], n.name), transaction_index) > ($2, array_position($5::text[], $3), $4)`,
      [since, block, name, transaction, NETWORK_NAMES],
    )
    expect(rest).toHaveLength(later[0].count)
  }
})
