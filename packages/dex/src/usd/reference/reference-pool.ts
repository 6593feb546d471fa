import { USD } from '../../anchor-prices.ts'
import type { Address, BlockPoint } from '../../chain.ts'
import { NETWORKS, type NetworkName } from '../../deployments/networks.ts'
import type { ReferenceEvent } from '../../pool-event.ts'
import type { EventState } from '../../pool-state.ts'
import { HOUR_S } from '../../time.ts'
import { type KnownLiquidity, NEAR_TICKS, nearAmounts, TICKS_OF_ROOT } from './known-liquidity.ts'
import { knownLiquidity, type LiquidityEvidence, withEvent } from './liquidity-evidence.ts'

export interface ReferencePool {
  address: Address
  token0: Address
  token1: Address
  /** Concentrated liquidity changes only at its multiples; 1 if unknown. */
  tickSpacing: number
}

export interface ReferenceConfig {
  wrappedNative: Address
  stablecoins: readonly Address[]
  anchors: readonly Address[]
  /** A token without usable decimals is not an anchor. */
  decimals: ReadonlyMap<Address, number>
  /** Number of block ends over which a price is a median. */
  settlingBlocks: number
  /** Maximum number of blocks in an hour. */
  hourBlocks: number
}

export interface ReferenceChange {
  pool: Address
  block: BlockPoint
  event: ReferenceEvent
}

/** No price may depend on a single block, or on half a minute. */
const MIN_SETTLING_BLOCKS = 9
const SETTLING_S = 30

export function referenceBlocks(network: NetworkName): Pick<ReferenceConfig, 'settlingBlocks' | 'hourBlocks'> {
  const { minBlockTimeS } = NETWORKS[network]
  return {
    settlingBlocks: Math.max(MIN_SETTLING_BLOCKS, Math.ceil(SETTLING_S / minBlockTimeS)),
    hourBlocks: Math.ceil(HOUR_S / minBlockTimeS),
  }
}

const Q96 = 2n ** 96n

export interface PoolRate {
  token: Address
  quote: Address
  /** USD per whole token, scaled by 1e18. */
  price: bigint
  /** USD that the pool pays within 2 % below the price, scaled by 1e18. */
  bid: bigint
  /** Whole tokens that the pool sells within 2 % above the price, scaled by 1e18. */
  ask: bigint
}

/** A pool's state at the ends of blocks from block `number` onwards. */
export interface Step {
  number: number
  pricedAt: BlockPoint
  /** Returns a rate for each token that is paired with a stablecoin, which counts as 1 USD. */
  rates(): readonly PoolRate[]
}

interface PriceEvent extends BlockPoint {
  state: EventState
}

/** A reference pool after some block; immutable. */
export interface FollowedPool {
  pool: ReferencePool
  evidence: LiquidityEvidence
  price: PriceEvent | null
  /** Ascending. The first step covers the end of the oldest block that counts, unless the pool is younger. */
  steps: readonly Step[]
}

export function followedPool(pool: ReferencePool): FollowedPool {
  return { pool, evidence: [], price: null, steps: [] }
}

/** Returns the pool after one more event. Events must come in chain order. */
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
  let rates: readonly PoolRate[] | undefined
  const step: Step = {
    number,
    pricedAt,
    rates() {
      rates ??= ratesOf(config, pool, pricedAt.state, isPair ? [] : knownLiquidity(grown, pricedAt.number, hourBlocks))
      return rates
    },
  }
  const before = steps.at(-1)?.number === number ? steps.slice(0, -1) : steps
  const firstEnd = number + 1 - settlingBlocks
  const oldest = before.findLastIndex((step) => step.number <= firstEnd)
  return { pool, evidence: grown, price: pricedAt, steps: [...before.slice(Math.max(oldest, 0)), step] }
}

function ratesOf(
  { decimals, stablecoins }: ReferenceConfig,
  { token0, token1 }: ReferencePool,
  state: EventState,
  spans: KnownLiquidity,
): PoolRate[] {
  const [near0, near1] = amountsNear(state, spans)
  const [numerator, denominator] = priceOf(state)
  const rateOf = (token: Address, quote: Address): PoolRate[] => {
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

function amountsNear(state: EventState, spans: KnownLiquidity): readonly [bigint, bigint] {
  if (state.kind === 'concentrated') return nearAmounts(spans, state.tick, state.sqrtPriceX96)
  const near = (reserve: bigint) => (reserve * BigInt(NEAR_TICKS)) / TICKS_OF_ROOT
  return [near(state.reserve0), near(state.reserve1)]
}

/** Returns the price of token0 in token1, in base units, as a fraction. */
function priceOf(state: EventState): readonly [bigint, bigint] {
  if (state.kind === 'pair') return [state.reserve1, state.reserve0]
  return [state.sqrtPriceX96 * state.sqrtPriceX96, Q96 * Q96]
}
