import type { Address } from '@dexfeed/dex'
import type { PoolPlan } from './make-pool.ts'
import { mix, mixedHex } from './mix.ts'
import type { MadeToken, PoolKind } from './pool.ts'

export const POOL_KINDS: readonly PoolKind[] = ['uniswap-v2', 'uniswap-v3', 'pancakeswap-v3']
/** Of 100 pools those of each kind, and those of a factory that is not configured. */
const SHARES = { pair: 60, uniswapV3: 25, unverified: 4 }
/** Of 100 tokens those that trade against the wrapped coin, and either stablecoin; the others against each other. */
const QUOTES = { native: 72, tether: 14, circle: 8 }
/** Tokens besides the anchors, for 100 pools. */
const TOKENS_PERCENT = 80
const NATIVE_USD = 600

/** The anchors of a network, and what its pools are planned from. */
export interface Anchors {
  wrappedNative: MadeToken
  tether: MadeToken
  circle: MadeToken
}

export function makeAnchors(seed: number, stableDecimals: number): Anchors {
  const anchor = (index: number, symbol: string, decimals: number, usd: number): MadeToken => {
    return { address: mixedHex(5, seed, 1, index), symbol, decimals, usd }
  }
  return {
    wrappedNative: anchor(0, 'WNAT', 18, NATIVE_USD),
    tether: anchor(1, 'USDT', stableDecimals, 1),
    circle: anchor(2, 'USDC', stableDecimals, 1),
  }
}

/** Decides the parts of a pool by its rank and its token. */
export class PoolPlanner {
  readonly factories: Readonly<Record<PoolKind, Address>>
  readonly anchors: Anchors
  readonly #seed: number
  readonly #ticks: number
  readonly #tokens: number

  constructor(seed: number, anchors: Anchors, { pools, ticks }: { pools: number; ticks: number }) {
    this.anchors = anchors
    this.#seed = seed
    this.#ticks = ticks
    this.#tokens = Math.max(2, Math.floor((pools * TOKENS_PERCENT) / 100))
    this.factories = {
      'uniswap-v2': this.#factory(0),
      'uniswap-v3': this.#factory(1),
      'pancakeswap-v3': this.#factory(2),
    }
  }

  /** Returns a pool of one of the network's tokens. Some are of factories that are not configured. */
  plan(rank: number, token: number): PoolPlan {
    const drawn = mix(this.#seed, 13, rank)
    const share = drawn % 100
    const kind =
      share < SHARES.pair ? 'uniswap-v2' : share < SHARES.pair + SHARES.uniswapV3 ? 'uniswap-v3' : 'pancakeswap-v3'
    const plan = this.#planOf(rank, kind, [this.#token(token % this.#tokens), this.#quoteOf(token, drawn >>> 16)])
    const isUnverified = (drawn >>> 8) % 100 < SHARES.unverified
    return isUnverified ? { ...plan, factory: this.#factory(kind === 'uniswap-v2' ? 3 : 4) } : plan
  }

  /** Returns a pool of two anchors. */
  planAnchors(rank: number, kind: PoolKind, tokens: readonly [MadeToken, MadeToken]): PoolPlan {
    return this.#planOf(rank, kind, tokens)
  }

  /** Returns a pool of the wrapped coin and a token that no other pool has. */
  planLater(rank: number): PoolPlan {
    const kind = POOL_KINDS[rank % POOL_KINDS.length] ?? 'uniswap-v2'
    return this.#planOf(rank, kind, [this.#token(rank), this.anchors.wrappedNative])
  }

  #planOf(rank: number, kind: PoolKind, tokens: readonly [MadeToken, MadeToken]): PoolPlan {
    const address = mixedHex(5, this.#seed, 4, rank)
    const drawn = mix(this.#seed, 17, rank)
    return { rank, address, kind, factory: this.factories[kind], tokens, drawn, ticks: this.#ticks }
  }

  #factory(index: number): Address {
    return mixedHex(5, this.#seed, 2, index)
  }

  #token(index: number): MadeToken {
    const drawn = mix(this.#seed, 11, index)
    const decimals = drawn % 8 === 0 ? 9 : 18
    return { address: mixedHex(5, this.#seed, 3, index), symbol: `TK${index}`, decimals, usd: priceOf(drawn) }
  }

  #quoteOf(token: number, drawn: number): MadeToken {
    const { wrappedNative, tether, circle } = this.anchors
    const share = drawn % 100
    if (share < QUOTES.native) return wrappedNative
    if (share < QUOTES.native + QUOTES.tether) return tether
    if (share < QUOTES.native + QUOTES.tether + QUOTES.circle) return circle
    return this.#token((token + 1) % this.#tokens)
  }
}

/** Returns a price from a thousandth of a cent to a hundred dollars. */
function priceOf(drawn: number): number {
  return 10 ** ((drawn % 7_000) / 1_000 - 5)
}
