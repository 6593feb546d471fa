import { type CallElsewhere, type CallMany, type Clock, systemClock } from '@dexfeed/chain'
import { type CallResults, type EthCall, type Hex, HOUR, MINUTE, type PoolAddress } from '@dexfeed/dex'

/** Calls at one block: at the first choice of endpoint, and at another host. */
export interface ContractCalls {
  callMany: CallMany
  callElsewhere: CallElsewhere
}

/** Sends the calls of many items together and returns each item's results in order. */
export async function callEach(
  chain: { callMany: CallMany },
  questions: readonly (readonly EthCall[])[],
  at: Hex | 'latest',
  how?: Parameters<CallMany>[2],
): Promise<CallResults[]> {
  return splitAnswers(await chain.callMany(questions.flat(), at, how), questions)
}

/** Like `callEach`, at a second endpoint. Returns null if no second endpoint responds. */
export async function callEachElsewhere(
  chain: { callElsewhere: CallElsewhere },
  questions: readonly (readonly EthCall[])[],
  at: Hex | 'latest',
): Promise<CallResults[] | null> {
  const results = await chain.callElsewhere(questions.flat(), at)
  return results === null ? null : splitAnswers(results, questions)
}

export type CallContracts = (questions: readonly (readonly EthCall[])[]) => Promise<CallResults[] | null>

/**
 * Runs generators that need contract calls. The next calls of all of them are sent together.
 * Returns the value of each generator in order; null if calls got no response.
 */
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

/** Maximum remembered emitters, so that busy ones are not checked at each event. */
const MOST = 200_000
const FIRST_HOLDS = MINUTE
const LONGEST_HOLDS = 7 * 24 * HOUR

interface Denial {
  /** Time of the first denial, or of the last confirmation. */
  since: number
  /** The block of that denial; for the latest block, the minute. */
  at: string
  times: number
  /** The emitter need not be checked before this time. */
  until: number
}

/**
 * Remembers emitters that the configured contracts denied. One response alone proves nothing, because a node may not
 * have the pool's block yet. A denial is confirmed when a second endpoint agrees, or when the same one agrees at
 * another block a minute later. It is then active for a minute, and twice as long after each further confirmation.
 * Until it is confirmed, the emitter is checked again immediately, then with growing pauses.
 */
export class Denials {
  readonly #clock: Pick<Clock, 'now'>
  readonly #denials = new Map<PoolAddress, Denial>()

  constructor(clock: Pick<Clock, 'now'> = systemClock) {
    this.#clock = clock
  }

  /** Whether more than one response supports the denial. */
  isConfirmed(emitter: PoolAddress): boolean {
    const denial = this.#denials.get(emitter)
    return denial !== undefined && denial.times > 0
  }

  /** Whether the emitter need not be checked now. */
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
    if (this.#denials.size > MOST && !oldest.done) this.#denials.delete(oldest.value)
  }

  forget(emitter: PoolAddress): void {
    this.#denials.delete(emitter)
  }
}
