import { setTimeout as delay } from 'node:timers/promises'
import { dateOfDay, dayOf, HOUR, MINUTE, type NetworkName, SECOND } from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import type { LakeLock, LakeStore } from '@dexfeed/store'
import type { Manifest } from './manifest.ts'
import { readManifests } from './read-manifests.ts'
import { SCHEMA_VERSION } from './tables.ts'
import { type DayWriter, writeDay } from './write-day.ts'

const POLL_MS = MINUTE
const COMPARE_MS = HOUR

export interface LakeReports {
  onWritten(network: NetworkName): void
  onFailed(network: NetworkName): void
}

export interface LakeWriter extends Omit<DayWriter, 'store' | 'assertAlone'> {
  reports?: LakeReports
  store: LakeStore
  log: Logger
  sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/**
 * Writes what is due, again and again, until the signal aborts. Another program waits until this one has ended.
 */
export async function writeLake(writer: LakeWriter, signal: AbortSignal): Promise<void> {
  const { store, log, sleep = (ms) => delay(ms, undefined, { signal }) } = writer
  let lock: LakeLock | null = null as LakeLock | null
  let comparedAt = Number.NEGATIVE_INFINITY
  try {
    while (!signal.aborted) {
      try {
        if (lock?.isHeld() !== true) lock = await store.lockWriter()
        if (lock === null) log.info('another program writes the lake, waiting for it')
        else {
          if (performance.now() - comparedAt >= COMPARE_MS) {
            await compareLake(writer)
            comparedAt = performance.now()
          }
          await writeDueDays(writer, lock, signal)
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

/** Returns whether nothing is due any more. A day that fails delays no other day. */
export async function writeDueDays(writer: LakeWriter, lock: LakeLock, signal: AbortSignal): Promise<boolean> {
  const { store, log, reports } = writer
  const assertAlone = () => {
    if (!lock.isHeld()) throw new Error('the connection that holds the lock was lost')
  }
  let isDone = true
  for (const network of await store.networks()) {
    for (const day of await store.dueDays(network)) {
      signal.throwIfAborted()
      assertAlone()
      const began = performance.now()
      const date = dateOfDay(day)
      try {
        const manifest = await writeDay({ ...writer, assertAlone }, { network, day }, signal)
        const seconds = Math.round((performance.now() - began) / SECOND)
        if (manifest !== null) log.info({ network, date, seconds, ...sizeOf(manifest) }, 'wrote a day to the lake')
        else log.info({ network, date }, 'a day has changed while it was written, writing it again')
        isDone &&= manifest !== null
        if (manifest !== null) reports?.onWritten(network)
      } catch (error) {
        signal.throwIfAborted()
        isDone = false
        reports?.onFailed(network)
        log.error({ network, date, err: error }, 'a day could not be written to the lake, trying again')
      }
    }
  }
  return isDone
}

function sizeOf({ version, tables }: Manifest) {
  const bytes = Object.values(tables).reduce((sum, file) => sum + file.bytes, 0)
  return { version, trades: tables.swaps.rows, bytes }
}

/**
 * Compares the manifests with what the database says. A day whose manifest is missing, or of another version, is due
 * again; if its rows are no longer in the database, it is lost.
 */
export async function compareLake({ store, objects, log }: LakeWriter): Promise<void> {
  for (const network of await store.networks()) {
    const manifests = (await readManifests(objects, network)).filter((found) => found.schema_version === SCHEMA_VERSION)
    const found = new Map(manifests.map(({ date, version }) => [dayOfDate(date), version]))
    const written = (await store.lakeDays(network)).filter(({ isWritten }) => isWritten)
    const missing = written.filter(({ day, version }) => found.get(day) !== version)
    for (const { day } of missing) await store.forgetDay(network, day)
    if (missing.length === 0) continue
    const due = new Set(await store.dueDays(network))
    const lost = missing.filter(({ day }) => !due.has(day)).map(({ day }) => dateOfDay(day))
    log.warn({ network, days: missing.length }, 'days are not in the lake as they were written, writing them again')
    if (lost.length > 0)
      log.error({ network, lost }, 'days are neither in the lake nor in the database: restore their files from a copy')
  }
}

function dayOfDate(date: string): number {
  return dayOf(Date.parse(`${date}T00:00:00Z`) / SECOND)
}
