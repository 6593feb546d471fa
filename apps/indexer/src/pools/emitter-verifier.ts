import type { Chain } from '@dexfeed/chain'
import {
  type Answers,
  type Dex,
  type Hex,
  type KeyWanted,
  type Pool,
  type PoolAddress,
  type PoolCandidate,
  type PoolKey,
  provePool,
} from '@dexfeed/dex'
import { askEach } from './ask-each.ts'

/** Unverified emitters that are remembered, so that a busy one is asked about once. */
const MAX_DENIED = 200_000

/** What the contracts answer about some emitters; of the others there is no such pool. */
export interface Verdict {
  pools: Pool[]
  /** Pools of a configured manager whose keys are not known yet. */
  open: OpenPool[]
}

export interface OpenPool extends PoolCandidate, KeyWanted {}

/**
 * Asks the configured factories, managers and vaults whether emitters of pool events are pools of theirs, and remembers
 * the denied ones. Here alone it is decided what a denial is worth.
 */
export class EmitterVerifier {
  readonly #chain: Pick<Chain, 'callMany'>
  readonly #dexes: readonly Dex[]
  readonly #keyOf: (pool: PoolAddress) => PoolKey | undefined
  readonly #denied = new Set<PoolAddress>()

  /** @param keyOf the key of a manager's pool, where it was found */
  constructor(
    chain: Pick<Chain, 'callMany'>,
    dexes: readonly Dex[],
    keyOf: (pool: PoolAddress) => PoolKey | undefined = () => undefined,
  ) {
    this.#chain = chain
    this.#dexes = dexes
    this.#keyOf = keyOf
  }

  isDenied(emitter: PoolAddress): boolean {
    return this.#denied.has(emitter)
  }

  /**
   * Runs the proofs of all candidates side by side: the questions of each round are asked together.
   *
   * @param at a block at which the pools exist; its state must be available
   */
  async verify(candidates: readonly PoolCandidate[], at: Hex | 'latest'): Promise<Verdict> {
    const verdict: Verdict = { pools: [], open: [] }
    let asking = candidates.map((one) => {
      const key = this.#keyOf(one.pool)
      const candidate = key === undefined ? one : { ...one, key }
      return { candidate, proof: provePool(candidate, this.#dexes), answers: [] as Answers }
    })
    while (asking.length > 0) {
      const asked = asking.flatMap(({ candidate, proof, answers }) => {
        const step = proof.next(answers)
        if (!step.done) return [{ candidate, proof, questions: step.value }]
        if (step.value === null) this.#deny(candidate.pool)
        else if ('keyLog' in step.value) verdict.open.push({ ...candidate, keyLog: step.value.keyLog })
        else verdict.pools.push(step.value)
        return []
      })
      const questions = asked.map((one) => one.questions)
      const answers = await askEach(this.#chain, questions, at)
      asking = asked.map(({ candidate, proof }, index) => ({ candidate, proof, answers: answers[index] ?? [] }))
    }
    return verdict
  }

  #deny(emitter: PoolAddress): void {
    this.#denied.add(emitter)
    const oldest = this.#denied.values().next()
    if (this.#denied.size > MAX_DENIED && !oldest.done) this.#denied.delete(oldest.value)
  }
}
