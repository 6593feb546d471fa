import type { BlockPoint } from '../../chain/block-range.ts'
import type { Address } from '../../chain/hex.ts'
import { NETWORKS, type NetworkName } from '../../deployments/networks.ts'
import type { ReferenceEvent } from '../../pool-event.ts'
import type { PoolState } from '../../pool-state.ts'
import { USD } from '../anchor-prices.ts'
import { type KnownLiquidity, NEAR_TICKS, nearAmounts, TICKS_OF_ROOT } from './known-liquidity.ts'
import { knownLiquidity, type LiquidityEvidence, withEvent } from './liquidity-evidence.ts'
import type { PoolRate } from './middle-price.ts'

/** A pool of two anchors whose state tells a price. */
export interface ReferencePool {
  address: Address
  token0: Address
  token1: Address
  /** Concentrated liquidity: it changes at multiples of this many ticks alone; 1 where that is not known. */
  tickSpacing: number
}

export interface ReferenceConfig {
  wrappedNative: Address
  stablecoins: readonly Address[]
  anchors: readonly Address[]
  /** Of every token above; one without a usable value is no anchor. */
  decimals: ReadonlyMap<Address, number>
  /** Prices are medians over the ends of this many blocks. */
  settlingBlocks: number
  /** The most blocks of an hour. */
  hourBlocks: number
}

/** An event of a reference pool, with its block. */
export interface ReferenceChange {
  pool: Address
  block: BlockPoint
  event: ReferenceEvent
}

/** What stands for a block must not set a price; nor half a minute's blocks, where these come fast. */
const [LEAST_SETTLING_BLOCKS, SETTLING_S, HOUR_S] = [9, 30, 3_600]

/** How many blocks of a network count for its reference prices. */
export function referenceBlocks(network: NetworkName): Pick<ReferenceConfig, 'settlingBlocks' | 'hourBlocks'> {
  const { leastBlockTimeS } = NETWORKS[network]
  return {
    settlingBlocks: Math.max(LEAST_SETTLING_BLOCKS, Math.ceil(SETTLING_S / leastBlockTimeS)),
    hourBlocks: Math.ceil(HOUR_S / leastBlockTimeS),
  }
}

const Q96 = 2n ** 96n

/** What stood in a pool at the ends of blocks, from one on. */
export interface Step {
  number: number
  /** The block that told its price, with its time in seconds. */
  told: BlockPoint
  /** Of each token whose counterpart is a stablecoin, that taken for 1 USD. Worked out once, when it is needed. */
  rates(): readonly PoolRate[]
}

interface ToldPrice extends BlockPoint {
  state: PoolState
}

/** A reference pool after some block; each event makes a new one. */
export interface FollowedPool {
  pool: ReferencePool
  evidence: LiquidityEvidence
  /** What told the price last. */
  price: ToldPrice | null
  /** Ascending; the first is what stood at the end of the oldest block that still counts, or later. */
  steps: readonly Step[]
}

export function followedPool(pool: ReferencePool): FollowedPool {
  return { pool, evidence: [], price: null, steps: [] }
}

/** A pool after one more event, in the order of the chain. */
export function afterEvent(
  config: ReferenceConfig,
  { pool, evidence, price, steps }: FollowedPool,
  event: ReferenceEvent,
  block: BlockPoint,
): FollowedPool {
  const { number, timestamp } = block
  const { hourBlocks, settlingBlocks } = config
  const { tickSpacing } = pool
  const isPair = (event.type === 'price' ? event : price)?.state?.kind === 'pair'
  const pricedAt = price?.number ?? null
  const grown = isPair ? [] : withEvent(evidence, { number, event, pricedAt, tickSpacing }, hourBlocks)
  const told = event.type === 'price' ? { number, timestamp, state: event.state } : price
  if (told === null) return { pool, evidence: grown, price: null, steps: [] }
  const known = () => (isPair ? [] : knownLiquidity(grown, told.number, hourBlocks))
  const before = steps.at(-1)?.number === number ? steps.slice(0, -1) : steps
  const firstEnd = number + 1 - settlingBlocks
  const standing = before.findLastIndex((step) => step.number <= firstEnd)
  const step = stepOf(config, pool, { number, told }, known)
  return { pool, evidence: grown, price: told, steps: [...before.slice(Math.max(standing, 0)), step] }
}

function stepOf(
  config: ReferenceConfig,
  pool: ReferencePool,
  { number, told }: { number: number; told: ToldPrice },
  known: () => KnownLiquidity,
): Step {
  let rates: readonly PoolRate[] | undefined
  return {
    number,
    told,
    rates() {
      rates ??= ratesOf(config, pool, told.state, known())
      return rates
    },
  }
}

function ratesOf(
  { decimals, stablecoins }: ReferenceConfig,
  { token0, token1 }: ReferencePool,
  state: PoolState,
  known: KnownLiquidity,
): PoolRate[] {
  const [near0, near1] = amountsNear(state, known)
  const [numerator, denominator] = priceOf(state)
  const rateOf = (token: typeof token0, quote: typeof token0): PoolRate[] => {
    const [tokenDecimals, quoteDecimals] = [decimals.get(token), decimals.get(quote)]
    if (!stablecoins.includes(quote) || tokenDecimals === undefined || quoteDecimals === undefined) return []
    const [top, bottom] = token === token0 ? [numerator, denominator] : [denominator, numerator]
    const [tokens, quoted] = token === token0 ? [near0, near1] : [near1, near0]
    const [unit, quoteUnit] = [10n ** BigInt(tokenDecimals), 10n ** BigInt(quoteDecimals)]
    const price = bottom === 0n ? 0n : (top * unit * USD) / (bottom * quoteUnit)
    if (price === 0n) return []
    return [{ token, quote, price, bid: (quoted * USD) / quoteUnit, ask: (tokens * USD) / unit }]
  }
  return [...rateOf(token0, token1), ...rateOf(token1, token0)]
}

/** The amounts of both tokens within 2 % of the price: of a pair by the same measure as of concentrated liquidity. */
function amountsNear(state: PoolState, known: KnownLiquidity): readonly [bigint, bigint] {
  if (state.kind === 'concentrated') return nearAmounts(known, state.tick, state.sqrtPriceX96)
  const near = (reserve: bigint) => (reserve * BigInt(NEAR_TICKS)) / TICKS_OF_ROOT
  return [near(state.reserve0), near(state.reserve1)]
}

/** The price of token0 in token1, in base units, as a fraction. */
function priceOf(state: PoolState): readonly [bigint, bigint] {
  if (state.kind === 'pair') return [state.reserve1, state.reserve0]
  return [state.sqrtPriceX96 * state.sqrtPriceX96, Q96 * Q96]
}
