import type { Clock } from '@dexfeed/chain'
import {
  type Dex,
  type Hex,
  type MissingKey,
  type Pool,
  type PoolAddress,
  type PoolCandidate,
  type PoolKey,
  provePool,
} from '@dexfeed/dex'
import {
  type CallContracts,
  type ContractCalls,
  callEach,
  callEachElsewhere,
  Denials,
  runTogether,
} from './contract-calls.ts'

/** What the contracts returned about some emitters. */
export interface Verdict {
  pools: Pool[]
  /** Pools of a configured manager whose keys are not known yet. */
  open: KeylessPool[]
  /** Denied by every endpoint that responded. */
  denied: PoolAddress[]
}

export interface KeylessPool extends PoolCandidate, MissingKey {}

/**
 * Checks with the configured factories, managers and vaults whether the emitters of pool events are their pools, and
 * remembers the denied ones. Only this class decides what a denial is worth: see Denials.
 */
export class EmitterVerifier {
  readonly #chain: ContractCalls
  readonly #dexes: readonly Dex[]
  readonly #keyOf: (pool: PoolAddress) => PoolKey | undefined
  readonly #denials: Denials

  /** @param keyOf the key of a manager's pool, if it was found */
  constructor(
    chain: ContractCalls,
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
    const proofs = await runTogether(
      candidates.map((poolCandidate) => {
        const key = this.#keyOf(poolCandidate.pool)
        return provePool(key === undefined ? poolCandidate : { ...poolCandidate, key }, this.#dexes)
      }),
      call,
    )
    if (proofs === null) return null
    for (const [index, candidate] of candidates.entries()) {
      const proof = proofs[index] ?? null
      if (proof === null) verdict.denied.push(candidate)
      else if ('keyLog' in proof) verdict.open.push({ ...candidate, keyLog: proof.keyLog })
      else verdict.pools.push(proof)
    }
    return verdict
  }
}
