import { type AnchorPrice, valueE8 } from './anchor-prices.ts'
import { type Address, type Block, type Hex, ZERO_ADDRESS } from './chain.ts'
import { getSqrtRatioAtTick } from './maths/tick-math.ts'
import { coinsOf, type Pool, type PoolAddress } from './pool.ts'
import type { LiquidityEvent, PoolEvent, Provided } from './pool-event.ts'
import { present } from './present.ts'
import { getAmount0Delta, getAmount1Delta } from './quote/pool-maths/sqrt-price-math.ts'

/** Concentrated liquidity between two ticks. */
interface LiquidityInRange {
  tickLower: number
  tickUpper: number
  liquidity: bigint
}

/** What an account added to a pool, or removed from it, in one event. */
export interface LiquidityMove {
  blockNumber: number
  timestamp: number
  transactionIndex: number
  logIndex: number
  txHash: Hex
  /** The account that signed the transaction. */
  account: Address | null
  pool: PoolAddress
  /** The tokens of `amounts`. */
  coins: readonly Address[]
  isAdded: boolean
  /** In base units, not negative, without fees that were collected; null if unknown. */
  amounts: readonly bigint[] | null
  /** Null unless the liquidity is concentrated. */
  range: LiquidityInRange | null
}

export interface PricedMove extends LiquidityMove {
  /** In USD, scaled by 1e8; null if unknown. */
  usdE8: bigint | null
}

interface Price {
  sqrtPriceX96: bigint
  tick: number
}

/**
 * Returns what the liquidity events of a block moved. A manager's event tells no amounts; they are known if an earlier
 * event of the block shows the price. `events` are in log order; those of pools outside of `pools` are skipped.
 */
export function liquidityMoves(
  block: Block,
  events: readonly PoolEvent[],
  pools: ReadonlyMap<PoolAddress, Pool>,
): LiquidityMove[] {
  const moves: LiquidityMove[] = []
  const prices = new Map<PoolAddress, Price>()
  for (const event of events) {
    if (event.type === 'initialize') prices.set(event.pool, event)
    if (event.type === 'swap' && event.state !== null) prices.set(event.pool, event.state)
    const pool = pools.get(event.pool)
    const moved = pool && movedBy(event, pool, prices.get(event.pool))
    if (!moved) continue
    const { transactionIndex, logIndex } = event
    const transaction = block.transactions.get(transactionIndex)
    if (transaction === undefined) throw new Error(`block ${block.number} lacks its transaction ${transactionIndex}`)
    moves.push({
      blockNumber: block.number,
      timestamp: block.timestamp,
      transactionIndex,
      logIndex,
      txHash: transaction.hash,
      account: transaction.from,
      pool: pool.address,
      coins: coinsOf(pool),
      ...moved,
    })
  }
  return moves
}

type Moved = Pick<LiquidityMove, 'isAdded' | 'amounts' | 'range'>

function movedBy(event: PoolEvent, pool: Pool, price: Price | undefined): Moved | null {
  if (event.type === 'liquidity') {
    const { tickLower, tickUpper, delta } = event
    // A position's fees can be collected with a change of 0.
    if (delta === 0n) return null
    const range = { tickLower, tickUpper, liquidity: delta < 0n ? -delta : delta }
    return { isAdded: delta > 0n, amounts: event.amounts ?? (price ? amountsAt(price, event) : null), range }
  }
  const provided = event.type === 'provided' || event.type === 'touch' ? event.provided : undefined
  if (provided === undefined) return null
  return { isAdded: provided.isAdded, amounts: amountsByCoin(provided, coinsOf(pool)), range: null }
}

/** Returns what a change of liquidity moves at a price: v4-core `Pool.modifyLiquidity`, which rounds for the pool. */
function amountsAt({ sqrtPriceX96, tick }: Price, { tickLower, tickUpper, delta }: LiquidityEvent): [bigint, bigint] {
  const lower = getSqrtRatioAtTick(tickLower)
  const upper = getSqrtRatioAtTick(tickUpper)
  const isAdded = delta > 0n
  const liquidity = isAdded ? delta : -delta
  if (tick < tickLower) return [getAmount0Delta(lower, upper, liquidity, isAdded), 0n]
  if (tick >= tickUpper) return [0n, getAmount1Delta(lower, upper, liquidity, isAdded)]
  return [
    getAmount0Delta(sqrtPriceX96, upper, liquidity, isAdded),
    getAmount1Delta(lower, sqrtPriceX96, liquidity, isAdded),
  ]
}

/** Returns null if the amounts are unknown, or if one belongs to no coin of the pool. */
function amountsByCoin({ amounts, tokens }: Provided, coins: readonly Address[]): readonly bigint[] | null {
  if (amounts === null) return null
  if (tokens === undefined) {
    // Coins that only events name follow those that the pool lists.
    return amounts.length > coins.length ? null : coins.map((_, index) => amounts[index] ?? 0n)
  }
  const byCoin = coins.map(() => 0n)
  for (const [index, token] of tokens.entries()) {
    const amount = present(amounts[index])
    const coin = coins.indexOf(token)
    if (coin >= 0) byCoin[coin] = present(byCoin[coin]) + amount
    else if (amount > 0n) return null
  }
  return byCoin
}

/**
 * Returns the value of the anchors that moved, like the `liquidity_usd` of a pool; null without anchors or amounts.
 * The coin has the price of its wrapper.
 */
export function moveValueE8(
  { coins, amounts }: Pick<LiquidityMove, 'coins' | 'amounts'>,
  anchors: ReadonlyMap<Address, Pick<AnchorPrice, 'priceE18' | 'decimals'>>,
  wrappedNative: Address,
): bigint | null {
  let value: bigint | null = null
  for (const [index, coin] of coins.entries()) {
    const price = anchors.get(coin === ZERO_ADDRESS ? wrappedNative : coin)
    const amount = amounts?.[index]
    if (price !== undefined && amount !== undefined) value = (value ?? 0n) + valueE8(amount, price)
  }
  return value
}
