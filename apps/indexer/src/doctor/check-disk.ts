import { constants } from 'node:fs'
import { access, readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '@dexfeed/service'
import { reasonOf } from '../loops/loop.ts'
import type { Finding } from './finding.ts'

const GB = 1_000_000_000
const MIN_FREE = GB
/** In bytes, of what `stat` counts in. */
const BLOCK = 512

/** A folder that a program writes to. Sizes are in bytes. */
export interface UsedFolder {
  about: string
  folder: string
  /** How much one day takes. */
  day: number
  /** How much is needed in all, including what the folder holds. */
  rest: number
  advice: string
}

export interface FileSystem {
  bavail: number
  bsize: number
}

export async function checkDisk(
  { about, folder, day, rest, advice }: UsedFolder,
  statOf: (folder: string) => Promise<FileSystem> = statfs,
): Promise<Finding> {
  try {
    makeFolder(folder)
    await access(folder, constants.W_OK)
    const { bavail, bsize } = await statOf(folder)
    const free = bavail * bsize
    const message = `${folder} can be written to, ${gb(free)} are free`
    if (free < Math.max(MIN_FREE, day)) {
      const meaning = `the disk is nearly full: a busy day takes ${gb(day)}. A full disk stops writing`
      return { verdict: 'fail', about, message, meaning, advice }
    }
    const more = rest - (await sizeOf(folder))
    if (free >= more) return { verdict: 'ok', about, message }
    return { verdict: 'warn', about, message, meaning: `about ${gb(more)} more will be needed`, advice }
  } catch (error) {
    const use = `name a folder that this user can write to: ${advice}`
    return { verdict: 'fail', about, message: reasonOf(error), meaning: 'the program does not start', advice: use }
  }
}

/** Returns the bytes of a folder's files, without those that cannot be read. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = entries.map(async (entry) => {
    if (!entry.isFile()) return 0
    const file = await stat(join(entry.parentPath, entry.name)).catch(() => null)
    return file === null ? 0 : file.blocks * BLOCK
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

function gb(bytes: number): string {
  return `${(Math.max(0, bytes) / GB).toFixed(bytes < 10 * GB ? 1 : 0)} GB`
}
