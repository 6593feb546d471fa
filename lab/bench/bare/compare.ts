import { type Load, loadServer } from '../load-server.ts'
import { cpuOf } from '../process-usage.ts'
import type { BareResponse } from './bare-server.ts'

const ROUNDS = 3

/** An operation of the API compared with the bare server that returns the same. */
export interface Compared {
  connections: number
  /** Responses per second of each, in the best round. */
  perSecond: number
  barePerSecond: number
  p99Ms: number
  bareP99Ms: number
  ratio: number
  /** CPU time per response of the bare server divided by that of the API: other programs affect it less. */
  cpuRatio: number
}

export interface Servers {
  url: string
  bareUrl: string
  pid: number
  barePid: number
  setResponses(responses: readonly BareResponse[]): Promise<void>
}

/** Headers that a connection sets itself, and those that only the API has: ids and limits. */
const NOT_OF_THE_FLOOR = new Set(['connection', 'keep-alive', 'date', 'x-request-id', 'ratelimit', 'ratelimit-policy'])

/**
 * Measures paths of the API and the same bytes with the same headers from the bare server, in turns.
 *
 * @throws if any status is not 200
 */
export async function compare(
  { url, bareUrl, pid, barePid, setResponses }: Servers,
  {
    paths,
    barePaths = paths,
    connections,
    ms,
  }: { paths: readonly string[]; barePaths?: readonly string[]; connections: number; ms: number },
  signal: AbortSignal,
): Promise<Compared> {
  await setResponses(await Promise.all(barePaths.map((path) => responseOf(url, path))))
  const best = { perSecond: 0, barePerSecond: 0, p99Ms: Number.POSITIVE_INFINITY, bareP99Ms: Number.POSITIVE_INFINITY }
  const [cpu, bareCpu] = [new CpuMeter(pid), new CpuMeter(barePid)]
  let next = 0
  for (let round = 0; round < ROUNDS; round++) {
    const bare = await bareCpu.measure(() => loadServer(bareUrl, { paths: barePaths, connections, ms }, signal))
    // The next round continues with new paths.
    const turned = [...paths.slice(next), ...paths.slice(0, next)]
    const own = await cpu.measure(() => loadServer(url, { paths: turned, connections, ms }, signal))
    next = (next + connections + own.responses) % paths.length
    if (own.failures + bare.failures > 0) throw new Error(`${own.failures} responses to ${paths[0]} were failures`)
    best.perSecond = Math.max(best.perSecond, own.responses / own.seconds)
    best.barePerSecond = Math.max(best.barePerSecond, bare.responses / bare.seconds)
    best.p99Ms = Math.min(best.p99Ms, own.p99Ms)
    best.bareP99Ms = Math.min(best.bareP99Ms, bare.p99Ms)
  }
  return {
    connections,
    ...best,
    ratio: best.perSecond / best.barePerSecond,
    cpuRatio: bareCpu.perResponse() / cpu.perResponse(),
  }
}

class CpuMeter {
  readonly #pid: number
  #seconds = 0
  #responses = 0

  constructor(pid: number) {
    this.#pid = pid
  }

  async measure(load: () => Promise<Load>): Promise<Load> {
    const before = cpuOf(this.#pid)
    const found = await load()
    this.#seconds += cpuOf(this.#pid) - before
    this.#responses += found.responses
    return found
  }

  /** Seconds. */
  perResponse(): number {
    return this.#seconds / this.#responses
  }
}

async function responseOf(url: string, path: string): Promise<BareResponse> {
  const response = await fetch(url + path, { headers: { 'Accept-Encoding': 'identity' } })
  const headers = [...response.headers].filter(([name]) => !NOT_OF_THE_FLOOR.has(name))
  return { path, body: await response.text(), headers: Object.fromEntries(headers) }
}
