import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import type { Client } from 'pg'
import { startBenchDatabase, withClient } from '../bench-database.ts'
import { type BenchResult, rounded } from '../bench-result.ts'
import { compare, startBareServer } from '../compare.ts'
import { inTurn, loadServer, quantilesOf } from '../load.ts'
import { watchProcess } from '../process-usage.ts'
import { stopProgram } from '../programs.ts'
import { fillMarket, HEAD, HUBS, NETWORK, tokenAddress } from './fill-market.ts'
import { measureInProcess } from './in-process.ts'
import { LOOP_WATCH, type LongestStop, readLoop, startMeasuredApi } from './measured-api.ts'
import { addBlock, writeChain } from './write-blocks.ts'

const QUOTE_MS = 5 * SECOND
const FIRSTS = 100
const GAP_MS = 5
const FIRST_BLOCK = HEAD + 1_000
const PRICES = 1_000
const HTTP_QUESTIONS = 1_000

export async function benchQuote(
  { pools, dust }: { pools: number; dust: number },
  shutdown: Shutdown,
): Promise<BenchResult> {
  const { signal } = shutdown
  const inProcess = measureInProcess(pools)
  const database = await startBenchDatabase(shutdown)
  const databaseUrl = await database.create('quote', { migrated: true })
  await fillMarket(databaseUrl, pools, shutdown, dust)
  await database.settle()
  let starting: LongestStop | undefined
  const onListening = async (child: ChildProcess) => {
    starting = await readLoop(child)
  }
  const api = await startMeasuredApi(databaseUrl, { rateLimitPerS: 0, preload: LOOP_WATCH, onListening }, shutdown)
  const stopWatching = watchProcess(api.pid)
  const loading = await readLoop(api.child)
  let firstMs = 0
  const nextHubs = hubQuotes()
  for (let i = 0; i < FIRSTS; i++) firstMs = Math.max(firstMs, (await request(api.url + nextHubs(), signal)).ms)
  const hubs = await loadServer(api.url, { path: nextHubs, connections: 1, ms: QUOTE_MS }, signal)
  const next = anyQuotes(pools)
  const quiet = await loadServer(api.url, { path: next, connections: 4, ms: QUOTE_MS }, signal)
  const quoting = await readLoop(api.child)
  const [busy] = await Promise.all([
    loadServer(api.url, { path: next, connections: 1, ms: QUOTE_MS }, signal),
    writeChain(databaseUrl, pools, shutdown),
  ])
  await delay(SECOND, undefined, { signal })
  const following = await readLoop(api.child)
  const [after, prices] = await withClient(databaseUrl, shutdown, async (client) => [
    await quotesAfterBlocks(api.url, client, dust, signal),
    await priceLists(api.url, client, pools, signal),
  ])
  const http = await compareHttp(api, next, shutdown)
  const { peakRssMb } = stopWatching()
  await stopProgram(api.child)
  return {
    figures: {
      pools,
      dust,
      ...inProcess.figures,
      routed_p99_ms: rounded(Math.max(quiet.p99Ms, hubs.p99Ms), 1),
      hub_p99_ms: rounded(hubs.p99Ms, 1),
      busy_p99_ms: rounded(busy.p99Ms, 1),
      first_max_ms: rounded(Math.max(firstMs, after.longestMs), 1),
      http_ratio: rounded(http.ratio, 2),
      fresh_p50_ms: rounded(after.fresh.p50Ms, 1),
      fresh_p99_ms: rounded(after.fresh.p99Ms, 1),
      prices_p99_ms: rounded(prices.p99Ms, 1),
      load_s: rounded(api.loadMs / SECOND, 1),
      loop_start_ms: Math.round(starting?.blockedMs ?? 0),
      loop_load_ms: Math.round(loading.blockedMs),
      loop_load_busy_ms: Math.round(loading.busyMs),
      loop_ms: Math.round(Math.max(quoting.blockedMs, following.blockedMs)),
      rss_mb: Math.round(peakRssMb),
    },
    notes: inProcess.notes ?? [],
  }
}

/** Returns paths of quotes between hubs. No path repeats, so the API must compute each quote. */
function hubQuotes(): () => string {
  const hubs = Array.from({ length: HUBS }, (_, n) => n)
  const pairs = hubs.flatMap((sell) => hubs.filter((buy) => buy !== sell).map((buy) => [sell, buy] as const))
  let n = 0
  return () => {
    const [sell = 0, buy = 1] = pairs[n % pairs.length] ?? []
    return quotePath(sell, buy, n++)
  }
}

function anyQuotes(pools: number): () => string {
  const tokens = Math.floor((pools * 2) / 3)
  let n = 0
  return () => {
    const [sell, buy] = [20 + ((n * 7_919) % tokens), 20 + ((n * 104_729 + 1) % tokens)]
    return quotePath(sell, n % 2 === 0 ? buy : 0, n++)
  }
}

function quotePath(sell: number, buy: number, n: number): string {
  return `/api/quote?network=${NETWORK}&sellToken=${tokenAddress(sell)}&buyToken=${tokenAddress(buy)}&n=${n}`
}

/** Adds blocks with a new pool. Returns the slowest quote, and the times until a quote is from the new block. */
async function quotesAfterBlocks(url: string, client: Client, dust: number, signal: AbortSignal) {
  let longestMs = 0
  const times: number[] = []
  const next = hubQuotes()
  for (let i = 0; i < FIRSTS; i++) {
    await addBlock(client, FIRST_BLOCK + i, 2 * dust + i)
    const committed = performance.now()
    const path = next()
    for (let isIndexed = false; !isIndexed; ) {
      const { ms, block } = await request(url + path, signal)
      longestMs = Math.max(longestMs, ms)
      isIndexed = block === `${NETWORK}=${FIRST_BLOCK + i}`
      if (!isIndexed) await delay(GAP_MS, undefined, { signal })
    }
    times.push(performance.now() - committed)
  }
  return { longestMs, fresh: quantilesOf(times) }
}

async function priceLists(url: string, client: Client, pools: number, signal: AbortSignal) {
  const tokens = Math.floor((pools * 2) / 3)
  const times: number[] = []
  // The first requests warm up the JIT.
  for (let i = -FIRSTS / 10; i < FIRSTS; i++) {
    await addBlock(client, FIRST_BLOCK + 2 * FIRSTS + i, 1_000_000 + i)
    const named = Array.from({ length: PRICES }, (_, n) => tokenAddress(((i + FIRSTS) * 7_919 + n) % tokens))
    const body = JSON.stringify({ network: NETWORK, tokens: named })
    const { ms } = await request(`${url}/v1/prices`, signal, body)
    if (i >= 0) times.push(ms)
  }
  return quantilesOf(times)
}

async function compareHttp(api: { url: string; pid: number }, next: () => string, shutdown: Shutdown) {
  const paths: string[] = []
  for (let i = 0; i < HTTP_QUESTIONS; i++) {
    const path = next()
    const response = await fetch(api.url + path, { signal: shutdown.signal })
    await response.arrayBuffer()
    if (response.status === 200) paths.push(path)
  }
  let n = 0
  const again = inTurn(paths)
  // More paths than the API caches.
  const fresh = Array.from({ length: 50 * paths.length }, () => `${again()}.${n++}`)
  return compare(api, await startBareServer(shutdown), { paths: fresh, connections: 10 }, shutdown.signal)
}

async function request(url: string, signal: AbortSignal, body?: string): Promise<{ ms: number; block: string | null }> {
  const started = performance.now()
  const post = body === undefined ? {} : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }
  const response = await fetch(url, { signal, ...post })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${url} returned ${response.status}: ${text.slice(0, 200)}`)
  return { ms: performance.now() - started, block: response.headers.get('X-Indexed-Block') }
}
