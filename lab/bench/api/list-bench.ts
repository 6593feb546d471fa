import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import { request } from 'undici'
import type { BenchDatabase } from '../bench-database.ts'
import { type BenchResult, rounded } from '../bench-result.ts'
import { startBareServer } from '../compare.ts'
import { fillDay } from '../fill-trades.ts'
import { type Load, loadServer, quantilesOf } from '../load.ts'
import { cpuOf, watchProcess } from '../process-usage.ts'
import { startApi, stopProgram, untilServed } from '../programs.ts'

const PATH = '/api/swaps_24h'
const ROUNDS = 5
const READERS = 50
const SLOW_READERS = 200
const SLOW_BYTES_PER_S = 300_000
/** The system takes some MB for each slow reader as fast as the API sends them. */
const BUFFERING_MS = 10 * SECOND
const CONNECTIONS = 50
const LOAD_MS = 4 * SECOND
const WAIT_MS = 600_000
const GZIP = { 'accept-encoding': 'gzip' }

type Headers = Record<string, string>

export async function benchList(database: BenchDatabase, rows: number, shutdown: Shutdown): Promise<BenchResult> {
  const { signal } = shutdown
  const databaseUrl = await database.create('list', { migrated: true })
  await fillDay(databaseUrl, rows, Math.floor(Date.now() / SECOND), shutdown)
  const startedAt = performance.now()
  const { child, url } = await startApi(databaseUrl, shutdown)
  const list = url + PATH
  await untilServed(list, child, AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]), 'HEAD')
  const readyMs = performance.now() - startedAt
  const bare = await startBareServer(shutdown)
  const file = join(database.folder, 'list.json')
  for (const [path, headers] of [[file, {}] as const, [`${file}.gz`, GZIP] as const]) {
    await pipeline((await request(list, { headers })).body, createWriteStream(path))
  }
  await bare.call('setFile', file)
  const restMb = watchProcess(child.pid ?? 0)().peakRssMb
  const watch = watchProcess(child.pid ?? 0)
  const identity = await compareReaders(list, `${bare.url}/list.json`, {}, child.pid ?? 0)
  const gzip = await compareReaders(list, `${bare.url}/list.json.gz`, GZIP, child.pid ?? 0)
  const many = await readMany(list, GZIP)
  const readersRatio = (await readMany(`${bare.url}/list.json.gz`, GZIP)).ms / many.ms
  const growthMb = watch().peakRssMb - restMb
  const slowRatio = await besideSlowReaders(list, shutdown)
  const slowFloor = await besideSlowReaders(`${bare.url}/list.json`, shutdown)
  const load = { path: `${PATH}?limit=100`, ms: LOAD_MS }
  const few = await loadServer(url, { ...load, connections: CONNECTIONS }, signal)
  const full = await loadServer(url, { ...load, connections: 10 * CONNECTIONS }, signal)
  const perS = ({ responses, failures, seconds }: Load) => (responses - failures) / seconds
  await stopProgram(child)
  return {
    figures: {
      rows,
      list_ready_s: rounded(readyMs / SECOND, 3),
      stream_ratio: identity.ratio,
      stream_gzip_ratio: gzip.ratio,
      first_byte_ms: identity.firstByteMs,
      first_byte_gzip_ms: gzip.firstByteMs,
      cpu_s_per_reader: identity.cpuS,
      cpu_s_per_gzip_reader: gzip.cpuS,
      readers_ratio: rounded(readersRatio, 3),
      readers_refused: many.refused,
      beside_slow_readers_ratio: rounded(slowRatio, 3),
      beside_slow_readers_floor: rounded(slowFloor, 3),
      goodput_ratio: rounded(perS(full) / perS(few), 3),
      goodput_refused: full.failures,
      rss_mb: rounded(restMb, 3),
      rss_growth_mb: rounded(growthMb, 3),
    },
  }
}

async function read(url: string, headers: Headers = {}) {
  const startedAt = performance.now()
  let firstByteMs = Number.NaN
  const { statusCode: status, body } = await request(url, { headers, bodyTimeout: 0, headersTimeout: WAIT_MS })
  for await (const _ of body) {
    if (Number.isNaN(firstByteMs)) firstByteMs = performance.now() - startedAt
  }
  return { status, firstByteMs, totalMs: performance.now() - startedAt }
}

async function compareReaders(list: string, file: string, headers: Headers, pid: number) {
  const ofList: Awaited<ReturnType<typeof read>>[] = []
  const ofFile: typeof ofList = []
  let cpuS = 0
  for (let round = 0; round < ROUNDS; round++) {
    ofFile.push(await read(file, headers))
    const before = cpuOf(pid)
    ofList.push(await read(list, headers))
    cpuS += (cpuOf(pid) - before) / ROUNDS
  }
  const median = (reads: typeof ofList, what: 'totalMs' | 'firstByteMs') =>
    quantilesOf(reads.map((read) => read[what])).p50Ms
  return {
    ratio: rounded(median(ofFile, 'totalMs') / median(ofList, 'totalMs'), 3),
    firstByteMs: rounded(median(ofList, 'firstByteMs'), 3),
    cpuS: rounded(cpuS, 3),
  }
}

async function readMany(url: string, headers: Headers) {
  const startedAt = performance.now()
  const replies = await Promise.all(Array.from({ length: READERS }, () => read(url, headers)))
  return { ms: performance.now() - startedAt, refused: replies.filter(({ status }) => status !== 200).length }
}

/** Returns how long a reader takes alone, divided by how long it takes beside slow readers of another process. */
async function besideSlowReaders(list: string, shutdown: Shutdown): Promise<number> {
  const { call } = await startBareServer(shutdown)
  const median = async () => {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) times.push((await read(list)).totalMs)
    return quantilesOf(times).p50Ms
  }
  const alone = await median()
  await call('readSlowly', { url: list, connections: SLOW_READERS, bytesPerS: SLOW_BYTES_PER_S })
  await delay(BUFFERING_MS)
  const beside = await median()
  await call('stopReading')
  return alone / beside
}
