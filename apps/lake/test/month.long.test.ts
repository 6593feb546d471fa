import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { dayOf, SECOND } from '@dexfeed/dex'
import { projectRoot } from '@dexfeed/service'
import { openDatabase, openIndexerStore, openLakeStore } from '@dexfeed/store'
import { closeAfter, temporaryFolder, testDatabase } from '@dexfeed/test-setup'
import fc from 'fast-check'
import { expect, inject, onTestFinished, test } from 'vitest'
import { folderStore } from '../src/objects/folder.ts'
import { readManifests } from '../src/read-manifests.ts'
import { writeDay } from '../src/write-day.ts'
import { failingThird, openBucket, startBucket } from './failing-bucket.ts'
import { blocksOf, DAYS, FIRST_DAY, inBucket, makeMonth, storedDay, writtenDay } from './month.ts'

const NETWORK = 'bsc'
/** A thousandth of BNB Chain's: making and comparing a hundredth takes longer than writing it. */
const DAY_TRADES = 11_000
const KILLS = 10
/** A life ends at any moment of the day that follows the ones it has written. */
const MAX_WRITTEN = 3
const CHANCE_MS = 2_000
const REPAIRS = 6
const BUCKET_DAYS = 3
/** For about a third of the month, and for all of it. */
const SMALL_MB = 40
const LARGE_MB = 2_000
/** The life that goes on until the disk is full. */
const FULL_LIFE = 5

interface Disk {
  resize(megabytes: number): void
}

/** Makes the folder a small disk of its own. Returns null if this user cannot mount one. */
function mountDisk(folder: string): Disk | null {
  const mount = (...options: string[]) => execFileSync('mount', [...options, folder], { stdio: 'ignore' })
  try {
    mount('-t', 'tmpfs', '-o', `size=${SMALL_MB}m`, 'none')
  } catch {
    return null
  }
  closeAfter(async () => void execFileSync('umount', ['-l', folder]))
  return { resize: (megabytes) => void mount('-o', `remount,size=${megabytes}m`) }
}

const running = new Set<ChildProcess>()

/** Starts the program, as operators do. */
function startLake(databaseUrl: string, folder: string, onOutput: (text: string) => void): void {
  const program = spawn(process.execPath, [join(projectRoot(), 'apps/lake/dist/lake.js')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { DATABASE_URL: databaseUrl, LAKE_URL: folder, LOG_LEVEL: 'error' },
  })
  for (const output of [program.stdout, program.stderr]) output.on('data', (text) => onOutput(String(text)))
  running.add(program)
}

async function killAll(): Promise<void> {
  for (const program of running) {
    running.delete(program)
    if (program.exitCode !== null || program.signalCode !== null) continue
    program.kill('SIGKILL')
    await once(program, 'exit')
  }
}

// Two programs run, of which one writes; both are killed, the disk fills up, and blocks are repaired.
test('a month in the lake equals Postgres, after kills, repairs, a full disk and a bad bucket', async () => {
  onTestFinished(killAll)
  const databaseUrl = await testDatabase()
  const database = await openDatabase(databaseUrl, { applicationName: 'test', max: 4 })
  closeAfter(() => database.close())
  const store = openIndexerStore(database, NETWORK)
  const lake = openLakeStore(database)
  await makeMonth(database, store, DAY_TRADES)
  expect(await lake.dueDays(NETWORK)).toHaveLength(DAYS)

  const folder = temporaryFolder()
  const disk = mountDisk(folder)
  const objects = folderStore(folder, join(folder, '.test'))
  let isFull = false
  const start = () =>
    startLake(databaseUrl, folder, (text) => {
      if (/ENOSPC|no space left/i.test(text)) isFull = true
    })
  const written = async () => DAYS - (await lake.dueDays(NETWORK)).length
  /** Throws if a manifest names a file that is not whole. */
  const manifests = async () => {
    const found = await readManifests(objects, NETWORK)
    for (const { file, bytes } of found.flatMap(({ tables }) => Object.values(tables))) {
      expect(statSync(join(folder, file)).size).toBe(bytes)
    }
    return found
  }

  const life = fc.record({
    share: fc.nat(MAX_WRITTEN),
    ms: fc.nat(CHANCE_MS),
    day: fc.nat(DAYS - 1),
    block: fc.nat(1_000),
  })
  const lives = fc.sample(life, { numRuns: KILLS, seed: inject('seed') })
  for (const [number, { share, ms, day, block }] of lives.entries()) {
    const before = await written()
    for (let programs = 0; programs < 2; programs++) start()
    const isDone = async () => isFull || (await written()) >= Math.min(before + share, DAYS)
    await expect.poll(isDone, { interval: 50, timeout: 120_000 }).toBe(true)
    if (number === FULL_LIFE && disk !== null) await expect.poll(() => isFull, { timeout: 240_000 }).toBe(true)
    await delay(ms)
    if (number < REPAIRS) {
      const range = { from: blocksOf(day).from + block, to: blocksOf(day).from + block }
      await store.replaceRange({ ...range, trades: [], pools: [], tokens: [], times: new Map() })
    }
    await killAll()
    await manifests()
    if (number !== FULL_LIFE) continue
    disk?.resize(LARGE_MB)
    isFull = false
  }

  start()
  await expect.poll(written, { interval: 500, timeout: 300_000 }).toBe(DAYS)
  await killAll()
  const month = await manifests()
  expect(month).toHaveLength(DAYS)
  for (const manifest of month) {
    const day = dayOf(Date.parse(manifest.date) / SECOND) - FIRST_DAY
    const found = await writtenDay(manifest, (file) => join(folder, file))
    expect(found, manifest.date).toEqual(await storedDay(database, day))
  }

  // The last days again, in a bucket that fails every third request.
  const bucketFolder = temporaryFolder()
  const { port, failed } = await failingThird(await startBucket(bucketFolder))
  const signal = new AbortController().signal
  for (let day = DAYS - BUCKET_DAYS; day < DAYS; day++) {
    const over = { work: join(temporaryFolder(), 'work'), codeVersion: 'test', assertAlone: () => undefined }
    const writer = { ...over, store: lake, objects: openBucket(port), log: { warn: () => undefined } }
    const manifest = await writeDay(writer, { network: NETWORK, day: FIRST_DAY + day }, signal)
    if (manifest === null) throw new Error('the day was not written')
    expect(await writtenDay(manifest, inBucket(bucketFolder)), manifest.date).toEqual(await storedDay(database, day))
  }
  expect(failed()).toBeGreaterThan(BUCKET_DAYS)
}, 900_000)
