import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { makeFolder } from '@dexfeed/service'
import { reasonOf } from '../loops/loop.ts'
import type { Finding } from './finding.ts'

const GB = 1_000_000_000
const MIN_FREE = GB

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
    if (free >= rest) return { verdict: 'ok', about, message }
    return { verdict: 'warn', about, message, meaning: `about ${gb(rest)} more will be needed`, advice }
  } catch (error) {
    const use = `name a folder that this user can write to: ${advice}`
    return { verdict: 'fail', about, message: reasonOf(error), meaning: 'the program does not start', advice: use }
  }
}

function gb(bytes: number): string {
  return `${(Math.max(0, bytes) / GB).toFixed(bytes < 10 * GB ? 1 : 0)} GB`
}
