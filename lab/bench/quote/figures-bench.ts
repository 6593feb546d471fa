import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import { startBenchDatabase, withClient } from '../bench-database.ts'
import { type BenchResult, rounded } from '../bench-result.ts'
import { quantilesOf } from '../load.ts'
import { watchProcess } from '../process-usage.ts'
import { stopProgram, untilServed } from '../programs.ts'
import { readMetrics } from '../read-metrics.ts'
import { fillFigures } from './fill-figures.ts'
import { fillMarket, NETWORK } from './fill-market.ts'
import { startMeasuredApi } from './measured-api.ts'

/** The API pauses nine times as long as a reading takes. */
const READINGS = 2
const PAUSE_MS = SECOND / 10
const LOOK_MS = SECOND / 5
const BYTES_PER_MB = 1_048_576
const ORDERS = ['volume', 'liquidity', 'price_change', 'age']

export async function benchFigures({ pools }: { pools: number }, shutdown: Shutdown): Promise<BenchResult> {
  const database = await startBenchDatabase(shutdown)
  const databaseUrl = await database.create('figures', { migrated: true })
  await fillMarket(databaseUrl, pools, shutdown)
  await fillFigures(databaseUrl, pools, Math.floor(Date.now() / SECOND), shutdown)
  await database.settle()
  const api = await startMeasuredApi(databaseUrl, { rateLimitPerS: 0 }, shutdown)
  const stopWatching = watchProcess(api.child.pid ?? 0)
  const alone = await memoryOf(api.metricsPort)
  const started = performance.now()
  await untilServed(`${api.url}/v1/tokens?limit=1`, api.child, shutdown.signal)
  const firstMs = performance.now() - started
  const watched = watchMemory(api.metricsPort)
  const timesMs = await readPages(api.url, databaseUrl, shutdown)
  const highest = watched()
  const { peakRssMb } = stopWatching()
  await stopProgram(api.child)
  const { p50Ms, p99Ms } = quantilesOf(timesMs)
  return {
    figures: {
      pools,
      heap_before_mb: alone.heapMb,
      external_before_mb: alone.externalMb,
      first_s: rounded(firstMs / SECOND, 1),
      heap_mb: highest.heapMb,
      external_mb: highest.externalMb,
      rss_mb: Math.round(peakRssMb),
      page_p50_ms: rounded(p50Ms, 1),
      page_p99_ms: rounded(p99Ms, 1),
    },
  }
}

async function readPages(url: string, databaseUrl: string, shutdown: Shutdown): Promise<number[]> {
  const requests = paths()
  const times: number[] = []
  const seen = new Set<string | null>()
  await withClient(databaseUrl, shutdown, async (client) => {
    for (let at = 0; seen.size < READINGS; at++) {
      await client.query('UPDATE network SET head_number = head_number + 1, head_time = now(), revision = revision + 1')
      const began = performance.now()
      const response = await fetch(`${url}${requests[at % requests.length]}`, { signal: shutdown.signal })
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`a page returned status ${response.status}`)
      times.push(performance.now() - began)
      seen.add(response.headers.get('X-Indexed-Block'))
      await delay(PAUSE_MS, undefined, { signal: shutdown.signal })
    }
  })
  return times
}

function paths(): string[] {
  const orders = ['', ...ORDERS.flatMap((by) => [`&order_by=${by}`, `&order_by=${by}&order=asc`]), '&min_volume=100000']
  return orders.flatMap((order) => ['tokens', 'pools'].map((kind) => `/v1/${kind}?network=${NETWORK}${order}`))
}

interface Memory {
  heapMb: number
  externalMb: number
}

async function memoryOf(metricsPort: number): Promise<Memory> {
  const metrics = await readMetrics(metricsPort)
  const mb = (name: string) => Math.round((metrics.get(name) ?? 0) / BYTES_PER_MB)
  return { heapMb: mb('nodejs_heap_size_used_bytes'), externalMb: mb('nodejs_external_memory_bytes') }
}

function watchMemory(metricsPort: number): () => Memory {
  const highest: Memory = { heapMb: 0, externalMb: 0 }
  const timer = setInterval(async () => {
    const { heapMb, externalMb } = await memoryOf(metricsPort)
    highest.heapMb = Math.max(highest.heapMb, heapMb)
    highest.externalMb = Math.max(highest.externalMb, externalMb)
  }, LOOK_MS)
  return () => {
    clearInterval(timer)
    return highest
  }
}
