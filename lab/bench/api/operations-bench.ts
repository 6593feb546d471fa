import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import { startBareServer } from '../bare/bare-process.ts'
import { type Compared, compare, type Servers } from '../bare/compare.ts'
import type { BenchDatabase } from '../bench-database.ts'
import type { BenchResult } from '../bench-result.ts'
import { stopProgram } from '../programs.ts'
import { fillMarket, NETWORK, tokenAddress } from '../quote/fill-market.ts'
import { startMeasuredApi } from '../quote/measured-api.ts'

const POOLS = 2_000
const CONNECTIONS = [10, 100, 500]
const VOLUME = '/api/trade_volume_usd_7d'
/** The tokens before it have no separate pool. */
const FIRST_TOKEN = 20
const TOKENS = 1_000
const MS = SECOND

/** Measures operations of the real API beside a bare Express handler with the same bytes and headers. */
export async function benchOperations(database: BenchDatabase, shutdown: Shutdown): Promise<BenchResult> {
  const databaseUrl = await database.create('operations', { migrated: true })
  await fillMarket(databaseUrl, POOLS, shutdown)
  const api = await startMeasuredApi(databaseUrl, { rateLimitPerS: 1_000_000 }, shutdown)
  const servers = { url: api.url, pid: api.child.pid ?? 0, ...(await startBareServer(shutdown)) }
  await warmUp(servers, shutdown.signal)
  const repeated = await quotedPaths(api.url)
  const operations = { volume: [VOLUME], quote_repeated: repeated.slice(0, 1), quote: newQuotes(repeated) }
  const table: [string, string][] = []
  const worst: Record<string, number> = {}
  for (const [name, paths] of Object.entries(operations)) {
    for (const connections of CONNECTIONS) {
      const barePaths = paths.slice(0, 1)
      const found = await compare(servers, { paths, barePaths, connections, ms: MS }, shutdown.signal)
      table.push([`${name}, ${connections} connections`, lineOf(found)])
      worst[name] = Math.min(worst[name] ?? Number.POSITIVE_INFINITY, found.ratio)
    }
  }
  await stopProgram(api.child)
  const rounded = (ratio: number | undefined) => Math.round((ratio ?? Number.NaN) * 100) / 100
  const figures = {
    volume_ratio: rounded(worst.volume),
    quote_ratio: rounded(worst.quote),
    quote_repeated_ratio: rounded(worst.quote_repeated),
  }
  return { notes: table, figures }
}

/** Quotes of the wrapped coin for the tokens with a separate pool. */
function quotePath(token: number): string {
  return `/api/quote?network=${NETWORK}&sellToken=${tokenAddress(0)}&buyToken=${tokenAddress(token)}`
}

/** Those that have a price. */
async function quotedPaths(url: string): Promise<string[]> {
  const paths: string[] = []
  for (let token = FIRST_TOKEN; token < FIRST_TOKEN + TOKENS; token++) {
    const response = await fetch(url + quotePath(token))
    await response.arrayBuffer()
    if (response.status === 200) paths.push(quotePath(token))
  }
  return paths
}

/** More than the API caches: when a request repeats, its response is no longer cached. */
function newQuotes(paths: readonly string[]): string[] {
  // An unused parameter makes the paths different.
  return Array.from({ length: 60 }, (_, round) => paths.map((path) => `${path}&n=${round}`)).flat()
}

function lineOf({ perSecond, barePerSecond, p99Ms, bareP99Ms, ratio, cpuRatio }: Compared): string {
  const [own, bare] = [perSecond, barePerSecond].map((speed) => Math.round(speed).toLocaleString('en'))
  return `${own} a second, bare ${bare}: ${ratio.toFixed(2)} (by CPU time ${cpuRatio.toFixed(2)}); 99 % within ${p99Ms.toFixed(1)} ms, bare ${bareP99Ms.toFixed(1)} ms`
}

/** Warms up both: before code is compiled, neither is at full speed. */
async function warmUp(servers: Servers, signal: AbortSignal): Promise<void> {
  await compare(servers, { paths: [VOLUME, quotePath(FIRST_TOKEN)], connections: 20, ms: SECOND }, signal)
  await delay(SECOND, undefined, { signal })
}
