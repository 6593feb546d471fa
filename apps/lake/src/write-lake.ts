import { setTimeout as delay } from 'node:timers/promises'
import { dateOfDay, dayOf, HOUR, MINUTE, type NetworkName, SECOND } from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import type { LakeLock, LakeStore } from '@dexfeed/store'
import { allFilesOf, type Manifest, parseFileKey } from './manifest.ts'
import { readManifests } from './read-manifests.ts'
import { SCHEMA_VERSION, TABLE_NAMES } from './tables.ts'
import { type DayWriter, writeDay } from './write-day.ts'

const POLL_MS = MINUTE
const COMPARE_MS = HOUR
/** Of a day that fails again and again. */
const MAX_PAUSE_MS = HOUR

export interface LakeReports {
  onWritten(network: NetworkName): void
  onFailed(network: NetworkName): void
}

export interface LakeWriter extends Omit<DayWriter, 'store' | 'assertAlone' | 'log'> {
  reports?: LakeReports
  store: LakeStore
  log: Logger
  /** Called with the lock: what crashed processes have left can go. */
  clearOthers?(): Promise<void>
  sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/**
 * Writes what is due, again and again, until the signal aborts. Another program waits until this one has ended.
 */
export async function writeLake(writer: LakeWriter, signal: AbortSignal): Promise<void> {
  const { store, log, sleep = (ms) => delay(ms, undefined, { signal }) } = writer
  let lock: LakeLock | null = null as LakeLock | null
  const failures: Failures = new Map()
  let comparedAt = Number.NEGATIVE_INFINITY
  try {
    while (!signal.aborted) {
      try {
        if (lock?.isHeld() !== true) {
          lock = await store.lockWriter()
          if (lock !== null) await writer.clearOthers?.()
        }
        if (lock === null) log.info('another program writes the lake, waiting for it')
        else {
          if (performance.now() - comparedAt >= COMPARE_MS) {
            comparedAt = performance.now()
            await compareLake(writer).catch((error: unknown) => {
              signal.throwIfAborted()
              log.warn({ err: error }, 'the lake could not be compared with the database, trying again later')
            })
          }
          await writeDueDays(writer, lock, signal, failures)
        }
      } catch (error) {
        if (signal.aborted) break
        log.warn({ err: error }, 'the lake could not be read, trying again')
      }
      await sleep(POLL_MS, signal).catch(() => undefined)
    }
  } finally {
    await lock?.release()
  }
}

/** How often a day has failed in a row, and when it is tried again. */
type Failures = Map<string, { count: number; retryAt: number }>

/**
 * Writes a day of each network in turn. Returns whether nothing is due any more. A day that fails delays no other day,
 * and is tried again after pauses that grow.
 */
export async function writeDueDays(
  writer: LakeWriter,
  lock: LakeLock,
  signal: AbortSignal,
  failures: Failures = new Map(),
): Promise<boolean> {
  const { store, log, reports } = writer
  const assertAlone = () => {
    if (!lock.isHeld()) throw new Error('the connection that holds the lock was lost')
  }
  const tried = new Set<string>()
  const isNext = (name: string) => !tried.has(name) && (failures.get(name)?.retryAt ?? 0) <= performance.now()
  for (;;) {
    let [isDone, isIdle] = [true, true]
    for (const network of await store.networks()) {
      signal.throwIfAborted()
      assertAlone()
      const due = await store.dueDays(network)
      if (due.length > 0) isDone = false
      const day = due.find((each) => isNext(`${network} ${each}`))
      if (day === undefined) continue
      isIdle = false
      const [name, date, began] = [`${network} ${day}`, dateOfDay(day), performance.now()]
      tried.add(name)
      try {
        const manifest = await writeDay({ ...writer, assertAlone }, { network, day }, signal)
        failures.delete(name)
        const seconds = Math.round((performance.now() - began) / SECOND)
        if (manifest !== null) log.info({ network, date, seconds, ...sizeOf(manifest) }, 'wrote a day to the lake')
        else log.info({ network, date }, 'a day has changed while it was written, writing it again')
        if (manifest !== null) reports?.onWritten(network)
      } catch (error) {
        signal.throwIfAborted()
        const count = (failures.get(name)?.count ?? 0) + 1
        failures.set(name, { count, retryAt: performance.now() + Math.min(POLL_MS * 2 ** (count - 1), MAX_PAUSE_MS) })
        reports?.onFailed(network)
        log.error({ network, date, err: error }, 'a day could not be written to the lake, trying again')
      }
    }
    if (isIdle) return isDone
  }
}

function sizeOf({ version, tables }: Manifest) {
  const bytes = Object.values(tables).reduce((sum, file) => sum + file.bytes, 0)
  return { version, trades: tables.swaps.rows, bytes }
}

/**
 * Compares the manifests and the files with the database. A day is due again if its manifest is missing or of another
 * version, if a file is missing or has another size, or if its schema is another one and the database still keeps it. A
 * missing day that the database has dropped is lost. Deletes files that no manifest names.
 */
export async function compareLake({ store, objects, log }: LakeWriter): Promise<void> {
  const since = (await store.keptSince()) ?? Number.NEGATIVE_INFINITY
  const isDropped = (day: number) => day < since
  for (const network of await store.networks()) {
    const manifests = await readManifests(objects, network)
    const days = await store.lakeDays(network)
    const files = await listFiles(objects, network)
    const isWhole = ({ tables }: Manifest) =>
      Object.values(tables).every(({ file, bytes }) => files.get(file) === bytes)
    const whole = manifests.filter(
      (manifest) =>
        isWhole(manifest) && (manifest.schema_version === SCHEMA_VERSION || isDropped(dayOfDate(manifest.date))),
    )
    const found = new Map(whole.map(({ date, version }) => [dayOfDate(date), version]))
    const missing = days.filter(({ day, version, isWritten }) => isWritten && found.get(day) !== version)
    for (const { day } of missing) await store.forgetDay(network, day)
    if (missing.length > 0) {
      const lost = missing.filter(({ day }) => isDropped(day)).map(({ day }) => dateOfDay(day))
      log.warn({ network, days: missing.length }, 'days are not in the lake as they were written, writing them again')
      if (lost.length > 0) {
        log.error(
          { network, lost },
          'days are neither in the lake nor in the database: restore their files from a copy, or set RESTORE_SINCE and RETENTION_DAYS of the indexer',
        )
      }
    }
    const named = new Set(manifests.flatMap(({ tables }) => Object.values(tables).map(({ file }) => file)))
    const newest = new Map(days.map(({ day, version }) => [dateOfDay(day), version]))
    for (const file of files.keys()) {
      const { date = '', version = 0 } = parseFileKey(file) ?? {}
      // The newest version may be that of a program that is writing it.
      if (!named.has(file) && version < (newest.get(date) ?? 0) && version > 0) await objects.delete(file)
    }
  }
}

/** Returns their sizes by their keys. */
async function listFiles(objects: LakeWriter['objects'], network: NetworkName): Promise<Map<string, number>> {
  const files = new Map<string, number>()
  for (const table of TABLE_NAMES) {
    for (const { key, bytes } of await objects.list(allFilesOf(table, network))) files.set(key, bytes)
  }
  return files
}

function dayOfDate(date: string): number {
  return dayOf(Date.parse(`${date}T00:00:00Z`) / SECOND)
}
