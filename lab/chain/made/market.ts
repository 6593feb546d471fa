import { type Address, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { edgeTick, sqrt } from '../pool-math.ts'
import { mix, mixedHex } from './mix.ts'
import type { NetworkShape } from './shapes.ts'

export interface MadeToken {
  address: Address
  symbol: string
  decimals: number
  usd: number
}

const POOL_KINDS = ['uniswap-v2', 'uniswap-v3', 'pancakeswap-v3'] as const
export type PoolKind = (typeof POOL_KINDS)[number]

/** A pool whose state depends only on the number of its swaps. */
export interface MadePool {
  /** 0 is the most traded pool. */
  rank: number
  address: Address
  kind: PoolKind
  /** A configured factory, unless the pool is unconfirmed. */
  factory: Address
  token0: MadeToken
  token1: MadeToken
  /** In millionths. Swaps of a pair ignore it. */
  fee: number
  tickSpacing: number | null
  /** The price stays within `reach` ticks of this one. */
  centre: number
  reach: number
  reserves: readonly [bigint, bigint]
  positions: readonly { lower: number; upper: number; liquidity: bigint }[]
  ticks: ReadonlyMap<number, { gross: bigint; net: bigint }>
}

/** Returns the fees and tick spacings of ten pools of a kind. */
const tiers = (fee: number, spacing: number) => [
  [100, 1],
  ...Array(2).fill([500, 10]),
  ...Array(4).fill([fee, spacing]),
  ...Array(3).fill([10_000, 200]),
]
const TIERS: Readonly<Record<string, readonly (readonly [fee: number, tickSpacing: number])[]>> = {
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
const PAIR_REACH = 60
const PAIR_FEE_BPS = 25
const ROUTERS = 12
const LATER = 3_000_000

export class Market {
  readonly seed: number
  readonly wrappedNative: MadeToken
  readonly stablecoins: readonly [MadeToken, MadeToken]
  readonly factories: Readonly<Record<PoolKind, Address>>
  readonly routers: readonly Address[]
  readonly pools: readonly MadePool[]
  readonly #shape: NetworkShape

  constructor(network: NetworkName, seed: number, shape: NetworkShape) {
    this.seed = mix(seed, NETWORKS[network].chainId)
    this.#shape = shape
    const anchor = (index: number, symbol: string, decimals: number, usd: number): MadeToken => {
      return { address: this.#address(1, index), symbol, decimals, usd }
    }
    this.wrappedNative = anchor(0, 'WNAT', 18, NATIVE_USD)
    this.stablecoins = [anchor(1, 'USDT', shape.stableDecimals, 1), anchor(2, 'USDC', shape.stableDecimals, 1)]
    this.factories = {
      'uniswap-v2': this.#address(2, 0),
      'uniswap-v3': this.#address(2, 1),
      'pancakeswap-v3': this.#address(2, 2),
    }
    this.routers = Array.from({ length: ROUTERS }, (_, i) => this.#address(5, i))
    this.pools = this.#makePools()
  }

  confirms({ factory, kind }: MadePool): boolean {
    return this.factories[kind] === factory
  }

  account(index: number): Address {
    return this.#address(29, index)
  }

  laterPool(index: number): MadePool {
    const rank = LATER + index
    return this.#pool(rank, POOL_KINDS[rank % POOL_KINDS.length] ?? 'uniswap-v2', [
      this.#token(rank),
      this.wrappedNative,
    ])
  }

  #address(kind: number, index: number): Address {
    return mixedHex(5, this.seed, kind, index)
  }

  #makePools(): MadePool[] {
    const { wrappedNative, stablecoins } = this
    const pools = new Map<string, MadePool>()
    const add = (pool: MadePool) => {
      const isNew = !pools.has(lookupKey(pool))
      if (isNew) pools.set(lookupKey(pool), pool)
      return isNew
    }
    for (const pair of [[wrappedNative, stablecoins[0]], [wrappedNative, stablecoins[1]], stablecoins] as const) {
      for (const kind of POOL_KINDS) add(this.#pool(pools.size, kind, pair))
    }
    while (pools.size < this.#shape.pools) {
      for (let token = pools.size; !add(this.#anyPool(pools.size, token)); ) token++
    }
    return [...pools.values()]
  }

  #anyPool(rank: number, token: number): MadePool {
    const tokens = Math.max(2, Math.floor((this.#shape.pools * TOKENS_PERCENT) / 100))
    const drawn = mix(this.seed, 13, rank)
    const share = drawn % 100
    const kind = POOL_KINDS[share < SHARES.pair ? 0 : share < SHARES.pair + SHARES.uniswapV3 ? 1 : 2] ?? 'uniswap-v2'
    const quote = this.#quote(drawn >>> 16) ?? this.#token((token + 1) % tokens)
    const pool = this.#pool(rank, kind, [this.#token(token % tokens), quote])
    const isUnverified = (drawn >>> 8) % 100 < SHARES.unverified
    return isUnverified ? { ...pool, factory: this.#address(2, kind === 'uniswap-v2' ? 3 : 4) } : pool
  }

  #quote(drawn: number): MadeToken | null {
    const share = drawn % 100
    if (share < QUOTES.native) return this.wrappedNative
    if (share < QUOTES.native + QUOTES.tether) return this.stablecoins[0]
    return share < QUOTES.native + QUOTES.tether + QUOTES.circle ? this.stablecoins[1] : null
  }

  /** Makes a token with a price between a thousandth of a cent and a hundred dollars. */
  #token(index: number): MadeToken {
    const drawn = mix(this.seed, 11, index)
    const [decimals, usd] = [drawn % 8 === 0 ? 9 : 18, 10 ** ((drawn % 7_000) / 1_000 - 5)]
    return { address: this.#address(3, index), symbol: `TK${index}`, decimals, usd }
  }

  #pool(rank: number, kind: PoolKind, [a, b]: readonly [MadeToken, MadeToken]): MadePool {
    const [token0, token1] = a.address < b.address ? [a, b] : [b, a]
    const side = Math.max(SHALLOWEST, DEEPEST / ((rank % LATER) + 1) ** 0.7)
    const reserves = [unitsOf(token0, side), unitsOf(token1, side)] as const
    const base = {
      rank,
      address: this.#address(4, rank),
      kind,
      factory: this.factories[kind],
      token0,
      token1,
      reserves,
    }
    const drawn = mix(this.seed, 17, rank)
    const [fee, tickSpacing] = TIERS[kind]?.[drawn % 10] ?? [2_500, null]
    if (tickSpacing === null) {
      return { ...base, fee, tickSpacing, centre: 0, reach: PAIR_REACH, positions: [], ticks: new Map() }
    }
    const centre = Math.floor(Math.log(Number(reserves[1]) / Number(reserves[0])) / Math.log(1.0001))
    const count = 1 + (mix(drawn, 3) % Math.max(1, this.#shape.ticks - 1))
    const liquidity = sqrt(reserves[0] * reserves[1]) / BigInt(count) + 1n
    const positions = Array.from({ length: count }, (_, i) => ({ ...rangeOf(i, centre, tickSpacing), liquidity }))
    const reach = Math.max(6, Math.min(300, Math.ceil(tickSpacing * 1.2)))
    return { ...base, fee, tickSpacing, centre, reach, positions, ticks: ticksOf(positions) }
  }
}

/** The first position spans all prices; each other is wider than the one before. */
function rangeOf(index: number, centre: number, spacing: number): { lower: number; upper: number } {
  const edge = edgeTick(spacing)
  if (index === 0) return { lower: -edge, upper: edge }
  const middle = Math.floor(centre / spacing)
  const half = Math.ceil(WIDER ** index)
  return { lower: Math.max(-edge, (middle - half) * spacing), upper: Math.min(edge, (middle + 1 + half) * spacing) }
}

function ticksOf(positions: MadePool['positions']): MadePool['ticks'] {
  const ticks = new Map<number, { gross: bigint; net: bigint }>()
  for (const { lower, upper, liquidity } of positions) {
    for (const [tick, change] of [[lower, liquidity] as const, [upper, -liquidity] as const]) {
      const { gross, net } = ticks.get(tick) ?? { gross: 0n, net: 0n }
      ticks.set(tick, { gross: gross + liquidity, net: net + change })
    }
  }
  return ticks
}

function unitsOf({ decimals, usd }: MadeToken, dollars: number): bigint {
  return BigInt(Math.round((dollars / usd) * 1e6)) * 10n ** BigInt(decimals - 6)
}

export function lookupKey({ factory, token0, token1, tickSpacing, fee }: MadePool): string {
  return pairKey(factory, token0.address, token1.address, tickSpacing === null ? null : fee)
}

export function pairKey(factory: Address, a: Address, b: Address, fee: number | null): string {
  return a < b ? `${factory} ${a} ${b} ${fee}` : `${factory} ${b} ${a} ${fee}`
}

export function deploymentOf({ wrappedNative, stablecoins, factories }: Market, finalityDepth: number) {
  return {
    wrappedNative: wrappedNative.address,
    stablecoins: stablecoins.map(({ address }) => address),
    dexes: POOL_KINDS.map((kind) => {
      const dex = { name: kind, kind, factory: factories[kind] }
      return kind === 'uniswap-v2' ? { ...dex, feeBps: PAIR_FEE_BPS } : dex
    }),
    tokens: [wrappedNative, ...stablecoins].map(({ address, symbol, decimals }) => {
      return { address, symbol, name: symbol, decimals }
    }),
    finalityDepth,
  }
}
