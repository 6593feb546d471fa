import type { Address, NetworkName } from '@dexfeed/dex'
import { addressOf, randomOf } from '../digest.ts'
import { keyOf, Market, makePool, POOL_KINDS, type Pool, type PoolKind, type Token } from '../market.ts'
import type { NetworkShape } from './shapes.ts'

type Tier = readonly [fee: number, tickSpacing: number | null]

/** Returns the tiers from which each pool of a kind draws, each as often as it occurs in ten. */
const tiers = (fee: number, spacing: number): readonly Tier[] => [
  [100, 1],
  ...Array<Tier>(2).fill([500, 10]),
  ...Array<Tier>(4).fill([fee, spacing]),
  ...Array<Tier>(3).fill([10_000, 200]),
]
const TIERS: Readonly<Record<PoolKind, readonly Tier[]>> = {
  'uniswap-v2': [[2_500, null]],
  'uniswap-v3': tiers(3_000, 60),
  'pancakeswap-v3': tiers(2_500, 50),
}
/** Percentages of pools. Unverified pools have a factory that is not configured. */
const SHARES = { pair: 60, uniswapV3: 25, unverified: 4 }
/** Percentages of pools that trade a token against an anchor. The others trade two tokens against each other. */
const QUOTES = { native: 72, tether: 14, circle: 8 }
const TOKENS_PERCENT = 80
const NATIVE_USD = 600
/** Dollars on each side of the deepest and the shallowest pool. */
const [DEEPEST, SHALLOWEST] = [20_000_000, 4_000]
/** Each position is this many times wider than the one before. */
const WIDER = 1.7
const MAX_TICK = 887_272
const PAIR_FEE_BPS = 25
const LATER = 3_000_000

/** Makes the pools of a network, the most traded first. The same seed and shape make the same ones. */
export class MarketMaker {
  readonly market: Market
  readonly #seed: string
  readonly #shape: NetworkShape
  readonly #wrapped: Token
  readonly #tether: Token
  readonly #circle: Token

  constructor(seed: string, network: NetworkName, shape: NetworkShape) {
    this.#seed = seed
    this.#shape = shape
    const anchor = (symbol: string, decimals: number, usd: number): Token => {
      return { address: addressOf(seed, symbol), symbol, decimals, usd }
    }
    this.#wrapped = anchor('WNAT', 18, NATIVE_USD)
    this.#tether = anchor('USDT', shape.stableDecimals, 1)
    this.#circle = anchor('USDC', shape.stableDecimals, 1)
    const anchors = [this.#wrapped, this.#tether, this.#circle] as const
    const deployment = {
      network,
      wrappedNative: this.#wrapped.address,
      stablecoins: [this.#tether.address, this.#circle.address],
      anchors: [],
      dexes: POOL_KINDS.map((kind) => {
        const dex = { name: kind, kind, factory: this.#factory(kind) }
        return kind === 'uniswap-v2' ? { ...dex, feeBps: PAIR_FEE_BPS } : dex
      }),
      tokens: anchors.map(({ address, symbol, decimals }) => ({ address, symbol, name: symbol, decimals })),
      finalityDepth: shape.finalityDepth,
    }
    this.market = new Market(deployment, anchors, this.#makePools())
  }

  laterPool(index: number, bornAt: number): Pool {
    const rank = LATER + index
    const kind = POOL_KINDS[rank % POOL_KINDS.length] ?? 'uniswap-v2'
    return { ...this.#pool(rank, kind, [this.#token(rank), this.#wrapped]), bornAt }
  }

  #makePools(): Pool[] {
    const pools = new Map<string, Pool>()
    const add = (pool: Pool) => {
      const isNew = !pools.has(keyOf(pool))
      if (isNew) pools.set(keyOf(pool), pool)
      return isNew
    }
    const [wrapped, tether, circle] = [this.#wrapped, this.#tether, this.#circle]
    for (const pair of [[wrapped, tether] as const, [wrapped, circle] as const, [tether, circle] as const]) {
      for (const kind of POOL_KINDS) add(this.#pool(pools.size, kind, pair))
    }
    while (pools.size < this.#shape.pools) {
      for (let attempt = 0; !add(this.#anyPool(pools.size, attempt)); ) attempt++
    }
    return [...pools.values()]
  }

  #anyPool(rank: number, attempt: number): Pool {
    const random = randomOf(this.#seed, 'kind', rank)
    const share = random.integer(100)
    const kind = POOL_KINDS[share < SHARES.pair ? 0 : share < SHARES.pair + SHARES.uniswapV3 ? 1 : 2] ?? 'uniswap-v2'
    const tokens = Math.max(2, Math.floor((this.#shape.pools * TOKENS_PERCENT) / 100))
    const [token, next] = [(rank + attempt) % tokens, (rank + attempt + 1) % tokens]
    const quote = this.#quote(random.integer(100)) ?? this.#token(next)
    const pool = this.#pool(rank, kind, [this.#token(token), quote])
    return random.integer(100) < SHARES.unverified ? { ...pool, factory: this.#factory(`other ${kind}`) } : pool
  }

  #quote(share: number): Token | null {
    if (share < QUOTES.native) return this.#wrapped
    if (share < QUOTES.native + QUOTES.tether) return this.#tether
    return share < QUOTES.native + QUOTES.tether + QUOTES.circle ? this.#circle : null
  }

  /** Makes a token with a price between a thousandth of a cent and a hundred dollars. */
  #token(index: number): Token {
    const usd = 10 ** (7 * randomOf(this.#seed, 'price', index).next() - 5)
    const decimals = index % 8 === 0 ? 9 : 18
    return { address: addressOf(this.#seed, 'token', index), symbol: `TK${index}`, decimals, usd }
  }

  #factory(name: string): Address {
    return addressOf(this.#seed, 'factory', name)
  }

  #pool(rank: number, kind: PoolKind, tokens: readonly [Token, Token]): Pool {
    const random = randomOf(this.#seed, 'terms', rank)
    const [fee, tickSpacing] = random.pick(TIERS[kind])
    const count = 1 + random.integer(Math.max(1, this.#shape.ticks - 1))
    const address = addressOf(this.#seed, 'pool', rank)
    const terms = { address, kind, factory: this.#factory(kind), fee, tickSpacing, bornAt: 0 }
    const sideUsd = Math.max(SHALLOWEST, DEEPEST / ((rank % LATER) + 1) ** 0.7)
    return makePool(terms, tokens, sideUsd, (tick) =>
      Array.from({ length: count }, (_, i) => rangeOf(i, tick, tickSpacing ?? 1)),
    )
  }
}

/** The first position spans all prices; each other is wider than the one before. */
function rangeOf(index: number, centre: number, spacing: number): [lower: number, upper: number] {
  const edge = Math.floor(MAX_TICK / spacing) * spacing
  if (index === 0) return [-edge, edge]
  const middle = Math.floor(centre / spacing)
  const half = Math.ceil(WIDER ** index)
  return [Math.max(-edge, (middle - half) * spacing), Math.min(edge, (middle + 1 + half) * spacing)]
}
