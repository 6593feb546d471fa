import { type Chain, type Clock, RpcUnavailable, systemClock } from '@dexfeed/chain'
import { type Address, type Hex, readToken, SECOND, TOKEN_CALLS, type Token, ZERO_ADDRESS } from '@dexfeed/dex'
import { callEach, callEachElsewhere, Denials } from '../contract-answers.ts'
import type { PoolCache } from '../pool-cache.ts'

/** How long blocks wait for the metadata of new tokens. */
const TOKEN_WAIT_MS = 5 * SECOND
/** How long decimals that one endpoint told wait for a second one. */
const CHECK_WAIT_MS = SECOND
/** A call that cannot fail: a node that answers it is well. */
const CONTROL = { to: ZERO_ADDRESS, data: '0x' } as const

/** What else a reader of tokens is told; default: the system's. */
export interface TokenReaderClocks {
  clock?: Pick<Clock, 'sleep'> | undefined
  now?: Pick<Clock, 'now'> | undefined
}

/**
 * Reads what tokens say of themselves. Since amounts and values go by it for ever, it is asked of two endpoints where
 * there are two. Decimals that are zero, or that there are none, are a denial (see Denials): one endpoint's answer alone
 * counts when it says so at another block a minute later, too. Until then nothing is known of the token.
 */
export class TokenReader {
  readonly #chain: Pick<Chain, 'callMany' | 'callElsewhere'>
  readonly #known: PoolCache
  readonly #clock: Pick<Clock, 'sleep'>
  readonly #denials: Denials

  constructor(
    chain: Pick<Chain, 'callMany' | 'callElsewhere'>,
    known: PoolCache,
    { clock = systemClock, now }: TokenReaderClocks = {},
  ) {
    this.#chain = chain
    this.#known = known
    this.#clock = clock
    this.#denials = new Denials(now)
  }

  /** Reads the metadata of those of some tokens that are not known yet; what is not believed yet stays unknown. */
  async read(addresses: readonly Address[], at: Hex | 'latest'): Promise<void> {
    const unknown = [...new Set(addresses)].filter((address) => this.#known.token(address) === undefined)
    if (unknown.length === 0) return
    const questions = unknown.map((to) => TOKEN_CALLS.map((data) => ({ to, data })))
    const elsewhere = callEachElsewhere(this.#chain, questions, at)
    // Where the first endpoint fails, nobody waits for it.
    elsewhere.catch(() => undefined)
    const answers = await callEach(this.#chain, questions, at)
    const reported = unknown.map((address, index) => readToken(address, answers[index] ?? []))
    const second = await (reported.some(hasDenied) ? elsewhere : this.#within(CHECK_WAIT_MS, elsewhere))
    reported.forEach((token, index) => {
      const trusted =
        second === null ? this.#trusted(token, at) : agreed(token, readToken(token.address, second[index] ?? []))
      if (trusted !== null) this.#known.addToken(trusted)
    })
  }

  /**
   * The same, but waits only a few seconds, and tokens that the nodes cannot execute are no failure. Where the nodes are
   * down it throws: the next try of the block finds them up.
   */
  async readInTime(addresses: readonly Address[], at: Hex | 'latest'): Promise<void> {
    const read = this.read(addresses, at).then(
      () => true,
      (error: unknown) => {
        if (error instanceof RpcUnavailable) return false
        throw error
      },
    )
    // What comes after the wait is still taken; a failure then is of no interest.
    if (!(await this.#within(TOKEN_WAIT_MS, read))) await this.#chain.callMany([CONTROL], at)
  }

  /** What the only endpoint that answers says; null: not yet. */
  #trusted(token: Token, at: Hex | 'latest'): Token | null {
    if (!hasDenied(token)) return token
    this.#denials.note(token.address, at, false)
    return this.#denials.isConfirmed(token.address) ? token : null
  }

  /** What comes of work within a time; null: nothing yet. */
  async #within<T>(ms: number, work: Promise<T>): Promise<T | null> {
    const enough = new AbortController()
    try {
      return await Promise.race([work, this.#clock.sleep(ms, enough.signal).then(() => null)])
    } finally {
      enough.abort()
    }
  }
}

/** Whether a token says what an endpoint says that knows nothing of it. */
function hasDenied({ decimals }: Token): boolean {
  return decimals === null || decimals === 0
}

/** Of two endpoints that contradict each other neither is believed, but for the one whose answer is no denial. */
function agreed(first: Token, second: Token): Token | null {
  const [token, other] = hasDenied(first) ? [second, first] : [first, second]
  if (first.decimals !== second.decimals && !(hasDenied(other) && !hasDenied(token))) return null
  return { ...token, symbol: token.symbol || other.symbol, name: token.name || other.name }
}
