import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { type FoundObject, MAX_TEXT_BYTES, type ObjectStore } from './object-store.ts'

/** @param work a folder on the same disk, for files that are not complete */
export function folderStore(root: string, work: string): ObjectStore {
  const putFile = async (key: string, path: string) => {
    const target = join(root, key)
    await mkdir(dirname(target), { recursive: true })
    await sync(path)
    await rename(path, target)
    await sync(dirname(target))
  }
  return {
    putFile,
    async putText(key, text) {
      const path = join(work, `text-${randomUUID()}`)
      await mkdir(work, { recursive: true })
      try {
        await writeFile(path, text)
        await putFile(key, path)
      } finally {
        await rm(path, { force: true })
      }
    },
    async read(key) {
      return (await open(join(root, key))).createReadStream()
    },
    async getText(key) {
      const path = join(root, key)
      try {
        const found = await stat(path)
        if (!found.isFile() || found.size > MAX_TEXT_BYTES) return null
        return await readFile(path, 'utf8')
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },
    async list(prefix) {
      try {
        const entries = await readdir(join(root, prefix), { withFileTypes: true, recursive: true })
        const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
        return (await Promise.all(paths.map((path) => found(root, path)))).flat()
      } catch (error) {
        if (isMissing(error)) return []
        throw error
      }
    },
    delete: (key) => rm(join(root, key), { force: true }),
  }
}

/** Returns nothing if the file has been deleted meanwhile. */
async function found(root: string, path: string): Promise<FoundObject[]> {
  try {
    return [{ key: relative(root, path).replaceAll(sep, '/'), bytes: (await stat(path)).size }]
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Makes a file, or the names in a folder, survive a power failure. */
async function sync(path: string): Promise<void> {
  const file = await open(path)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}
