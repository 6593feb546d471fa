import { copyFile, type FileHandle, link, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

function draftOf(path: string): string {
  return join(dirname(path), `.${basename(path)}`)
}

/** Returns the files with a suffix, oldest first. If several hold the same, the youngest is the last to be deleted. */
export async function filesOf(folder: string, suffix: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((file) => file.endsWith(suffix) && !file.startsWith('.'))
  const files = names.map(async (name) => {
    const path = join(folder, name)
    const modified = await stat(path).catch(() => ({ mtimeMs: 0 }))
    return { path, at: modified.mtimeMs }
  })
  return (await Promise.all(files)).sort((a, b) => a.at - b.at).map(({ path }) => path)
}

/** Links a file, or copies it if the file system has no links. @throws if it is gone, or the disk is full */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw error
    const draft = draftOf(to)
    await copyFile(from, draft)
      .then(() => rename(draft, to))
      .finally(() => rm(draft, { force: true }))
  }
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

export async function writeWhole(path: string, pieces: readonly Buffer[]): Promise<void> {
  const draft = draftOf(path)
  try {
    await writeFile(draft, pieces)
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
    if ((await stat(draft)).size !== length) throw new Error('the disk took only a part of the file')
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

export async function readAt(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  const { bytesRead } = await file.read(buffer, 0, length, start)
  if (bytesRead !== length) throw new Error('the file is shorter than it was')
  return buffer
}

export async function withFile<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path)
  try {
    return await work(file)
  } finally {
    await file.close()
  }
}
