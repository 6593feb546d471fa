import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import { startBareServer } from '../bare/bare-process.ts'
import { type Compared, compare } from '../bare/compare.ts'
import { startBenchDatabase } from '../bench-database.ts'
import type { BenchResult } from '../bench-result.ts'
import { type Load, loadServer } from '../load-server.ts'
import { watchProcess } from '../process-usage.ts'
import { stopProgram } from '../programs.ts'
import { readMetrics } from '../read-metrics.ts'
import { fillMarket, NETWORK, tokenAddress } from './fill-market.ts'
import { BLOCK_AFTER, quoteHubs, quotesAfterBlocks } from './first-quotes.ts'
import { measureInProcess } from './in-process.ts'
import { LOOP_WATCH, type LongestStop, readLoop, startMeasuredApi } from './measured-api.ts'
import { priceLists } from './price-lists.ts'
import { ROUNDS, writeChain } from './write-chain.ts'

const QUOTE_MS = 5 * SECOND
const CONNECTIONS = 4
/** Enough quotes that the API no longer caches any of them when it repeats. */
const QUESTIONS = 50_000
const HTTP_QUESTIONS = 1_000
const HTTP_ROUNDS = 50
const HTTP_CONNECTIONS = 10

/**
 * Measures the market in memory. The database has five ticks per pool; the real API has the heap of the compose file.
 * Measures its load time, its memory and its quotes, also while blocks are committed and rolled back.
 */
export async function benchQuote(size: { pools: number; dust: number }, shutdown: Shutdown): Promise<BenchResult> {
  const parts = [measureInProcess(size.pools), await measureApi(size, shutdown)]
  return {
    notes: parts.flatMap(({ notes = [] }) => notes),
    figures: Object.assign({}, ...parts.map(({ figures }) => figures)),
  }
}

async function measureApi({ pools, dust }: { pools: number; dust: number }, shutdown: Shutdown): Promise<BenchResult> {
  const database = await startBenchDatabase(shutdown)
  const databaseUrl = await database.create('quote', { migrated: true })
  await fillMarket(databaseUrl, pools, shutdown, dust)
  await database.settle()
  let starting: LongestStop | undefined
  const onListening = async (child: ChildProcess) => {
    starting = await readLoop(child)
  }
  const api = await startMeasuredApi(databaseUrl, { rateLimitPerS: 0, preload: LOOP_WATCH, onListening }, shutdown)
  const stopWatching = watchProcess(api.child.pid ?? 0)
  const loading = await readLoop(api.child)
  const cpuS = (await readMetrics(api.metricsPort)).get('process_cpu_seconds_total') ?? 0
  const { firstMs, hubs } = await quoteHubs(api.url, QUOTE_MS, shutdown.signal)
  const paths = questions(pools)
  const quiet = await loadServer(api.url, { paths, connections: CONNECTIONS, ms: QUOTE_MS }, shutdown.signal)
  const quoting = await readLoop(api.child)
  const busy = await quoteWhileBlocksCome(api.url, databaseUrl, { paths, pools }, shutdown)
  const following = await readLoop(api.child)
  const after = await quotesAfterBlocks(api.url, databaseUrl, dust, shutdown)
  const prices = await priceLists(api.url, databaseUrl, { block: BLOCK_AFTER, pools }, shutdown)
  const http = await compareHttp(api, paths, shutdown)
  const { peakRssMb } = stopWatching()
  await stopProgram(api.child)
  return {
    notes: [
      ['pools, ticks', `${pools.toLocaleString('en')}, ${(5 * pools).toLocaleString('en')}`],
      ['from the start of the process to a quote, s', (api.loadMs / SECOND).toFixed(1)],
      ['  processor time of the API until then, s', cpuS.toFixed(1)],
      ['highest memory of the API, MB', peakRssMb.toFixed(0)],
      ['longest block of the event loop, ms; having a processor: until it listens', blockedText(starting)],
      ['  while the market was loaded', blockedText(loading)],
      ['  while quotes were requested', blockedText(quoting)],
      [`  while ${ROUNDS} blocks came, a third in the place of others`, blockedText(following)],
      ['pools of dust on each of two links', dust.toLocaleString('en')],
      ['the longest of the first 100 quotes, hub to hub, ms', firstMs.toFixed(1)],
      ['  of those after a block with one more pool of dust, ms', after.longestMs.toFixed(1)],
      ['from a commit to a quote of its block, 50 %, 99 %, ms', whole(after.freshP50Ms, after.freshP99Ms)],
      ['prices of 1,000 tokens, 50 %, 99 %, ms', whole(prices.p50Ms, prices.p99Ms)],
      ['quotes over HTTP per second, bare handler', whole(http.perSecond, http.barePerSecond)],
      ...Object.entries({ 'hub to hub': hubs, routed: quiet, 'routed, while blocks came': busy }).map(
        ([name, { p50Ms, p99Ms }]) =>
          [`quotes ${name}, 50 %, 99 %, ms`, `${p50Ms.toFixed(1)}, ${p99Ms.toFixed(1)}`] as const,
      ),
    ],
    figures: {
      pools,
      dust,
      routed_p99_ms: round(Math.max(quiet.p99Ms, hubs.p99Ms)),
      hub_p99_ms: round(hubs.p99Ms),
      first_max_ms: round(Math.max(firstMs, after.longestMs)),
      http_ratio: Number(http.ratio.toFixed(2)),
      fresh_p99_ms: round(after.freshP99Ms),
      prices_p99_ms: round(prices.p99Ms),
      load_s: round(api.loadMs / SECOND),
      loop_load_ms: Math.round(loading.blockedMs),
      loop_load_busy_ms: Math.round(loading.busyMs),
      loop_ms: Math.round(Math.max(quoting.blockedMs, following.blockedMs)),
      rss_mb: Math.round(peakRssMb),
    },
  }
}

async function quoteWhileBlocksCome(
  url: string,
  databaseUrl: string,
  { paths, pools }: { paths: readonly string[]; pools: number },
  shutdown: Shutdown,
): Promise<Load> {
  const [, load] = await Promise.all([
    writeChain(databaseUrl, pools, shutdown),
    loadServer(url, { paths, connections: 1, ms: QUOTE_MS }, shutdown.signal),
  ])
  await delay(SECOND, undefined, { signal: shutdown.signal })
  return load
}

/** Compares new quotes with a bare handler that returns the bytes of one. */
async function compareHttp(
  { url, child }: { url: string; child: ChildProcess },
  questions: readonly string[],
  shutdown: Shutdown,
): Promise<Compared> {
  const paths: string[] = []
  for (const path of questions.slice(-HTTP_QUESTIONS)) {
    const response = await fetch(url + path, { signal: shutdown.signal })
    await response.arrayBuffer()
    if (response.status === 200) paths.push(path)
  }
  const fresh = Array.from({ length: HTTP_ROUNDS }, (_, round) => paths.map((path) => `${path}.${round}`)).flat()
  const servers = { url, pid: child.pid ?? 0, ...(await startBareServer(shutdown)) }
  const options = { paths: fresh, barePaths: paths.slice(0, 1), connections: HTTP_CONNECTIONS, ms: SECOND }
  return compare(servers, options, shutdown.signal)
}

function blockedText(loop?: LongestStop): string {
  return `${loop?.blockedMs.toFixed(0)}, ${loop?.busyMs.toFixed(0)}`
}

function whole(...values: number[]): string {
  return values.map((value) => value.toFixed(0)).join(', ')
}

function round(value: number): number {
  return Number(value.toFixed(1))
}

function questions(pools: number): string[] {
  const tokens = Math.floor((pools * 2) / 3)
  return Array.from({ length: QUESTIONS }, (_, at) => {
    const [sell, buy] = [20 + ((at * 7_919) % tokens), 20 + ((at * 104_729 + 1) % tokens)]
    return `/api/quote?network=${NETWORK}&sellToken=${tokenAddress(sell)}&buyToken=${tokenAddress(at % 2 === 0 ? buy : 0)}&n=${at}`
  })
}
