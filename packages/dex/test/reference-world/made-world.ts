import { USD } from '../../src/anchor-prices.ts'
import type { Address } from '../../src/chain.ts'
import type { NetworkName } from '../../src/deployments/networks.ts'
import { getSqrtRatioAtTick } from '../../src/maths/tick-math.ts'
import type { ReferenceEvent } from '../../src/pool-event.ts'
import { type ReferenceChange, type ReferencePool, referenceBlocks } from '../../src/usd/reference/reference-pool.ts'
import { ReferenceBook } from '../../src/usd/reference-book.ts'

export const [WETH, USDC, USDT]: [Address, Address, Address] = ['0x01', '0x02', '0x03']
export const BLOCK_S = 12
/** All tokens have 18 decimals, and the wrapped coin is token0 of its pools. */
const CONFIG = {
  wrappedNative: WETH,
  stablecoins: [USDC, USDT],
  anchors: [],
  decimals: new Map([WETH, USDC, USDT].map((token) => [token, 18])),
}

interface ChainOptions {
  network?: NetworkName
  /** Returns the time of a block, in seconds. */
  timeOf?(number: number): number
}

/** Returns a seeded source of numbers in [0, 1) (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface MadePool {
  reference: ReferencePool
  price: number
  /** Returns the event of a swap, or of several, that ends at a price. */
  swapTo(price: number): ReferenceEvent
  /** Returns the whole USD within 2 % of the price. */
  depth(): number
}

/** Returns a pair with this many USD on either side. */
export function pairPool(address: Address, token0: Address, token1: Address, start: number, sideUsd: number): MadePool {
  const root = sideUsd / Math.sqrt(start)
  const pool: MadePool = {
    reference: { address, token0, token1, tickSpacing: 1 },
    price: start,
    swapTo(price) {
      pool.price = price
      const [reserve0, reserve1] = [root / Math.sqrt(price), root * Math.sqrt(price)].map(units) as [bigint, bigint]
      return { type: 'price', state: { kind: 'pair', reserve0, reserve1 } }
    },
    depth: () => (sideUsd * 2 * 198) / 20_000,
  }
  return pool
}

export interface RangePool extends MadePool {
  /** Adds liquidity to the ticks lower to upper, worth this many USD on either side if the price were in the middle. */
  mint(lower: number, upper: number, usd: number): ReferenceEvent
  burn(lower: number, upper: number, usd: number): ReferenceEvent
}

/** Returns a pool of concentrated liquidity without positions. */
export function rangePool(
  address: Address,
  token0: Address,
  token1: Address,
  tickSpacing: number,
  start: number,
): RangePool {
  const positions: { lower: number; upper: number; liquidity: bigint }[] = []
  const put = (lower: number, upper: number, usd: number, sign: bigint): ReferenceEvent => {
    // L = amount1 / (root(upper) - root(lower)).
    const [low, high] = [lower, upper].map((tick) => 1.0001 ** (tick / 2)) as [number, number]
    const liquidity = units(usd / (high - low))
    positions.push({ lower, upper, liquidity: sign * liquidity })
    return { type: 'liquidity', tickLower: lower, tickUpper: upper, delta: sign * liquidity }
  }
  const inRange = (tick: number) =>
    positions.reduce((sum, each) => sum + (each.lower <= tick && tick < each.upper ? each.liquidity : 0n), 0n)
  const pool: RangePool = {
    reference: { address, token0, token1, tickSpacing },
    price: start,
    mint: (lower, upper, usd) => put(lower, upper, usd, 1n),
    burn: (lower, upper, usd) => put(lower, upper, usd, -1n),
    swapTo(price) {
      pool.price = price
      const tick = tickOf(price)
      const state = { kind: 'concentrated', tick, sqrtPriceX96: middleOf(tick), liquidity: inRange(tick) } as const
      return { type: 'price', state }
    },
    depth() {
      const tick = tickOf(pool.price)
      let usd = 0
      for (let at = tick - 198; at <= tick + 198; at++) {
        usd += (Number(inRange(at)) / 1e18) * (1.0001 ** ((at + 1) / 2) - 1.0001 ** (at / 2))
      }
      return usd
    },
  }
  return pool
}

export function tickOf(price: number): number {
  return Math.floor(Math.log(price) / Math.log(1.0001))
}

function middleOf(tick: number): bigint {
  return (getSqrtRatioAtTick(tick) + getSqrtRatioAtTick(tick + 1)) / 2n
}

function units(whole: number): bigint {
  return BigInt(Math.round(whole * 1e6)) * 10n ** 12n
}

/** A reference book that follows a chain block by block, and everything recorded in it. */
export class MadeChain {
  readonly changes: ReferenceChange[] = []
  readonly pools: ReferencePool[]
  readonly book: ReferenceBook
  readonly #timeOf: (number: number) => number
  number = 0

  constructor(
    pools: readonly MadePool[],
    { network = 'eth', timeOf = (number) => number * BLOCK_S }: ChainOptions = {},
  ) {
    this.pools = pools.map(({ reference }) => reference)
    this.book = new ReferenceBook({ ...CONFIG, ...referenceBlocks(network) }, this.pools)
    this.#timeOf = timeOf
  }

  get next(): { number: number; timestamp: number } {
    return { number: this.number + 1, timestamp: this.#timeOf(this.number + 1) }
  }

  emit({ reference }: MadePool, ...events: ReferenceEvent[]): void {
    for (const event of events) {
      this.changes.push({ pool: reference.address, event, block: this.next })
      this.book.record(reference.address, event, this.next)
    }
  }

  mine(blocks = 1): void {
    this.number += blocks
  }

  /** Returns the prices of the wrapped coin and the stablecoins in the next block, in USD. */
  usd(): { weth: number; flags: boolean; usdc: number; usdt: number } {
    const { native, stablecoins } = this.book.pricesAt(this.next)
    const of = (price: bigint = 0n) => Number((price * 1_000_000n) / USD) / 1e6
    const weth = native.get(WETH)
    return {
      weth: of(weth?.priceE18),
      flags: weth?.isOld === true,
      usdc: of(stablecoins.get(USDC)?.priceE18),
      usdt: of(stablecoins.get(USDT)?.priceE18),
    }
  }
}
