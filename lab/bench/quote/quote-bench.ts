import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import { startBenchDatabase } from '../bench-database.ts'
import type { BenchResult } from '../bench-result.ts'
import { channelTo } from '../child-messages.ts'
import { stopProgram } from '../indexer-process.ts'
import { loadServer } from '../load-server.ts'
import { watchProcess } from '../process-usage.ts'
import { readMetrics } from '../read-metrics.ts'
import { fillMarket, NETWORK, tokenAddress } from './fill-market.ts'
import { quoteHubs, quotesAfterBlocks } from './first-quotes.ts'
import type { LoopMessage } from './loop-watch.ts'
import { startMeasuredApi } from './measured-api.ts'
import { poolSpeed } from './pool-speed.ts'
import { ROUNDS, writeChain } from './write-chain.ts'

const QUOTE_MS = 5 * SECOND
const CONNECTIONS = 4
/** Enough quotes that the API no longer caches any of them when it repeats. */
const QUESTIONS = 50_000

/**
 * Measures the market in memory. The database has five ticks per pool; the real API has the heap of the compose file.
 * Measures its load time, its memory and its quotes, also while blocks are committed and rolled back.
 */
export async function benchQuote(
  { pools, dust }: { pools: number; dust: number },
  shutdown: Shutdown,
): Promise<BenchResult> {
  const speed = poolSpeed()
  const database = await startBenchDatabase(shutdown)
  const databaseUrl = await database.create('quote', { migrated: true })
  await fillMarket(databaseUrl, pools, shutdown, dust)
  await database.settle()
  let starting: LoopMessage | undefined
  const onListening = async (child: ChildProcess) => {
    starting = await readLoop(child)
  }
  const options = { rateLimitPerS: 0, preload: 'lab/bench/dist/bench-loop.js', onListening }
  const api = await startMeasuredApi(databaseUrl, options, shutdown)
  const stopWatching = watchProcess(api.child.pid ?? 0)
  const loading = await readLoop(api.child)
  const cpuS = (await readMetrics(api.metricsPort)).get('process_cpu_seconds_total') ?? 0
  const { firstMs, hubs } = await quoteHubs(api.url, QUOTE_MS, shutdown.signal)
  const paths = questions(pools)
  const quiet = await loadServer(api.url, { paths, connections: CONNECTIONS, ms: QUOTE_MS }, shutdown.signal)
  const quoting = await readLoop(api.child)
  const [, busy] = await Promise.all([
    writeChain(databaseUrl, pools, shutdown),
    loadServer(api.url, { paths, connections: 1, ms: QUOTE_MS }, shutdown.signal),
  ])
  await delay(SECOND, undefined, { signal: shutdown.signal })
  const following = await readLoop(api.child)
  const afterBlockMs = dust === 0 ? null : await quotesAfterBlocks(api.url, databaseUrl, dust, shutdown)
  const { peakRssMb } = stopWatching()
  await stopProgram(api.child)
  return {
    table: [
      ['pools, ticks', `${pools.toLocaleString('en')}, ${(5 * pools).toLocaleString('en')}`],
      ['a quote inside a tick, over ten ticks, us', `${speed.singleUs.toFixed(1)}, ${speed.crossTickUs.toFixed(1)}`],
      ['from the start of the process to a quote, s', (api.loadMs / SECOND).toFixed(1)],
      ['  processor time of the API until then, s', cpuS.toFixed(1)],
      ['highest memory of the API, MB', peakRssMb.toFixed(0)],
      ['longest block of the event loop, ms; having a processor: until it listens', blockedText(starting)],
      ['  while the market was loaded', blockedText(loading)],
      ['  while quotes were requested', blockedText(quoting)],
      [`  while ${ROUNDS} blocks came, a third in the place of others`, blockedText(following)],
      ['pools of dust on each of two links', dust.toLocaleString('en')],
      ['the longest of the first 100 quotes, hub to hub, ms', firstMs.toFixed(1)],
      ['  of those after a block with one more pool of dust, ms', afterBlockMs?.toFixed(1) ?? 'none'],
      ['quotes hub to hub, 50 %, 99 %, ms', `${hubs.p50Ms.toFixed(1)}, ${hubs.p99Ms.toFixed(1)}`],
      ['routed quotes, 50 %, 99 %, ms', `${quiet.p50Ms.toFixed(1)}, ${quiet.p99Ms.toFixed(1)}`],
      ['  while blocks came, ms', `${busy.p50Ms.toFixed(1)}, ${busy.p99Ms.toFixed(1)}`],
    ],
    figures: {
      pools,
      single_us: round(speed.singleUs),
      cross_tick_us: round(speed.crossTickUs),
      dust,
      routed_p99_ms: round(Math.max(quiet.p99Ms, hubs.p99Ms)),
      hub_p99_ms: round(hubs.p99Ms),
      first_max_ms: round(Math.max(firstMs, afterBlockMs ?? 0)),
      split_p99_ms: null,
      three_hop_per_s: Math.round(quiet.responses / quiet.seconds),
      http_ratio: null,
      load_s: round(api.loadMs / SECOND),
      loop_load_ms: Math.round(loading.blockedMs),
      loop_load_busy_ms: Math.round(loading.busyMs),
      loop_ms: Math.round(Math.max(quoting.blockedMs, following.blockedMs)),
      rss_mb: Math.round(peakRssMb),
    },
  }
}

function blockedText(loop?: LoopMessage): string {
  return `${loop?.blockedMs.toFixed(0)}, ${loop?.busyMs.toFixed(0)}`
}

function round(value: number): number {
  return Number(value.toFixed(1))
}

/** Returns how long the event loop of a program with `loop-watch.ts` was blocked since the last call. */
function readLoop(child: ChildProcess): Promise<LoopMessage> {
  const watched = channelTo<'loop', LoopMessage>(child)
  const heard = watched.receive('loop')
  watched.send('loop')
  return heard
}

function questions(pools: number): string[] {
  const tokens = Math.floor((pools * 2) / 3)
  return Array.from({ length: QUESTIONS }, (_, at) => {
    const [sell, buy] = [20 + ((at * 7_919) % tokens), 20 + ((at * 104_729 + 1) % tokens)]
    return `/api/quote?network=${NETWORK}&sellToken=${tokenAddress(sell)}&buyToken=${tokenAddress(at % 2 === 0 ? buy : 0)}&n=${at}`
  })
}
