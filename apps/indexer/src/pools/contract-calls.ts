import { type CallElsewhere, type CallMany, systemClock } from '@dexfeed/chain'
import { type CallResults, type EthCall, type Hex, HOUR, MINUTE, type PoolAddress } from '@dexfeed/dex'
import type { TimeClock } from '../loops/loop.ts'

/** `callElsewhere` uses another endpoint. It returns null if none responds. */
export interface ContractCaller {
  callMany: CallMany
  callElsewhere: CallElsewhere
}

export async function callEach(
  callMany: CallMany,
  questions: readonly (readonly EthCall[])[],
  at: Hex | 'latest',
  how?: Parameters<CallMany>[2],
): Promise<CallResults[]> {
  return splitAnswers(await callMany(questions.flat(), at, how), questions)
}

export async function callEachElsewhere(
  callElsewhere: CallElsewhere,
  questions: readonly (readonly EthCall[])[],
  at: Hex | 'latest',
): Promise<CallResults[] | null> {
  const results = await callElsewhere(questions.flat(), at)
  return results === null ? null : splitAnswers(results, questions)
}

export type CallContracts = (questions: readonly (readonly EthCall[])[]) => Promise<CallResults[] | null>

/** Sends the generators' next calls together. Returns their values, or null without a response. */
export async function runTogether<Value>(
  runs: readonly Generator<readonly EthCall[], Value, CallResults>[],
  call: CallContracts,
): Promise<Value[] | null> {
  const values = new Map<number, Value>()
  let pending = runs.map((run, index) => ({ run, index, results: [] as CallResults }))
  for (;;) {
    const called = pending.flatMap(({ run, index, results }) => {
      const step = run.next(results)
      if (!step.done) return [{ run, index, questions: step.value }]
      values.set(index, step.value)
      return []
    })
    if (called.length === 0) break
    const results = await call(called.map(({ questions }) => questions))
    if (results === null) return null
    pending = called.map(({ run, index }, at) => ({ run, index, results: results[at] ?? [] }))
  }
  return runs.map((_, index) => values.get(index) as Value)
}

function splitAnswers(results: CallResults, questions: readonly (readonly EthCall[])[]): CallResults[] {
  let next = 0
  return questions.map(({ length }) => {
    next += length
    return results.slice(next - length, next)
  })
}

/** Enough for all busy emitters, which would otherwise be checked at each event. */
const MAX_EMITTERS = 200_000
const FIRST_HOLDS = MINUTE
const LONGEST_HOLDS = 7 * 24 * HOUR

interface Denial {
  since: number
  /** The block of the denial; for the latest block, the minute. */
  at: string
  times: number
  until: number
}

/**
 * Remembers denied emitters. One denial proves nothing, because the node may not have the pool's block yet. A second
 * endpoint confirms it, or the same one at another block a minute later; until then the emitter is checked again with
 * growing pauses. A confirmed denial holds for a minute, and each further confirmation doubles that time.
 */
export class Denials {
  readonly #clock: TimeClock
  readonly #denials = new Map<PoolAddress, Denial>()

  constructor(clock: TimeClock = systemClock) {
    this.#clock = clock
  }

  isConfirmed(emitter: PoolAddress): boolean {
    const denial = this.#denials.get(emitter)
    return denial !== undefined && denial.times > 0
  }

  isActive(emitter: PoolAddress): boolean {
    return (this.#denials.get(emitter)?.until ?? Number.NEGATIVE_INFINITY) > this.#clock.now()
  }

  /** @param byTwo whether a second endpoint agreed */
  note(emitter: PoolAddress, block: string, byTwo: boolean): void {
    const now = this.#clock.now()
    const at = block === 'latest' ? `latest ${Math.floor(now / MINUTE)}` : block
    const before = this.#denials.get(emitter) ?? { since: now, at, times: 0, until: now }
    const isConfirmed = byTwo || (before.at !== at && now - before.since >= FIRST_HOLDS)
    const denial: Denial = isConfirmed
      ? {
          since: now,
          at,
          times: before.times + 1,
          until: now + Math.min(LONGEST_HOLDS, FIRST_HOLDS * 2 ** before.times),
        }
      : { ...before, until: before.times > 0 ? before.until : 2 * now - before.since }
    this.#denials.delete(emitter)
    this.#denials.set(emitter, denial)
    const oldest = this.#denials.keys().next()
    if (this.#denials.size > MAX_EMITTERS && !oldest.done) this.#denials.delete(oldest.value)
  }

  forget(emitter: PoolAddress): void {
    this.#denials.delete(emitter)
  }
}
