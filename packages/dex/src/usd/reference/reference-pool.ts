import { USD } from '../../anchor-prices.ts'
import type { BlockPoint } from '../../chain/block-range.ts'
import type { Address } from '../../chain/hex.ts'
import { NETWORKS, type NetworkName } from '../../deployments/networks.ts'
import type { ReferenceEvent } from '../../pool-event.ts'
import type { EventState } from '../../pool-state.ts'
import { type KnownLiquidity, NEAR_TICKS, nearAmounts, TICKS_OF_ROOT } from './known-liquidity.ts'
import { knownLiquidity, type LiquidityEvidence, withEvent } from './liquidity-evidence.ts'
import type { PoolRate } from './middle-price.ts'

/** A pool of two anchors whose state gives a price. */
export interface ReferencePool {
  address: Address
  token0: Address
  token1: Address
  /** Concentrated liquidity: it changes only at multiples of this number of ticks; 1 if unknown. */
  tickSpacing: number
}

export interface ReferenceConfig {
  wrappedNative: Address
  stablecoins: readonly Address[]
  anchors: readonly Address[]
  /** The decimals of every token above. A token without a usable value is not an anchor. */
  decimals: ReadonlyMap<Address, number>
  /** Prices are medians over the ends of this many blocks. */
  settlingBlocks: number
  /** The largest number of blocks in an hour. */
  hourBlocks: number
}

export interface ReferenceChange {
  pool: Address
  block: BlockPoint
  event: ReferenceEvent
}

/** A state that exists for one block must not set a price, nor a state of half a minute on chains with fast blocks. */
const LEAST_SETTLING_BLOCKS = 9
const SETTLING_S = 30
const HOUR_S = 3_600

/** Returns how many blocks of a network count for its reference prices. */
export function referenceBlocks(network: NetworkName): Pick<ReferenceConfig, 'settlingBlocks' | 'hourBlocks'> {
  const { leastBlockTimeS } = NETWORKS[network]
  return {
    settlingBlocks: Math.max(LEAST_SETTLING_BLOCKS, Math.ceil(SETTLING_S / leastBlockTimeS)),
    hourBlocks: Math.ceil(HOUR_S / leastBlockTimeS),
  }
}

const Q96 = 2n ** 96n

/** The state of a pool at the ends of blocks, from block `number` on. */
export interface Step {
  number: number
  /** The block that set its price, with its time in seconds. */
  pricedAt: BlockPoint
  /** The rate of each token paired with a stablecoin, with that at 1 USD; computed at the first use. */
  rates(): readonly PoolRate[]
}

interface PriceEvent extends BlockPoint {
  state: EventState
}

/** A reference pool after some block; each event creates a new object. */
export interface FollowedPool {
  pool: ReferencePool
  evidence: LiquidityEvidence
  /** The last event that set the price. */
  price: PriceEvent | null
  /** Ascending. The first step is the state at the end of the oldest block that still counts, or later. */
  steps: readonly Step[]
}

export function followedPool(pool: ReferencePool): FollowedPool {
  return { pool, evidence: [], price: null, steps: [] }
}

/** Returns a pool after one more event, in chain order. */
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
  const grown = isPair
    ? []
    : withEvent(evidence, { number, event, pricedAt: price?.number ?? null, tickSpacing }, hourBlocks)
  const pricedAt = event.type === 'price' ? { number, timestamp, state: event.state } : price
  if (pricedAt === null) return { pool, evidence: grown, price: null, steps: [] }
  const known = () => (isPair ? [] : knownLiquidity(grown, pricedAt.number, hourBlocks))
  const before = steps.at(-1)?.number === number ? steps.slice(0, -1) : steps
  const firstEnd = number + 1 - settlingBlocks
  const oldest = before.findLastIndex((step) => step.number <= firstEnd)
  const step = stepOf(config, pool, { number, pricedAt }, known)
  return { pool, evidence: grown, price: pricedAt, steps: [...before.slice(Math.max(oldest, 0)), step] }
}

function stepOf(
  config: ReferenceConfig,
  pool: ReferencePool,
  { number, pricedAt }: { number: number; pricedAt: PriceEvent },
  known: () => KnownLiquidity,
): Step {
  let rates: readonly PoolRate[] | undefined
  return {
    number,
    pricedAt,
    rates() {
      rates ??= ratesOf(config, pool, pricedAt.state, known())
      return rates
    },
  }
}

function ratesOf(
  { decimals, stablecoins }: ReferenceConfig,
  { token0, token1 }: ReferencePool,
  state: EventState,
  known: KnownLiquidity,
): PoolRate[] {
  const [near0, near1] = amountsNear(state, known)
  const [numerator, denominator] = priceOf(state)
  const rateOf = (token: typeof token0, quote: typeof token0): PoolRate[] => {
    const tokenDecimals = decimals.get(token)
    const quoteDecimals = decimals.get(quote)
    if (!stablecoins.includes(quote) || tokenDecimals === undefined || quoteDecimals === undefined) return []
    const [top, bottom] = token === token0 ? [numerator, denominator] : [denominator, numerator]
    const [tokens, quoted] = token === token0 ? [near0, near1] : [near1, near0]
    const unit = 10n ** BigInt(tokenDecimals)
    const quoteUnit = 10n ** BigInt(quoteDecimals)
    const price = bottom === 0n ? 0n : (top * unit * USD) / (bottom * quoteUnit)
    if (price === 0n) return []
    return [{ token, quote, price, bid: (quoted * USD) / quoteUnit, ask: (tokens * USD) / unit }]
  }
  return [...rateOf(token0, token1), ...rateOf(token1, token0)]
}

/** Returns the amounts of both tokens within 2 % of the price. Pairs use the same measure as concentrated liquidity. */
function amountsNear(state: EventState, known: KnownLiquidity): readonly [bigint, bigint] {
  if (state.kind === 'concentrated') return nearAmounts(known, state.tick, state.sqrtPriceX96)
  const near = (reserve: bigint) => (reserve * BigInt(NEAR_TICKS)) / TICKS_OF_ROOT
  return [near(state.reserve0), near(state.reserve1)]
}

/** Returns the price of token0 in token1, in base units, as a fraction. */
function priceOf(state: EventState): readonly [bigint, bigint] {
  if (state.kind === 'pair') return [state.reserve1, state.reserve0]
  return [state.sqrtPriceX96 * state.sqrtPriceX96, Q96 * Q96]
}
