import type { Chain, Clock } from '@dexfeed/chain'
import {
  type CallResults,
  type Dex,
  type EthCall,
  type Hex,
  type MissingKey,
  type Pool,
  type PoolAddress,
  type PoolCandidate,
  type PoolKey,
  provePool,
} from '@dexfeed/dex'
import { callEach, callEachElsewhere, Denials } from './contract-calls.ts'

/** What the contracts returned about some emitters. */
export interface Verdict {
  pools: Pool[]
  /** Pools of a configured manager whose keys are not known yet. */
  open: KeylessPool[]
  /** Denied by every endpoint that responded. */
  denied: PoolAddress[]
}

export interface KeylessPool extends PoolCandidate, MissingKey {}

type CallContracts = (questions: readonly (readonly EthCall[])[]) => Promise<CallResults[] | null>

/**
 * Checks with the configured factories, managers and vaults whether the emitters of pool events are their pools, and
 * remembers the denied ones. Only this class decides what a denial is worth: see Denials.
 */
export class EmitterVerifier {
  readonly #chain: Pick<Chain, 'callMany' | 'callElsewhere'>
  readonly #dexes: readonly Dex[]
  readonly #keyOf: (pool: PoolAddress) => PoolKey | undefined
  readonly #denials: Denials

  /** @param keyOf the key of a manager's pool, if it was found */
  constructor(
    chain: Pick<Chain, 'callMany' | 'callElsewhere'>,
    dexes: readonly Dex[],
    keyOf: (pool: PoolAddress) => PoolKey | undefined = () => undefined,
    clock?: Pick<Clock, 'now'>,
  ) {
    this.#chain = chain
    this.#dexes = dexes
    this.#keyOf = keyOf
    this.#denials = new Denials(clock)
  }

  /** Whether a denial is confirmed: more than one response of one endpoint supports it. */
  isConfirmed(emitter: PoolAddress): boolean {
    return this.#denials.isConfirmed(emitter)
  }

  isDenied(emitter: PoolAddress): boolean {
    return this.#denials.isActive(emitter)
  }

  /**
   * Runs the proofs of all candidates in parallel, at a block with available state: each round sends all calls
   * together. Denied candidates are checked once more at another endpoint, if there is one. One confirmation is enough.
   */
  async verify(candidates: readonly PoolCandidate[], at: Hex | 'latest'): Promise<Verdict> {
    const first = await this.#prove(candidates, (questions) => callEach(this.#chain, questions, at))
    const doubted = first?.denied ?? []
    const second = await this.#prove(doubted, (questions) => callEachElsewhere(this.#chain, questions, at))
    const denied = (second?.denied ?? doubted).map(({ pool }) => pool)
    for (const pool of denied) this.#denials.note(pool, at, second !== null)
    const pools = [...(first?.pools ?? []), ...(second?.pools ?? [])]
    for (const { address } of pools) this.#denials.forget(address)
    return { pools, open: [...(first?.open ?? []), ...(second?.open ?? [])], denied }
  }

  /** Returns null if the calls got no response. */
  async #prove(
    candidates: readonly PoolCandidate[],
    call: CallContracts,
  ): Promise<(Omit<Verdict, 'denied'> & { denied: PoolCandidate[] }) | null> {
    const verdict = { pools: [] as Pool[], open: [] as KeylessPool[], denied: [] as PoolCandidate[] }
    let pending = candidates.map((one) => {
      const key = this.#keyOf(one.pool)
      const candidate = key === undefined ? one : { ...one, key }
      return { candidate, proof: provePool(candidate, this.#dexes), results: [] as CallResults }
    })
    while (pending.length > 0) {
      const called = pending.flatMap(({ candidate, proof, results }) => {
        const step = proof.next(results)
        if (!step.done) return [{ candidate, proof, questions: step.value }]
        if (step.value === null) verdict.denied.push(candidate)
        else if ('keyLog' in step.value) verdict.open.push({ ...candidate, keyLog: step.value.keyLog })
        else verdict.pools.push(step.value)
        return []
      })
      if (called.length === 0) break
      const results = await call(called.map((one) => one.questions))
      if (results === null) return null
      pending = called.map(({ candidate, proof }, index) => ({ candidate, proof, results: results[index] ?? [] }))
    }
    return verdict
  }
}
