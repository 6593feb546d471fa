import { RpcUnavailable, systemClock } from '@dexfeed/chain'
import { type Address, type Hex, readToken, SECOND, TOKEN_CALLS, type Token, ZERO_ADDRESS } from '@dexfeed/dex'
import type { SleepClock, TimeClock } from '../../loops/loop.ts'
import { type ContractCaller, callEach, callEachElsewhere, Denials } from '../contract-calls.ts'
import type { TokenCache } from './token-cache.ts'

const TOKEN_WAIT_MS = 5 * SECOND
const CHECK_WAIT_MS = SECOND
/** This call cannot fail, so a response shows that the node works. */
const CONTROL = { to: ZERO_ADDRESS, data: '0x' } as const

export interface TokenReaderClocks {
  clock?: SleepClock | undefined
  now?: TimeClock | undefined
}

/**
 * Reads tokens from two endpoints if possible, because all amounts depend on the decimals. Zero or missing decimals
 * count as a denial. Until it is confirmed, the token stays unknown.
 */
export class TokenReader {
  readonly #chain: ContractCaller
  readonly #tokens: TokenCache
  readonly #clock: SleepClock
  readonly #denials: Denials

  constructor(chain: ContractCaller, tokens: TokenCache, { clock = systemClock, now }: TokenReaderClocks = {}) {
    this.#chain = chain
    this.#tokens = tokens
    this.#clock = clock
    this.#denials = new Denials(now)
  }

  async read(addresses: readonly Address[], at: Hex | 'latest'): Promise<void> {
    const unknown = [...new Set(addresses)].filter((address) => this.#tokens.get(address) === undefined)
    if (unknown.length === 0) return
    const questions = unknown.map((to) => TOKEN_CALLS.map((data) => ({ to, data })))
    const elsewhere = callEachElsewhere(this.#chain.callElsewhere, questions, at)
    // Not awaited if the first endpoint fails.
    elsewhere.catch(() => undefined)
    const results = await callEach(this.#chain.callMany, questions, at)
    const reported = unknown.map((address, index) => readToken(address, results[index] ?? []))
    const second = await (reported.some(hasDenied) ? elsewhere : this.#within(CHECK_WAIT_MS, elsewhere))
    reported.forEach((token, index) => {
      const trusted =
        second === null ? this.#trusted(token, at) : agreed(token, readToken(token.address, second[index] ?? []))
      if (trusted !== null) this.#tokens.add(trusted)
    })
  }

  /**
   * Reads tokens within the time that blocks may wait. Skips tokens whose calls the nodes cannot execute.
   * @throws an error from the chain if no node responds
   */
  async readInTime(addresses: readonly Address[], at: Hex | 'latest'): Promise<void> {
    const read = this.read(addresses, at).then(
      () => true,
      (error: unknown) => {
        if (error instanceof RpcUnavailable) return false
        throw error
      },
    )
    // A late response is still used.
    if (!(await this.#within(TOKEN_WAIT_MS, read))) await this.#chain.callMany([CONTROL], at)
  }

  #trusted(token: Token, at: Hex | 'latest'): Token | null {
    if (!hasDenied(token)) return token
    this.#denials.note(token.address, at, false)
    return this.#denials.isConfirmed(token.address) ? token : null
  }

  async #within<T>(ms: number, work: Promise<T>): Promise<T | null> {
    const enough = new AbortController()
    try {
      return await Promise.race([work, this.#clock.sleep(ms, enough.signal).then(() => null)])
    } finally {
      enough.abort()
    }
  }
}

/** An endpoint that lacks the token reports no decimals, or zero. */
function hasDenied({ decimals }: Token): boolean {
  return decimals === null || decimals === 0
}

/** Returns the token if both endpoints report the same decimals, or only one reports usable ones; otherwise null. */
function agreed(first: Token, second: Token): Token | null {
  const [token, other] = hasDenied(first) ? [second, first] : [first, second]
  if (first.decimals !== second.decimals && !(hasDenied(other) && !hasDenied(token))) return null
  return { ...token, symbol: token.symbol || other.symbol, name: token.name || other.name }
}
