import { constants } from 'node:fs'
import { access, readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '@dexfeed/service'
import { reasonOf } from '../loops/loop.ts'
import type { Finding } from './finding.ts'

const GB = 1_000_000_000
const MIN_FREE = GB
/** The unit of `Stats.blocks`, in bytes. */
const BLOCK = 512

/** A folder that a program writes to. Sizes are in bytes. */
export interface UsedFolder {
  about: string
  folder: string
  /** How much one day takes. */
  day: number
  /** How much is needed in all, including what `stored` holds. */
  total: number
  /** The folder of what is stored already. */
  stored: string
  advice: string
}

interface FileSystem {
  bavail: number
  bsize: number
}

type StatOf = (folder: string) => Promise<FileSystem>

export async function checkDisk(
  { about, folder, day, total, stored, advice }: UsedFolder,
  statOf: StatOf = statfs,
): Promise<Finding> {
  try {
    makeFolder(folder)
    await access(folder, constants.W_OK)
    const free = await freeBytes(folder, statOf)
    const message = `${folder} can be written to, ${gb(free)} are free`
    if (free < minFree(day)) {
      const meaning = `the disk is nearly full: a busy day takes ${gb(day)}. A full disk stops writing`
      return { verdict: 'fail', about, message, meaning, advice }
    }
    if (free >= total) return { verdict: 'ok', about, message }
    const more = total - (await sizeOf(stored))
    if (free >= more) return { verdict: 'ok', about, message }
    return { verdict: 'warn', about, message, meaning: `about ${gb(more)} more will be needed`, advice }
  } catch (error) {
    const use = `name a folder that this user can write to: ${advice}`
    return { verdict: 'fail', about, message: reasonOf(error), meaning: 'the program does not start', advice: use }
  }
}

/** Whether the folder's disk has no room for a busy day, which takes `day` bytes. */
export async function isNearlyFull(folder: string, day: number, statOf: StatOf = statfs): Promise<boolean> {
  return (await freeBytes(folder, statOf)) < minFree(day)
}

function minFree(day: number): number {
  return Math.max(MIN_FREE, day)
}

async function freeBytes(folder: string, statOf: StatOf): Promise<number> {
  const { bavail, bsize } = await statOf(folder)
  return bavail * bsize
}

/** Returns the bytes of a folder's files, without what cannot be read. A file with several names counts once. */
async function sizeOf(folder: string, seen = new Set<number>()): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await sizeOf(path, seen)
    if (!entry.isFile()) continue
    const file = await stat(path).catch(() => null)
    if (file === null || seen.has(file.ino)) continue
    seen.add(file.ino)
    bytes += file.blocks * BLOCK
  }
  return bytes
}

function gb(bytes: number): string {
  return `${(Math.max(0, bytes) / GB).toFixed(bytes < 10 * GB ? 1 : 0)} GB`
}
