import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { cachedResponse, type StaticResponse } from '../http/cached-response.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export interface WebFiles {
  index: StaticResponse
  assets: ReadonlyMap<string, StaticResponse>
}

/** Reads the built page into memory, so that a later build does not mix with it; null if it is not built. */
export async function readWebFiles(folder: string): Promise<WebFiles | null> {
  try {
    const names = await readdir(join(folder, 'assets'))
    const paths = names.filter((name) => TYPES[extname(name)] !== undefined).map((name) => `/assets/${name}`)
    const assets = paths.map(async (path): Promise<[string, StaticResponse]> => {
      return [path, await readStatic(join(folder, path), 'public, max-age=31536000, immutable')]
    })
    return {
      index: await readStatic(join(folder, 'index.html'), 'no-cache'),
      assets: new Map(await Promise.all(assets)),
    }
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
