import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import type { BenchDatabase } from '../bench-database.ts'
import type { BenchResult } from '../bench-result.ts'
import { startPeer, stopProgram } from '../programs.ts'
import { fillMarket, NETWORK, tokenAddress } from '../quote/fill-market.ts'
import { LOOP_WATCH, type MeasuredApi, readLoop, startMeasuredApi } from '../quote/measured-api.ts'
import { fillDay } from './fill-day.ts'
import { fillRolledUp } from './fill-rolled-up.ts'
import type { NeighbourFunctions } from './neighbour-client.ts'
import { NEIGHBOUR_LOADS } from './neighbour-loads.ts'

const POOLS = 2_000
/** The default of `RATE_LIMIT_PER_S`. */
const RATE = 200
const ADDRESS = '127.0.0.2'
const MEASURED_MS = 1.5 * SECOND
/** Below the rate limit with two requests each. */
const PAUSE_MS = 12
/** What a neighbour's load may do to the 99 % of another client. */
const MAX_MS = 25
const MAX_TIMES = 3
/** Other programs of the machine disturb a measurement. A load that is at fault fails each that was quiet before. */
const ATTEMPTS = 4
/** Where the API has waited this long for a processor, other programs were measured. */
const MAX_WAIT_MS = 10

/** Times of the measured client, in ms. */
interface Times {
  live: { p50: number; p99: number }
  quote: { p50: number; p99: number }
}

/** Measures how long a client waits for `/livez` and for new quotes while another one sends each load. */
export async function benchNeighbour(database: BenchDatabase, rows: number, shutdown: Shutdown): Promise<BenchResult> {
  const databaseUrl = await database.create('neighbour', { migrated: true })
  const now = Math.floor(Date.now() / SECOND)
  await fillMarket(databaseUrl, POOLS, shutdown)
  await fillDay(databaseUrl, rows, now, shutdown)
  await fillRolledUp(databaseUrl, now, shutdown)
  const api = await startMeasuredApi(databaseUrl, { rateLimitPerS: RATE, preload: LOOP_WATCH }, shutdown)
  const { signal } = shutdown
  const table: [string, string][] = []
  const over: string[] = []
  const judged: Times[] = []
  await measure(api.url, signal)
  for (const name of Object.keys(NEIGHBOUR_LOADS)) {
    let line = 'not measured: the machine is too busy'
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const quiet = await measure(api.url, signal)
      if (Math.max(quiet.live.p99, quiet.quote.p99) > MAX_MS) continue
      const { loaded, responses, refused, waitedMs } = await measureBeside(api, name, shutdown)
      if (waitedMs > MAX_WAIT_MS) continue
      line = `${textOf(loaded)}; quiet ${textOf(quiet)}; ${responses} responses, ${refused} refused`
      const isOver = isSlow(loaded.live, quiet.live) || isSlow(loaded.quote, quiet.quote)
      if (isOver && attempt < ATTEMPTS) continue
      if (isOver) over.push(name)
      judged.push(loaded)
      break
    }
    table.push([`beside ${name}, 50 %, 99 %, ms`, line])
  }
  await stopProgram(api.child)
  const worst = (of: keyof Times) =>
    judged.length === 0 ? null : Number(Math.max(...judged.map((times) => times[of].p99)).toFixed(1))
  return {
    notes: table,
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
  const { child, call } = startPeer<NeighbourFunctions>('lab/bench/dist/bench-neighbour.js', peer)
  while ((await call('count')).responses === 0) await delay(PAUSE_MS, undefined, { signal: shutdown.signal })
  await readLoop(api)
  const loaded = await measure(url, shutdown.signal)
  const { blockedMs, busyMs } = await readLoop(api)
  const { responses, refused } = await call('count')
  await stopProgram(child)
  return { loaded, responses, refused, waitedMs: blockedMs - busyMs }
}

async function measure(url: string, signal: AbortSignal): Promise<Times> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: ADDRESS })
  const live: number[] = []
  const quotes: number[] = []
  const until = performance.now() + MEASURED_MS
  for (let n = 0; performance.now() < until; n++) {
    live.push(await timeOf(url, '/livez', agent))
    const [sell, buy] = [tokenAddress(n % 5), tokenAddress(20 + ((n * 13) % 1_000))]
    quotes.push(await timeOf(url, `/api/quote?network=${NETWORK}&sellToken=${sell}&buyToken=${buy}&n=${until}`, agent))
    await delay(PAUSE_MS, undefined, { signal })
  }
  agent.destroy()
  return { live: quantiles(live), quote: quantiles(quotes) }
}

/** @throws if the response is a refusal */
function timeOf(url: string, path: string, agent: Agent): Promise<number> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    request(url + path, { agent }, (response) => {
      const { statusCode: status } = response
      if (status !== 200 && status !== 404) reject(new Error(`${path} returned ${status}`))
      response.resume().once('end', () => resolve(performance.now() - began))
    })
      .on('error', reject)
      .end()
  })
}

function quantiles(times: number[]): { p50: number; p99: number } {
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}

function isSlow(loaded: { p99: number }, quiet: { p99: number }): boolean {
  return loaded.p99 > Math.max(MAX_MS, MAX_TIMES * quiet.p99)
}

function textOf({ live, quote }: Times): string {
  const pair = ({ p50, p99 }: { p50: number; p99: number }) => `${p50.toFixed(1)}, ${p99.toFixed(1)}`
  return `/livez ${pair(live)} and a quote ${pair(quote)}`
}
