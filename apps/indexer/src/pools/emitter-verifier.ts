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
import type { TimeClock } from '../loops/loop.ts'
import {
  type CallContracts,
  type ContractCaller,
  callEach,
  callEachElsewhere,
  Denials,
  runTogether,
} from './contract-calls.ts'

export interface Verdict {
  pools: Pool[]
  open: KeylessPool[]
  denied: PoolAddress[]
}

export interface KeylessPool extends PoolCandidate, MissingKey {}

/**
 * Asks the configured factories, managers and vaults whether emitters are their pools. Only this class decides when a
 * denial counts.
 */
export class EmitterVerifier {
  readonly #chain: ContractCaller
  readonly #dexes: readonly Dex[]
  readonly #keyOf: (pool: PoolAddress) => PoolKey | undefined
  readonly #denials: Denials

  constructor(
    chain: ContractCaller,
    dexes: readonly Dex[],
    keyOf: (pool: PoolAddress) => PoolKey | undefined = () => undefined,
    clock?: TimeClock,
  ) {
    this.#chain = chain
    this.#dexes = dexes
    this.#keyOf = keyOf
    this.#denials = new Denials(clock)
  }

  isConfirmed(emitter: PoolAddress): boolean {
    return this.#denials.isConfirmed(emitter)
  }

  isDenied(emitter: PoolAddress): boolean {
    return this.#denials.isActive(emitter)
  }

  /**
   * Verifies candidates at a block whose state is available. Checks denied candidates again at another endpoint; one
   * endpoint is enough to confirm a pool.
   */
  async verify(candidates: readonly PoolCandidate[], at: Hex | 'latest'): Promise<Verdict> {
    const { callMany, callElsewhere } = this.#chain
    const first = await this.#prove(candidates, (questions) => callEach(callMany, questions, at))
    const doubted = first?.denied ?? []
    const second = await this.#prove(doubted, (questions) => callEachElsewhere(callElsewhere, questions, at))
    const denied = (second?.denied ?? doubted).map(({ pool }) => pool)
    for (const pool of denied) this.#denials.note(pool, at, second !== null)
    const pools = [...(first?.pools ?? []), ...(second?.pools ?? [])]
    for (const { address } of pools) this.#denials.forget(address)
    return { pools, open: [...(first?.open ?? []), ...(second?.open ?? [])], denied }
  }

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
