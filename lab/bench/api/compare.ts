import { askMany, type Load } from '../ask-many.ts'
import { cpuOf } from '../process-usage.ts'
import type { BareAnswer } from './bare-messages.ts'

const ROUNDS = 3

/** An operation of the API beside the bare server that answers the same. */
export interface Compared {
  connections: number
  /** Answers a second of each, in the best of the rounds. */
  perSecond: number
  barePerSecond: number
  p99Ms: number
  bareP99Ms: number
  ratio: number
  /** The CPU time that the bare server takes for an answer by what the API takes: other programs spoil it less. */
  cpuRatio: number
}

export interface Servers {
  url: string
  bareUrl: string
  pid: number
  barePid: number
  /** Makes the bare server answer these. */
  tell(answers: readonly BareAnswer[]): Promise<void>
}

/** What a connection sets by itself, and what is ours alone: ids and limits. */
const NOT_OF_THE_FLOOR = new Set(['connection', 'keep-alive', 'date', 'x-request-id', 'ratelimit', 'ratelimit-policy'])

/**
 * Measures paths of the API and the same bytes with the same headers from the bare server, in turns.
 *
 * @throws where any answer is no 200
 */
export async function compare(
  { url, bareUrl, pid, barePid, tell }: Servers,
  {
    paths,
    barePaths = paths,
    connections,
    ms,
  }: { paths: readonly string[]; barePaths?: readonly string[]; connections: number; ms: number },
  signal: AbortSignal,
): Promise<Compared> {
  await tell(await Promise.all(barePaths.map((path) => answerOf(url, path))))
  const best = { perSecond: 0, barePerSecond: 0, p99Ms: Number.POSITIVE_INFINITY, bareP99Ms: Number.POSITIVE_INFINITY }
  const [cpu, bareCpu] = [new CpuMeter(pid), new CpuMeter(barePid)]
  let next = 0
  for (let round = 0; round < ROUNDS; round++) {
    const bare = await bareCpu.measure(() => askMany(bareUrl, { paths: barePaths, connections, ms }, signal))
    // Where each is to be a new one, the next round goes on.
    const turned = [...paths.slice(next), ...paths.slice(0, next)]
    const own = await cpu.measure(() => askMany(url, { paths: turned, connections, ms }, signal))
    next = (next + connections + own.answers) % paths.length
    if (own.failures + bare.failures > 0) throw new Error(`${own.failures} answers to ${paths[0]} were failures`)
    best.perSecond = Math.max(best.perSecond, own.answers / own.seconds)
    best.barePerSecond = Math.max(best.barePerSecond, bare.answers / bare.seconds)
    best.p99Ms = Math.min(best.p99Ms, own.p99Ms)
    best.bareP99Ms = Math.min(best.bareP99Ms, bare.p99Ms)
  }
  return {
    connections,
    ...best,
    ratio: best.perSecond / best.barePerSecond,
    cpuRatio: bareCpu.perAnswer() / cpu.perAnswer(),
  }
}

/** The CPU time of a process by the answers that it gave. */
class CpuMeter {
  readonly #pid: number
  #seconds = 0
  #answers = 0

  constructor(pid: number) {
    this.#pid = pid
  }

  async measure(load: () => Promise<Load>): Promise<Load> {
    const before = cpuOf(this.#pid)
    const found = await load()
    this.#seconds += cpuOf(this.#pid) - before
    this.#answers += found.answers
    return found
  }

  /** Seconds. */
  perAnswer(): number {
    return this.#seconds / this.#answers
  }
}

async function answerOf(url: string, path: string): Promise<BareAnswer> {
  const response = await fetch(url + path, { headers: { 'Accept-Encoding': 'identity' } })
  const headers = [...response.headers].filter(([name]) => !NOT_OF_THE_FLOOR.has(name))
  return { path, body: await response.text(), headers: Object.fromEntries(headers) }
}
