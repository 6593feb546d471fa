import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import { startBareServer } from '../bare/bare-process.ts'
import { compare, type Servers } from '../bare/compare.ts'
import type { BenchDatabase } from '../bench-database.ts'
import type { BenchResult } from '../bench-result.ts'
import { loadServer } from '../load-server.ts'
import { stopProgram } from '../programs.ts'
import { startMeasuredApi } from '../quote/measured-api.ts'
import { fillDay } from './fill-day.ts'
import { fillRolledUp } from './fill-rolled-up.ts'

const CONNECTIONS = 10
const MS = 2 * SECOND
/** High enough that no request is refused; without a limit, none would be counted. */
const RATE = 1_000_000
/** About 1 MB. */
const SMALL_LIST_ROWS = 2_000
const DAY = '/api/swaps_24h'

/** Requests that are the same each time, and that the API should serve from memory. */
const REPEATED = {
  v1_swaps: '/v1/swaps?limit=50',
  v1_candles: `/v1/candles?network=bsc&token=${tokenAddress(7)}&interval=5m`,
  v1_tokens: '/v1/tokens?search=tok',
  page: `${DAY}?limit=100`,
}

/** Requests of which no two are the same. */
const NEW = {
  v1_swaps_new: (n: number) => `/v1/swaps?limit=50&min_usd=0.${String(n).padStart(8, '0')}`,
  v1_candles_new: (n: number) =>
    `/v1/candles?network=bsc&token=${tokenAddress(n % 100)}&interval=5m&limit=${1 + (Math.floor(n / 100) % 999)}`,
  v1_tokens_new: (n: number) => `/v1/tokens?search=tok${n % 20}&limit=${1 + (Math.floor(n / 20) % 1_000)}`,
}
const MANY = 20_000

/** Measures `/v1` and the lists of the real API beside a bare Express handler with the same bytes and headers. */
export async function benchV1(database: BenchDatabase, rows: number, shutdown: Shutdown): Promise<BenchResult> {
  const now = Math.floor(Date.now() / SECOND)
  const databaseUrl = await database.create('v1', { migrated: true })
  await fillDay(databaseUrl, rows, now, shutdown)
  await fillRolledUp(databaseUrl, now, shutdown)
  const bare = await startBareServer(shutdown)
  const table: [string, string][] = []
  const figures: Record<string, number> = {}
  const inTurns = async (servers: Servers, name: string, path: string) => {
    const options = { paths: [path], connections: CONNECTIONS, ms: MS }
    const { ratio, perSecond, barePerSecond, p99Ms } = await compare(servers, options, shutdown.signal)
    table.push([
      name,
      `${whole(perSecond)} a second, bare ${whole(barePerSecond)}: ${ratio.toFixed(2)}; 99 % ${p99Ms.toFixed(1)} ms`,
    ])
    figures[`${name}_ratio`] = rounded(ratio)
  }
  const api = await startMeasuredApi(databaseUrl, { rateLimitPerS: RATE, readyPath: REPEATED.page }, shutdown)
  const servers = { url: api.url, pid: api.child.pid ?? 0, ...bare }
  await warmUp(api.url, shutdown.signal)
  for (const [name, path] of Object.entries(REPEATED)) await inTurns(servers, name, path)
  for (const [name, pathOf] of Object.entries(NEW)) {
    const paths = Array.from({ length: MANY }, (_, n) => pathOf(n))
    const alone = await loadServer(api.url, { paths, connections: 1, ms: MS }, shutdown.signal)
    const many = await loadServer(
      api.url,
      { paths: paths.toReversed(), connections: CONNECTIONS, ms: MS },
      shutdown.signal,
    )
    if (alone.failures + many.failures > 0) throw new Error(`${many.failures} responses to ${paths[0]} were failures`)
    const perSecond = many.responses / many.seconds
    table.push([
      name,
      `${whole(perSecond)} a second; alone ${alone.p50Ms.toFixed(1)} ms, 99 % ${alone.p99Ms.toFixed(1)} ms`,
    ])
    figures[`${name}_per_s`] = Math.round(perSecond)
    figures[`${name}_p50_ms`] = rounded(alone.p50Ms)
  }
  await stopProgram(api.child)
  const smallUrl = await database.create('small', { migrated: true })
  await fillDay(smallUrl, SMALL_LIST_ROWS, now, shutdown)
  const small = await startMeasuredApi(smallUrl, { rateLimitPerS: RATE, readyPath: DAY }, shutdown)
  const ofSmall = { url: small.url, pid: small.child.pid ?? 0, ...bare }
  await warmUp(small.url, shutdown.signal)
  await inTurns(ofSmall, 'small_list', DAY)
  await inTurns(ofSmall, 'small_page', REPEATED.page)
  await stopProgram(small.child)
  return { notes: table, figures }
}

/** Before code is compiled, the API is not at full speed. */
async function warmUp(url: string, signal: AbortSignal): Promise<void> {
  await loadServer(url, { paths: [...Object.values(REPEATED)].slice(0, 4), connections: 4, ms: SECOND }, signal)
  await delay(SECOND, undefined, { signal })
}

/** The address of a token of the filled day (fill-day.ts). */
function tokenAddress(token: number): string {
  const index = Buffer.alloc(8)
  index.writeBigInt64BE(BigInt(token))
  return `0x${createHash('sha256').update(index).digest('hex').slice(0, 40)}`
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
