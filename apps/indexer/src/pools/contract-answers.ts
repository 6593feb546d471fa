import { type Chain, type Clock, systemClock } from '@dexfeed/chain'
import { type Answers, type Hex, HOUR, MINUTE, type PoolAddress, type Question } from '@dexfeed/dex'

/** Asks the questions of many together and gives each the answers to its own, in their order. */
export async function callEach(
  chain: Pick<Chain, 'callMany'>,
  questions: readonly (readonly Question[])[],
  at: Hex | 'latest',
  how?: Parameters<Chain['callMany']>[2],
): Promise<Answers[]> {
  return splitAnswers(await chain.callMany(questions.flat(), at, how), questions)
}

/** The same of a second endpoint; null: there is none that answers. */
export async function callEachElsewhere(
  chain: Pick<Chain, 'callElsewhere'>,
  questions: readonly (readonly Question[])[],
  at: Hex | 'latest',
): Promise<Answers[] | null> {
  const answers = await chain.callElsewhere(questions.flat(), at)
  return answers === null ? null : splitAnswers(answers, questions)
}

function splitAnswers(answers: Answers, questions: readonly (readonly Question[])[]): Answers[] {
  let next = 0
  return questions.map(({ length }) => {
    next += length
    return answers.slice(next - length, next)
  })
}

/** Emitters that are remembered, so that a busy one is asked about once in a while. */
const MOST = 200_000
const FIRST_HOLDS = MINUTE
const LONGEST_HOLDS = 7 * 24 * HOUR

interface Denial {
  /** When it was said first, or confirmed last, */
  since: number
  /** and about what: a block, or a minute of the latest ones. */
  at: string
  /** How often it was confirmed. */
  times: number
  /** The emitter need not be asked about before. */
  until: number
}

/**
 * Emitters that the configured contracts denied. One answer is no denial: it counts when a second endpoint, or the same
 * one at another block a minute later, says so too, and then for a minute, twice as long each further time. Until it
 * counts the emitter is asked about again at once, and then with growing rests: a node may lag behind the pool's block.
 */
export class Denials {
  readonly #clock: Pick<Clock, 'now'>
  readonly #denials = new Map<PoolAddress, Denial>()

  constructor(clock: Pick<Clock, 'now'> = systemClock) {
    this.#clock = clock
  }

  /** Whether a denial counts, and not one answer alone says so. */
  isConfirmed(emitter: PoolAddress): boolean {
    return (this.#denials.get(emitter)?.times ?? 0) > 0
  }

  /** Whether the emitter need not be asked about now. */
  isActive(emitter: PoolAddress): boolean {
    return (this.#denials.get(emitter)?.until ?? Number.NEGATIVE_INFINITY) > this.#clock.now()
  }

  /** @param byTwo whether a second endpoint said so too */
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
