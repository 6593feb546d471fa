import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import { Agent, request } from 'undici'
import type { BenchDatabase } from '../bench-database.ts'
import { type BenchResult, rounded } from '../bench-result.ts'
import { fillDay, fillRolledUp } from '../fill-trades.ts'
import { quantilesOf } from '../load.ts'
import { startPeer, stopProgram } from '../programs.ts'
import { fillMarket, NETWORK, tokenAddress } from '../quote/fill-market.ts'
import { LOOP_WATCH, type MeasuredApi, readLoop, startMeasuredApi } from '../quote/measured-api.ts'
import type { NeighbourFunctions } from './neighbour-client.ts'
import { NEIGHBOUR_LOADS } from './neighbour-loads.ts'

const POOLS = 2_000
const RATE = 200
const ADDRESS = '127.0.0.2'
const MEASURED_MS = 1.5 * SECOND
/** With two requests per pause, the measured client stays below the rate limit. */
const PAUSE_MS = 12
const MAX_MS = 25
const MAX_TIMES = 3
/** Other programs disturb measurements. Only a harmful load exceeds the limit every time. */
const ATTEMPTS = 4
/** If the API waited longer for a CPU, the attempt measured other programs. */
const MAX_WAIT_MS = 10

interface Times {
  live: number
  quote: number
}

export async function benchNeighbour(database: BenchDatabase, rows: number, shutdown: Shutdown): Promise<BenchResult> {
  const databaseUrl = await database.create('neighbour', { migrated: true })
  const now = Math.floor(Date.now() / SECOND)
  await fillMarket(databaseUrl, POOLS, shutdown)
  await fillDay(databaseUrl, rows, now, shutdown)
  await fillRolledUp(databaseUrl, now, shutdown)
  const api = await startMeasuredApi(databaseUrl, { rateLimitPerS: RATE, preload: LOOP_WATCH }, shutdown)
  const { signal } = shutdown
  const notes: [string, string][] = []
  const over: string[] = []
  const judged: Times[] = []
  await measure(api.url, signal)
  for (const name of Object.keys(NEIGHBOUR_LOADS)) {
    let line = 'not measured: the machine is too busy'
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const quiet = await measure(api.url, signal)
      if (Math.max(quiet.live, quiet.quote) > MAX_MS) continue
      const { loaded, counts, waitedMs } = await measureBeside(api, name, shutdown)
      if (waitedMs > MAX_WAIT_MS) continue
      line = `${textOf(loaded)}; quiet ${textOf(quiet)}; ${counts.responses} responses, ${counts.refused} refused`
      const isOver = (['live', 'quote'] as const).some((of) => loaded[of] > Math.max(MAX_MS, MAX_TIMES * quiet[of]))
      if (isOver && attempt < ATTEMPTS) continue
      if (isOver) over.push(name)
      judged.push(loaded)
      break
    }
    notes.push([`beside ${name}, 99 %, ms`, line])
  }
  await stopProgram(api.child)
  const worst = (of: keyof Times) =>
    judged.length === 0 ? null : rounded(Math.max(...judged.map((times) => times[of])), 1)
  return {
    notes,
    figures: {
      neighbour_measured: judged.length,
      neighbour_live_p99_ms: worst('live'),
      neighbour_quote_p99_ms: worst('quote'),
      neighbour_over: over.length,
    },
    ...(over.length > 0 && { failure: `other clients wait too long beside: ${over.join(', ')}` }),
  }
}

async function measureBeside({ child: api, url }: MeasuredApi, name: string, shutdown: Shutdown) {
  const peer = { heapMb: 1_024, args: [url, name], shutdown }
  const { child, call } = startPeer<NeighbourFunctions>('lab/dist/bench-neighbour.js', peer)
  while ((await call('count')).responses === 0) await delay(PAUSE_MS, undefined, { signal: shutdown.signal })
  await readLoop(api)
  const loaded = await measure(url, shutdown.signal)
  const { blockedMs, busyMs } = await readLoop(api)
  const counts = await call('count')
  await stopProgram(child)
  return { loaded, counts, waitedMs: blockedMs - busyMs }
}

async function measure(url: string, signal: AbortSignal): Promise<Times> {
  const dispatcher = new Agent({ connections: 1, localAddress: ADDRESS })
  const timeOf = async (path: string) => {
    const began = performance.now()
    const { statusCode, body } = await request(url + path, { dispatcher, signal })
    await body.dump()
    if (statusCode !== 200 && statusCode !== 404) throw new Error(`${path} returned ${statusCode}`)
    return performance.now() - began
  }
  const live: number[] = []
  const quotes: number[] = []
  const until = performance.now() + MEASURED_MS
  for (let n = 0; performance.now() < until; n++) {
    live.push(await timeOf('/livez'))
    const [sell, buy] = [tokenAddress(n % 5), tokenAddress(20 + ((n * 13) % 1_000))]
    quotes.push(await timeOf(`/api/quote?network=${NETWORK}&sellToken=${sell}&buyToken=${buy}&n=${until}`))
    await delay(PAUSE_MS, undefined, { signal })
  }
  await dispatcher.close()
  return { live: quantilesOf(live).p99Ms, quote: quantilesOf(quotes).p99Ms }
}

function textOf({ live, quote }: Times): string {
  return `/livez ${live.toFixed(1)} and a quote ${quote.toFixed(1)}`
}
