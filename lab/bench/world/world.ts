import { type Address, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { type WalkingPool, type WorldToken, walkingPair, walkingV3 } from './walking-pool.ts'

/** The parts of a chain: tokens, pools, factories, senders. */
export interface World {
  network: NetworkName
  chainId: number
  tokens: readonly WorldToken[]
  wrappedNative: WorldToken
  v2Factory: Address
  v3Factory: Address
  router: Address
  /** The most traded first; the last ones are created in later blocks. */
  pools: readonly WalkingPool[]
  /** Pairs of a factory that is not configured: their swaps are not trades. */
  unverified: readonly WalkingPool[]
  senders: readonly Address[]
}

const SENDERS = 5_000
const FINALITY_DEPTH = 64
/** Swaps per pool; half of the pools are pairs. */
const SWAPS_PER_POOL = 50
const [FEWEST_POOLS, MOST_POOLS] = [400, 20_000]
/** Of a hundred pools, the unverified ones beside them. */
const UNVERIFIED_PERCENT = 4
/** Fees in millionths and spacings of V3 pools; the two stablecoins have the closest. */
const STABLE_TIER = { fee: 100, tickSpacing: 1 }
const TIERS = [
  { fee: 3_000, tickSpacing: 60 },
  { fee: 10_000, tickSpacing: 200 },
  { fee: 3_000, tickSpacing: 60 },
  { fee: 500, tickSpacing: 10 },
] as const

/** Returns the number of pools for a number of swaps, so that the least traded pool still has some trades. */
export function poolsFor(swaps: number): number {
  return 2 * Math.floor(Math.min(MOST_POOLS, Math.max(FEWEST_POOLS, swaps / SWAPS_PER_POOL)) / 2)
}

/**
 * Makes a world. Half of its pools are pairs: the coin against two stablecoins, other tokens against the coin and
 * others.
 */
export function makeWorld(network: NetworkName, poolCount: number): World {
  const { chainId } = NETWORKS[network]
  const chain = chainId.toString(16).padStart(4, '0')
  const address = (kind: string, index: number): Address =>
    `0x${kind}${scrambled(index)}${chain}${'c5'.repeat(6)}${kind}${scrambled(index ^ 0x5a5a)}${kind}${scrambled(index)}`
  const token = (index: number, symbol: string, decimals: number) => ({
    address: address('70', index),
    symbol,
    decimals,
  })
  const wrappedNative = token(0, 'WNAT', 18)
  const stablecoins = [token(1, 'USDC', 6), token(2, 'USDT', 6)] as const
  const others = Array.from({ length: (poolCount - 6) / 2 }, (_, i) => token(3 + i, `TK${i}`, 18))
  const pairs: [WorldToken, WorldToken][] = [
    [wrappedNative, stablecoins[0]],
    [wrappedNative, stablecoins[1]],
    [stablecoins[0], stablecoins[1]],
    ...others.map((one, i): [WorldToken, WorldToken] => [one, quoteOf(i, wrappedNative, stablecoins[0], others)]),
  ]
  const v2Factory = address('f2', 0)
  const v3Factory = address('f3', 0)
  const pools = pairs.flatMap((pair, i) => [
    walkingPair({ address: address('b2', i), factory: v2Factory, tokens: pair }),
    walkingV3({ address: address('b3', i), factory: v3Factory, tokens: pair }, tierOf(i)),
  ])
  const unverified = pairs.slice(0, Math.ceil((poolCount * UNVERIFIED_PERCENT) / 100)).map((pair, i) => {
    return walkingPair({ address: address('b9', i), factory: address('f9', 0), tokens: pair })
  })
  const senders = Array.from({ length: SENDERS }, (_, i) => address('5e', i))
  const tokens = [wrappedNative, ...stablecoins, ...others]
  const router = address('40', 0)
  return { network, chainId, tokens, wrappedNative, v2Factory, v3Factory, router, pools, unverified, senders }
}

function tierOf(pair: number): { fee: number; tickSpacing: number } {
  return pair === 2 ? STABLE_TIER : (TIERS[pair % TIERS.length] ?? TIERS[0])
}

/** Returns six hex digits, different for every index and without order. */
function scrambled(index: number): string {
  return ((index * 0x9e3779) & 0xffffff).toString(16).padStart(6, '0')
}

/** Returns a token's partner: mostly the coin, sometimes a stablecoin, rarely another token, without a price. */
function quoteOf(index: number, native: WorldToken, stablecoin: WorldToken, others: readonly WorldToken[]): WorldToken {
  if (index % 5 === 1) return stablecoin
  return index % 20 === 7 ? (others[index - 1] ?? native) : native
}

/** Returns the world's part of a DEX_CONFIG file. */
export function deploymentOf({ wrappedNative, tokens, v2Factory, v3Factory }: World) {
  return {
    wrappedNative: wrappedNative.address,
    stablecoins: tokens.slice(1, 3).map(({ address }) => address),
    dexes: [
      { name: 'uniswap-v2', kind: 'uniswap-v2', factory: v2Factory, feeBps: 30 },
      { name: 'uniswap-v3', kind: 'uniswap-v3', factory: v3Factory },
    ],
    tokens: tokens.slice(0, 3).map(({ address, symbol, decimals }) => ({ address, symbol, name: symbol, decimals })),
    finalityDepth: FINALITY_DEPTH,
  }
}
