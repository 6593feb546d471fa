import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { NETWORKS } from '@dexfeed/dex'
import { createLogger } from '@dexfeed/service'
import { openLakeStore, type RowsOfDay } from '@dexfeed/store'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import type { Manifest } from '../src/manifest.ts'
import type { ObjectStore } from '../src/objects/object-store.ts'
import { readManifests } from '../src/read-manifests.ts'
import type { DayWriter } from '../src/write-day.ts'
import { compareLake } from '../src/write-lake.ts'
import { anyTrades, DATE, DAY, dayWriter, fillWorld, NETWORK, openWorld, type World, writeDay1 } from './lake-world.ts'
import { type Lines, lakeDay, plainDay } from './plain-day.ts'

let world: World
const LOG = createLogger({ name: 'lake', level: 'silent', to: new PassThrough(), format: 'json' })

beforeAll(async () => {
  world = await openWorld()
  const [trades = []] = fc.sample(anyTrades, { numRuns: 1, seed: 1 })
  await fillWorld(world, trades)
})

beforeEach(async () => {
  await world.database.pool.query('TRUNCATE lake_day')
  for (const file of filesIn(world.lake)) await world.objects.delete(file)
})

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile())

const due = () => openLakeStore(world.database).dueDays(NETWORK)

/** What a reader finds. Throws if a manifest names a file that is not as it says. */
async function readLake(): Promise<Manifest | null> {
  const [manifest = null] = await readManifests(world.objects, NETWORK)
  for (const { file, sha256 } of Object.values(manifest?.tables ?? {})) {
    expect(
      createHash('sha256')
        .update(readFileSync(join(world.lake, file)))
        .digest('hex'),
    ).toBe(sha256)
  }
  return manifest
}

async function expectWhole(manifest: Manifest | null): Promise<void> {
  if (manifest === null) throw new Error('the day was not written')
  expect(await readLake()).toEqual(manifest)
  const files = Object.values(manifest.tables).map(({ file }) => file)
  expect(filesIn(world.lake).sort()).toEqual([...files, `manifests/network=${NETWORK}/date=${DATE}.json`].sort())
  const plain = await plainDay(world.database.pool, DATE)
  const written = await lakeDay(world.lake, manifest)
  const compared = Object.keys(written).filter((table) => table in plain && !['pools', 'tokens'].includes(table))
  expect(compared.length).toBeGreaterThan(6)
  const only = (lines: Lines) => compared.map((table) => lines[table])
  expect(only(written)).toEqual(only(plain))
}

/** Returns a writer that fails once, just after a step that changed something; 0 is the first step. */
function failingAfter(step: number): { writer: DayWriter; hasFailed: () => boolean } {
  let left = step
  let hasFailed = false
  const stepped = <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) => {
    return async (...args: Args): Promise<T> => {
      const result = await work(...args)
      if (left-- === 0) {
        hasFailed = true
        throw new Error('killed')
      }
      return result
    }
  }
  const { store, objects, ...others } = dayWriter(world)
  const failing: ObjectStore = {
    ...objects,
    putFile: stepped(objects.putFile),
    putText: stepped(objects.putText),
    delete: stepped(objects.delete),
  }
  const rowsOfDay: DayWriter['store']['rowsOfDay'] = (network, day, signal, work) =>
    store.rowsOfDay(network, day, signal, (rows: RowsOfDay) => work({ copy: stepped(rows.copy) }))
  const writer = {
    ...others,
    objects: failing,
    store: { ...store, beginDay: stepped(store.beginDay), rowsOfDay, confirmDay: stepped(store.confirmDay) },
  }
  return { writer, hasFailed: () => hasFailed }
}

describe('a day', () => {
  // Without an older version, and with one, whose files are deleted.
  it.each([false, true])('is written whole after a failure at each step (again: %s)', async (isAgain) => {
    const stride = inject('scale') === 1 ? 4 : 1
    for (let step = isAgain ? 2 : 0; ; step += stride) {
      await world.database.pool.query('TRUNCATE lake_day')
      const before = isAgain ? await writeDay1(world) : null
      const { writer, hasFailed } = failingAfter(step)
      const result = await writeDay1(world, writer).catch((error: Error) => error)
      if (!hasFailed()) {
        await expectWhole(result as Manifest)
        break
      }
      // A delete that fails only leaves files.
      if (result instanceof Error) expect(result).toEqual(new Error('killed'))
      // A reader finds the old version, the new one, or nothing.
      const seen = await readLake()
      if (before !== null) expect(seen).not.toBeNull()
      if ((await due()).includes(DAY)) await expectWhole(await writeDay1(world))
      else {
        await compareLake({ ...writer, store: openLakeStore(world.database), objects: world.objects, log: LOG })
        await expectWhole(seen)
      }
    }
  })

  it('is written again if its rows change, also while it is being written', async () => {
    const first = await writeDay1(world)
    expect(await due()).not.toContain(DAY)
    const change = () =>
      world.database.pool.query('UPDATE lake_day SET is_changed = true WHERE chain_id = $1', [
        NETWORKS[NETWORK].chainId,
      ])
    await change()
    expect(await due()).toContain(DAY)
    const { objects } = world
    const putText: ObjectStore['putText'] = async (key, text) => {
      await objects.putText(key, text)
      await change()
    }
    expect(await writeDay1(world, { objects: { ...objects, putText } })).toBeNull()
    expect(await due()).toContain(DAY)
    const last = await writeDay1(world)
    expect([first?.version, last?.version]).toEqual([1, 3])
    await expectWhole(last)
  })

  it('gets a higher version than the one in the lake if the database has forgotten it', async () => {
    await writeDay1(world)
    await world.database.pool.query('TRUNCATE lake_day')
    const manifest = await writeDay1(world)
    expect(manifest?.version).toBe(2)
    await expectWhole(manifest)
  })

  it('is not written if it is not complete, or if another program may be writing', async () => {
    const { pool } = world.database
    await pool.query('UPDATE covered_range SET rules = rules - 1')
    expect(await writeDay1(world)).toBeNull()
    await pool.query('UPDATE covered_range SET rules = rules + 1')
    const assertAlone = () => {
      throw new Error('not alone')
    }
    await expect(writeDay1(world, { assertAlone })).rejects.toThrow('not alone')
    expect(await readLake()).toBeNull()
  })

  it('is written though its older files cannot be deleted, which happens later', async () => {
    const first = await writeDay1(world)
    await world.database.pool.query('UPDATE lake_day SET is_changed = true')
    const { objects } = world
    const failing = { ...objects, delete: () => Promise.reject(new Error('no right to delete')) }
    const second = await writeDay1(world, { objects: failing })
    expect(second?.version).toBe(2)
    expect(await due()).not.toContain(DAY)
    expect(filesIn(world.lake)).toContain(first?.tables.swaps.file)
    await compareLake({ ...dayWriter(world), store: openLakeStore(world.database), log: LOG })
    await expectWhole(second)
  })

  it('is not written if another program has begun it', async () => {
    const { objects } = world
    const store = openLakeStore(world.database)
    const putFile: ObjectStore['putFile'] = async (key, path) => {
      await objects.putFile(key, path)
      await store.beginDay(NETWORK, DAY)
    }
    await expect(writeDay1(world, { objects: { ...objects, putFile } })).rejects.toThrow('another program writes')
    expect(await readLake()).toBeNull()
  })

  it('is not written with fewer rows than the database has sent', async () => {
    const { store } = dayWriter(world)
    const cut: DayWriter['store']['rowsOfDay'] = (network, day, signal, work) =>
      store.rowsOfDay(network, day, signal, (rows: RowsOfDay) =>
        work({ copy: async (name, take) => (await rows.copy(name, take)) + (name === 'hops' ? 1 : 0) }),
      )
    await expect(writeDay1(world, { store: { ...store, rowsOfDay: cut } })).rejects.toThrow(
      /rows were read from Postgres/,
    )
  })

  it('is not written if its total differs from its trades', async () => {
    const { pool } = world.database
    await pool.query('UPDATE day_total SET swaps = swaps + 1')
    await expect(writeDay1(world)).rejects.toThrow('the total of the day differs from its trades')
    await pool.query('UPDATE day_total SET swaps = swaps - 1')
  })

  it('waits for the disk, and leaves nothing behind when it is full', async () => {
    const { objects } = world
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    const putFile = () => Promise.reject(full)
    await expect(writeDay1(world, { objects: { ...objects, putFile } })).rejects.toThrow('ENOSPC')
    expect(filesIn(world.lake)).toEqual([])
    await expectWhole(await writeDay1(world))
  })
})
