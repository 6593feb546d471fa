import { once } from 'node:events'
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import type { Shutdown } from '@dexfeed/service'
import { request } from 'undici'
import type { BenchDatabase } from '../bench-database.ts'
import type { BenchResult } from '../bench-result.ts'
import { type Load, loadServer } from '../load-server.ts'
import { cpuOf, watchProcess } from '../process-usage.ts'
import { startApi, startProgram, untilServed } from '../programs.ts'
import { fillDay } from './fill-day.ts'
import { type RawReply, readRaw } from './raw-client.ts'

const PATH = '/api/swaps_24h'
const ROUNDS = 5
const READERS = 50
const SLOW_READERS = 200
const SLOW_BYTES_PER_S = 300_000
const PAGE = `${PATH}?limit=100`
const CONNECTIONS = 50
const LOAD_MS = 4_000
const WAIT_MS = 600_000
const GZIP = { 'Accept-Encoding': 'gzip' }

interface Servers {
  api: URL
  apiPid: number
  fixed: URL
}

/** The list of `rows` swaps beside a static file of the same bytes, and what slow readers and overload do to others. */
export async function benchList(database: BenchDatabase, rows: number, shutdown: Shutdown): Promise<BenchResult> {
  const databaseUrl = await database.create('list', { migrated: true })
  await fillDay(databaseUrl, rows, Math.floor(Date.now() / 1000), shutdown)
  const { servers, readyMs, bytes, gzipBytes } = await open(database, databaseUrl, shutdown)
  const { apiPid } = servers
  const restMb = memoryMb(apiPid)
  const watch = watchProcess(apiPid)
  const identity = await compare(servers, '/list.json', {})
  const gzip = await compare(servers, '/list.json.gz', GZIP)
  const many = await compareMany(servers)
  const rssGrowthMb = watch().peakRssMb - restMb
  const slow = await besideSlowReaders(servers)
  const load = await overload(servers.api, shutdown.signal)
  const figures = {
    rows,
    list_ready_s: round(readyMs / 1000),
    stream_ratio: identity.ratio,
    stream_gzip_ratio: gzip.ratio,
    first_byte_ms: identity.firstByteMs,
    first_byte_gzip_ms: gzip.firstByteMs,
    cpu_s_per_reader: identity.cpuS,
    cpu_s_per_gzip_reader: gzip.cpuS,
    readers_ratio: many.ratio,
    readers_refused: many.refused,
    beside_slow_readers_ratio: slow.ratio,
    goodput_ratio: load.ratio,
    goodput_refused: load.refused,
    rss_mb: round(restMb),
    rss_growth_mb: round(rssGrowthMb),
  }
  return {
    notes: [
      ['rows; the list, MB; as gzip, MB', `${rows}; ${mb(bytes)}; ${mb(gzipBytes)}`],
      ['from the start of the API to the list', `${figures.list_ready_s} s`],
      ['one reader, by a static file', `${identity.ratio} (${identity.apiMs} to ${identity.fixedMs} ms)`],
      ['as gzip', `${gzip.ratio} (${gzip.apiMs} to ${gzip.fixedMs} ms)`],
      ['first byte; as gzip', `${identity.firstByteMs} ms; ${gzip.firstByteMs} ms`],
      ['CPU of the API for a reader; as gzip', `${identity.cpuS} s; ${gzip.cpuS} s`],
      [
        `${READERS} readers, by a static file`,
        `${many.ratio} (${many.apiMs} to ${many.fixedMs} ms), refused ${many.refused}`,
      ],
      [`a reader beside ${SLOW_READERS} slow ones, by one alone`, `${slow.ratio}`],
      [`pages to ${10 * CONNECTIONS} connections, by ${CONNECTIONS}`, `${load.ratio} (${load.best} a second at best)`],
      ['memory of the API; more while it sends', `${figures.rss_mb} MB; ${figures.rss_growth_mb} MB`],
    ],
    figures,
  }
}

async function open(database: BenchDatabase, databaseUrl: string, shutdown: Shutdown) {
  const startedAt = performance.now()
  const { child, url } = await startApi(databaseUrl, shutdown)
  await untilServed(url + PATH, child, AbortSignal.any([shutdown.signal, AbortSignal.timeout(WAIT_MS)]), 'HEAD')
  const readyMs = performance.now() - startedAt
  const api = new URL(url)
  const file = join(database.folder, 'list.json')
  const whole = await fetch(url + PATH, { headers: { 'Accept-Encoding': 'identity' } })
  if (whole.body === null) throw new Error(`no list but ${whole.status}`)
  await pipeline(Readable.fromWeb(whole.body as never), createWriteStream(file))
  // The body as it comes over the wire, not decoded.
  const { body } = await request(url + PATH, { headers: { 'accept-encoding': 'gzip' } })
  await pipeline(body, createWriteStream(`${file}.gz`))
  await pipeline(createReadStream(`${file}.gz`), createGunzip(), createWriteStream(`${file}.check`))
  const [bytes, unzipped] = [statSync(file).size, statSync(`${file}.check`).size]
  // The window may have moved by a block between the two.
  if (Math.abs(bytes - unzipped) > bytes / 100) throw new Error(`${bytes} bytes, and ${unzipped} out of gzip`)
  const fixedProgram = startProgram('lab/bench/dist/bench-static.js', [file], shutdown)
  const [fixed] = (await once(fixedProgram, 'message')) as [string]
  const servers: Servers = { api, apiPid: child.pid ?? 0, fixed: new URL(fixed) }
  return { servers, readyMs, bytes, gzipBytes: statSync(`${file}.gz`).size }
}

/** One reader of each in turn. */
async function compare({ api, apiPid, fixed }: Servers, fixedPath: string, headers: Record<string, string>) {
  const [ours, theirs]: [RawReply[], RawReply[]] = [[], []]
  let cpuS = 0
  for (let round = 0; round < ROUNDS; round++) {
    theirs.push(await readRaw(fixed, { path: fixedPath, headers }))
    const before = cpuOf(apiPid)
    ours.push(await readRaw(api, { path: PATH, headers }))
    cpuS += (cpuOf(apiPid) - before) / ROUNDS
  }
  for (const { status } of [...ours, ...theirs]) if (status !== 200) throw new Error(`status ${status}`)
  const [apiMs, fixedMs] = [median(ours.map(({ totalMs }) => totalMs)), median(theirs.map(({ totalMs }) => totalMs))]
  const firstByteMs = round(median(ours.map((reply) => reply.firstByteMs)))
  return { ratio: round(fixedMs / apiMs), apiMs: round(apiMs), fixedMs: round(fixedMs), firstByteMs, cpuS: round(cpuS) }
}

/** Many readers in parallel, of each in turn. */
async function compareMany({ api, fixed }: Servers) {
  const all = async (origin: URL, path: string) => {
    const startedAt = performance.now()
    const replies = await Promise.all(Array.from({ length: READERS }, () => readRaw(origin, { path, headers: GZIP })))
    return { ms: performance.now() - startedAt, refused: replies.filter(({ status }) => status !== 200).length }
  }
  const fixedRun = await all(fixed, '/list.json.gz')
  const apiRun = await all(api, PATH)
  return {
    ratio: round(fixedRun.ms / apiRun.ms),
    ...{ apiMs: round(apiRun.ms), fixedMs: round(fixedRun.ms), refused: apiRun.refused },
  }
}

/** How long a reader takes beside others that take little. */
async function besideSlowReaders({ api }: Servers) {
  const read = async () => (await readRaw(api, { path: PATH })).totalMs
  const alone = median([await read(), await read(), await read()])
  const gone = new AbortController()
  const slow = Array.from({ length: SLOW_READERS }, () =>
    readRaw(api, { path: PATH, bytesPerS: SLOW_BYTES_PER_S, signal: gone.signal }).catch(() => null),
  )
  await delay(2_000)
  const beside = median([await read(), await read(), await read()])
  gone.abort()
  await Promise.all(slow)
  return { ratio: round(alone / beside) }
}

/** Pages a second to few connections, and to ten times as many. */
async function overload(api: URL, signal: AbortSignal) {
  const load = { paths: [PAGE], ms: LOAD_MS }
  const few = await loadServer(api.origin, { ...load, connections: CONNECTIONS }, signal)
  const many = await loadServer(api.origin, { ...load, connections: 10 * CONNECTIONS }, signal)
  const perS = ({ responses, failures, seconds }: Load) => (responses - failures) / seconds
  return { ratio: round(perS(many) / perS(few)), best: Math.round(perS(few)), refused: many.failures }
}

function memoryMb(pid: number): number {
  return watchProcess(pid)().peakRssMb
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}

function mb(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0)
}
