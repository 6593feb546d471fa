import { SECOND } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import type { BareFunctions, BareResponse } from './bare-server.ts'
import { inTurn, type Load, type LoadPlan, loadServer } from './load.ts'
import { cpuOf } from './process-usage.ts'
import { startPeer } from './programs.ts'
import type { Caller } from './remote.ts'

const ROUNDS = 3

export interface BareServer {
  url: string
  pid: number
  call: Caller<BareFunctions>
}

export async function startBareServer(shutdown: Shutdown): Promise<BareServer> {
  const { child, call } = startPeer<BareFunctions>('lab/dist/bench-bare.js', { heapMb: 4_096, shutdown })
  return { url: await call('listen'), pid: child.pid ?? 0, call }
}

export interface Compared {
  perSecond: number
  barePerSecond: number
  p99Ms: number
  ratio: number
  /** Bare CPU time per response divided by the API's. Other programs disturb it less than `ratio`. */
  cpuRatio: number
}

const NOT_OF_THE_FLOOR = new Set(['connection', 'keep-alive', 'date', 'x-request-id', 'ratelimit', 'ratelimit-policy'])

/**
 * Loads the API and the bare server in turn. The bare server sends the API's response to the first path.
 *
 * @throws if a request fails
 */
export async function compare(
  api: { url: string; pid: number },
  bare: BareServer,
  { paths, connections }: { paths: readonly string[]; connections: number },
  signal: AbortSignal,
): Promise<Compared> {
  const [first = '/'] = paths
  await bare.call('setResponse', await responseOf(api.url, first))
  const path = paths.length === 1 ? first : inTurn(paths)
  const ofApi: Measured[] = []
  const floor: Measured[] = []
  for (let round = 0; round < ROUNDS; round++) {
    floor.push(await measure(bare, { path: first, connections, ms: SECOND }, signal))
    ofApi.push(await measure(api, { path, connections, ms: SECOND }, signal))
  }
  const best = (loads: readonly Measured[]) => Math.max(...loads.map(({ responses, seconds }) => responses / seconds))
  const cpu = (loads: readonly Measured[]) => sum(loads, 'cpuSeconds') / sum(loads, 'responses')
  return {
    perSecond: best(ofApi),
    barePerSecond: best(floor),
    p99Ms: Math.min(...ofApi.map(({ p99Ms }) => p99Ms)),
    ratio: best(ofApi) / best(floor),
    cpuRatio: cpu(floor) / cpu(ofApi),
  }
}

interface Measured extends Load {
  cpuSeconds: number
}

async function measure({ url, pid }: { url: string; pid: number }, plan: LoadPlan, signal: AbortSignal) {
  const before = cpuOf(pid)
  const load = await loadServer(url, plan, signal)
  if (load.failures > 0) throw new Error(`${load.failures} responses of ${load.responses} from ${url} were failures`)
  return { ...load, cpuSeconds: cpuOf(pid) - before }
}

function sum(loads: readonly Measured[], of: 'cpuSeconds' | 'responses'): number {
  return loads.reduce((total, load) => total + load[of], 0)
}

async function responseOf(url: string, path: string): Promise<BareResponse> {
  const response = await fetch(url + path, { headers: { 'Accept-Encoding': 'identity' } })
  const headers = [...response.headers].filter(([name]) => !NOT_OF_THE_FLOOR.has(name))
  return { path, body: await response.text(), headers: Object.fromEntries(headers) }
}

export function comparedText({ perSecond, barePerSecond, ratio, cpuRatio, p99Ms }: Compared): string {
  const speeds = `${Math.round(perSecond)} a second, bare ${Math.round(barePerSecond)}`
  return `${speeds}: ${ratio.toFixed(2)} (by CPU time ${cpuRatio.toFixed(2)}); 99 % within ${p99Ms.toFixed(1)} ms`
}
