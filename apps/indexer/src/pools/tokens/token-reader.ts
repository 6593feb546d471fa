import { type Clock, RpcUnavailable, systemClock } from '@dexfeed/chain'
import { type Address, type Hex, readToken, SECOND, TOKEN_CALLS, type Token, ZERO_ADDRESS } from '@dexfeed/dex'
import { type ContractCalls, callEach, callEachElsewhere, Denials } from '../contract-calls.ts'
import type { PoolCache } from '../pool-cache.ts'

/** Maximum time that blocks wait for the metadata of new tokens. */
const TOKEN_WAIT_MS = 5 * SECOND
/** Maximum wait for a second endpoint to check the decimals. */
const CHECK_WAIT_MS = SECOND
/** A call that cannot fail: a response shows that the node works. */
const CONTROL = { to: ZERO_ADDRESS, data: '0x' } as const

/** Clocks for pauses and denials; default: the system's clocks. */
export interface TokenReaderClocks {
  clock?: Pick<Clock, 'sleep'> | undefined
  now?: Pick<Clock, 'now'> | undefined
}

/**
 * Reads the metadata of tokens. All later amounts and values depend on it, so two endpoints are read if there are two.
 * Zero or missing decimals count as a denial (see Denials): one endpoint alone must repeat it at another block a minute
 * later. Until then the token stays unknown.
 */
export class TokenReader {
  readonly #chain: ContractCalls
  readonly #known: PoolCache
  readonly #clock: Pick<Clock, 'sleep'>
  readonly #denials: Denials

  constructor(chain: ContractCalls, known: PoolCache, { clock = systemClock, now }: TokenReaderClocks = {}) {
    this.#chain = chain
    this.#known = known
    this.#clock = clock
    this.#denials = new Denials(now)
  }

  /** Reads the metadata of those tokens that are unknown. A token without trusted metadata stays unknown. */
  async read(addresses: readonly Address[], at: Hex | 'latest'): Promise<void> {
    const unknown = [...new Set(addresses)].filter((address) => this.#known.token(address) === undefined)
    if (unknown.length === 0) return
    const questions = unknown.map((to) => TOKEN_CALLS.map((data) => ({ to, data })))
    const elsewhere = callEachElsewhere(this.#chain, questions, at)
    // If the first endpoint fails, this response is not awaited.
    elsewhere.catch(() => undefined)
    const results = await callEach(this.#chain, questions, at)
    const reported = unknown.map((address, index) => readToken(address, results[index] ?? []))
    const second = await (reported.some(hasDenied) ? elsewhere : this.#within(CHECK_WAIT_MS, elsewhere))
    reported.forEach((token, index) => {
      const trusted =
        second === null ? this.#trusted(token, at) : agreed(token, readToken(token.address, second[index] ?? []))
      if (trusted !== null) this.#known.addToken(trusted)
    })
  }

  /** Waits for it a few seconds. A token that cannot be executed is skipped; if the nodes are down it throws. */
  async readInTime(addresses: readonly Address[], at: Hex | 'latest'): Promise<void> {
    const read = this.read(addresses, at).then(
      () => true,
      (error: unknown) => {
        if (error instanceof RpcUnavailable) return false
        throw error
      },
    )
    // A response after the wait is still used; a late failure is ignored.
    if (!(await this.#within(TOKEN_WAIT_MS, read))) await this.#chain.callMany([CONTROL], at)
  }

  /** Returns the metadata from the only endpoint that responds; null if it is not trusted yet. */
  #trusted(token: Token, at: Hex | 'latest'): Token | null {
    if (!hasDenied(token)) return token
    this.#denials.note(token.address, at, false)
    return this.#denials.isConfirmed(token.address) ? token : null
  }

  /** Returns the result of work within a time limit; null if it takes longer. */
  async #within<T>(ms: number, work: Promise<T>): Promise<T | null> {
    const enough = new AbortController()
    try {
      return await Promise.race([work, this.#clock.sleep(ms, enough.signal).then(() => null)])
    } finally {
      enough.abort()
    }
  }
}

/** Returns whether the token looks as it would on an endpoint that does not know it. */
function hasDenied({ decimals }: Token): boolean {
  return decimals === null || decimals === 0
}

/** If two endpoints disagree, trust neither, unless exactly one returned non-zero decimals. */
function agreed(first: Token, second: Token): Token | null {
  const [token, other] = hasDenied(first) ? [second, first] : [first, second]
  if (first.decimals !== second.decimals && !(hasDenied(other) && !hasDenied(token))) return null
  return { ...token, symbol: token.symbol || other.symbol, name: token.name || other.name }
}
