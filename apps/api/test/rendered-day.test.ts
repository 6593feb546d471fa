import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { DAY_S, NETWORK_NAMES } from '@dexfeed/dex'
import { createLogger } from '@dexfeed/service'
import { type Database, openDatabase, openReader, READER_ROLE, type Reader } from '@dexfeed/store'
import { closeAfter, connectTo, testDatabase } from '@dexfeed/test-setup'
import { seedSwaps } from '@dexfeed/test-setup/seed'
import fc from 'fast-check'
import type { Client } from 'pg'
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import type { Changes } from '../src/service/change-feed.ts'
import { planList } from '../src/swaps/day/list/list-plan.ts'
import type { Selection } from '../src/swaps/day/list/list-state.ts'
import { RenderedDay } from '../src/swaps/day/rendered-day.ts'
import { SegmentStore } from '../src/swaps/day/segment-store.ts'
import { type BodyPart, bodyOf, identityLength } from '../src/swaps/list-body.ts'
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
  folder = await mkdtemp(join(tmpdir(), 'dexfeed-lists-'))
  await owner.query('TRUNCATE network, swap, token, list_cell CASCADE')
  time = NOON
})

afterEach(async () => {
  await day?.stop()
  day = null
  await rm(folder, { recursive: true, force: true })
})

async function open(): Promise<RenderedDay> {
  await day?.stop()
  day = new RenderedDay({
    ...{ reader: breakable(openReader(database)), store: await SegmentStore.open(folder), changes: ANNOUNCED },
    ...{ log: createLogger({ name: 'test', level: 'silent' }), now: () => time, lengthS: DAY_S },
    ...{ freshMs: 0, patienceMs: 60_000 },
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

async function bytesOf(parts: Iterable<BodyPart>): Promise<Buffer> {
  const pieces = [...parts].map(async (part) => {
    if ('bytes' in part) return part.bytes()
    return (await readFile(part.path)).subarray(part.start, part.start + part.length)
  })
  return Buffer.concat(await Promise.all(pieces))
}

async function listOf(from: RenderedDay, selection: Selection): Promise<{ text: string; tag: string }> {
  const plan = await from.plan(await from.current(selection.since), selection)
  const identity = await bytesOf(bodyOf(plan, 'identity'))
  expect(identity.length).toBe(identityLength(plan))
  expect(gunzipSync(await bytesOf(bodyOf(plan, 'gzip'))).equals(identity)).toBe(true)
  const rows = JSON.parse(identity.toString())
  expect(plan.rows).toBe(rows.length)
  return { text: identity.toString(), tag: plan.tag }
}

/** Checks all lists. */
async function expectLists(from: RenderedDay): Promise<void> {
  const since = time - DAY_S
  for (const network of [undefined, ...NETWORK_NAMES]) {
    const selection = { since, ...(network && { network }) }
    expectSame((await listOf(from, selection)).text, await expectedList(owner, since, network))
  }
}

/** Shows only the difference. */
function expectSame(text: string, expected: string): void {
  if (text === expected) return
  const [rows, right] = [text, expected].map((list): { block_number: string }[] => JSON.parse(list)) as [
    object[],
    object[],
  ]
  const at = right.findIndex((row, index) => JSON.stringify(row) !== JSON.stringify(rows[index]))
  expect({ rows: rows.length, at, row: rows[at] }).toEqual({ rows: right.length, at, row: right[at] })
}

/** Shortens a file, overwrites a second, and changes a letter in a third. */
async function damage(): Promise<void> {
  const names = (await readdir(folder)).filter((file) => file.endsWith('.rows'))
  const files = await Promise.all(names.map(async (name) => ({ name, bytes: await readFile(join(folder, name)) })))
  // The names are random, so that a failing seed would damage other files next time.
  const [first, second, third] = files.sort((a, b) => a.bytes.compare(b.bytes))
  if (first !== undefined) await truncate(join(folder, first.name), 100)
  if (second !== undefined) await writeFile(join(folder, second.name), 'not ours')
  if (third === undefined) return
  third.bytes.writeUInt8(third.bytes.readUInt8(5) ^ 1, 5)
  await writeFile(join(folder, third.name), third.bytes)
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
          await owner.query('TRUNCATE network, swap, token, list_cell CASCADE')
          for (const file of await readdir(folder)) await rm(join(folder, file))
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

it('final rows go into files even if no follower runs', async () => {
  const { current } = await begin()
  await expectLists(current)
  const files = async () => (await readdir(folder)).filter((file) => file.endsWith('.rows'))
  const written = await files()
  expect(written.length).toBeGreaterThan(0)
  await day?.stop()
  await rm(folder, { recursive: true })
  // As a repair leaves it.
  await owner.query(`UPDATE network SET head_number = NULL, head_hash = NULL, head_time = NULL,
    chain_head_number = NULL, chain_head_time = NULL`)
  await expectLists(await open())
  expect((await files()).length).toBeGreaterThanOrEqual(written.length)
})

it('a list continues after any of its rows', async () => {
  const { current } = await begin()
  const since = time - DAY_S
  const state = await current.current(since)
  const whole = JSON.parse((await listOf(current, { since })).text)
  const { rows } = await owner.query(
    `SELECT name, block_number::int AS block, transaction_index AS transaction FROM swap JOIN network USING (chain_id)
     WHERE block_time >= to_timestamp($1) ORDER BY md5(tx_hash::text) LIMIT 40`,
    [since],
  )
  for (const { name, block, transaction } of rows) {
    const after = { network: name, blockNumber: block, transactionIndex: transaction, position: 0 }
    const plan = await planList(state, { since, after }, current.store)
    const rest = JSON.parse((await bytesOf(bodyOf(plan, 'identity'))).toString())
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

it('rows are rendered again if their files are gone', async () => {
  const { world, current } = await begin()
  await expectLists(current)
  for (const file of await readdir(folder)) await rm(join(folder, file))
  await expect(listOf(current, { since: time - DAY_S })).rejects.toThrow('ENOENT')
  await current.store.sweep()
  await world.take({ kind: 'grow', network: 'eth', blocks: 1, final: 0 })
  await expectLists(current)
})
