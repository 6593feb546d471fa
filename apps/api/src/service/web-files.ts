import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { cachedResponse } from '../http/cached-response.ts'
import type { StaticResponse } from '../http/static-response.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The built page (`apps/web/dist`), in memory. */
export interface WebFiles {
  index: StaticResponse
  /** By path, `/assets/...`. Their names contain a hash of their content. */
  assets: ReadonlyMap<string, StaticResponse>
}

/**
 * Reads the built page with its compressed files. They stay in memory, so a later build does not mix with this one.
 *
 * @returns null if the page is not built
 */
export async function readWebFiles(folder: string): Promise<WebFiles | null> {
  try {
    const names = await readdir(join(folder, 'assets'))
    const originals = names.filter((name) => TYPES[extname(name)] !== undefined)
    const read = originals.map(
      async (name) =>
        [
          `/assets/${name}`,
          await readStatic(join(folder, 'assets', name), 'public, max-age=31536000, immutable'),
        ] as const,
    )
    return { index: await readStatic(join(folder, 'index.html'), 'no-cache'), assets: new Map(await Promise.all(read)) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

async function readStatic(file: string, cacheControl: string): Promise<StaticResponse> {
  const headers = { 'Cache-Control': cacheControl, 'Content-Type': TYPES[extname(file)] ?? '' }
  const [plain, gzip, br] = await Promise.all([readFile(file), readFile(`${file}.gz`), readFile(`${file}.br`)])
  return {
    plain: cachedResponse(plain, headers),
    gzip: cachedResponse(gzip, { ...headers, 'Content-Encoding': 'gzip' }),
    br: cachedResponse(br, { ...headers, 'Content-Encoding': 'br' }),
  }
}
