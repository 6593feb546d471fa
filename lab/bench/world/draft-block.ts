import type { Random } from '@dexfeed/devnet'
import type { Address, Hex } from '@dexfeed/dex'
import type { DraftLog, DraftTransaction } from '@dexfeed/fake-node/commitments/draft'
import { transferLog, wrapperLog } from '@dexfeed/fake-node/events'
import { hexDigits } from './hex-digits.ts'
import type { TalliedTrade } from './tally.ts'
import type { WalkingPool, WorldToken } from './walking-pool.ts'
import type { World } from './world.ts'

/** A transaction without its place. */
export interface HashedDraft extends DraftTransaction {
  hash: Hex
}

/** Of 100 transactions that swap, those with two hops; of 100 trades of the coin, those without its wrapper. */
const [TWO_HOP_PERCENT, IN_COIN_PERCENT] = [15, 60]
/** Of 100 other transactions, those of unverified pools, of liquidity, and those that move a token alone. */
const [UNVERIFIED_PERCENT, LIQUIDITY_PERCENT, TRANSFER_PERCENT] = [15, 8, 40]
const [PAYMENT_GAS, SWAP_GAS] = [21_000, 110_000]

/** Drafts the transactions of one block, and lists the trades among them. */
export class BlockDraft {
  readonly transactions: HashedDraft[] = []
  readonly trades: TalliedTrade[] = []
  /** Pools whose states it changes. */
  readonly touched = new Set<WalkingPool>()
  /** Swap events, those of unverified pools among them. */
  swapEvents = 0
  readonly #world: World
  readonly #random: Random
  /** Number of pools that exist. */
  readonly #alive: number

  /** @param alive how many of the world's pools exist, with those that this block creates */
  constructor(world: World, random: Random, alive: number) {
    this.#world = world
    this.#random = random
    this.#alive = alive
  }

  /** Adds the creation of pools, then swaps and other transactions in random order. */
  fill(created: readonly WalkingPool[], swaps: number, others: number): void {
    for (const pool of created) {
      this.touched.add(pool)
      const provider = this.#sender()
      this.#add({ from: provider, to: pool.factory, value: 0n, logs: pool.create(provider) }, 4_000_000)
    }
    let [left, othersLeft] = [swaps, others]
    while (left > 0 || othersLeft > 0) {
      if (this.#random.integer(left + othersLeft) < othersLeft) {
        othersLeft--
        this.#other()
      } else {
        const hops = left > 1 && this.#random.integer(100) < TWO_HOP_PERCENT ? 2 : 1
        left -= hops
        this.#trade(hops === 1 ? this.#singleRoute() : this.#nativeRoute())
      }
    }
  }

  #trade({ sold, pools }: { sold: WorldToken; pools: readonly WalkingPool[] }): void {
    const { wrappedNative, router } = this.#world
    const trader = this.#sender()
    const inCoin = this.#random.integer(100) < IN_COIN_PERCENT
    const amountIn = ((pools[0]?.depth(sold) ?? 0n) * BigInt(1 + this.#random.integer(900))) / 1_000_000n
    const wraps = inCoin && sold === wrappedNative
    const logs: DraftLog[] = wraps ? [wrapperLog('deposit', sold.address, router, amountIn)] : []
    let [token, amount, payer] = [sold, amountIn, wraps ? router : trader]
    let unwraps = false
    pools.forEach((pool, i) => {
      const tokenOut = token === pool.token0 ? pool.token1 : pool.token0
      unwraps = inCoin && i === pools.length - 1 && tokenOut === wrappedNative
      const recipient = pools[i + 1]?.address ?? (unwraps ? router : trader)
      const made = pool.swap(token, amount, { sender: router, recipient })
      this.touched.add(pool)
      // This pool pays the next one.
      if (i === 0) logs.push(transferLog(token.address, payer, pool.address, amount))
      logs.push(transferLog(tokenOut.address, pool.address, recipient, made.amountOut), ...made.logs)
      ;[token, amount, payer] = [tokenOut, made.amountOut, pool.address]
    })
    if (unwraps) logs.push(wrapperLog('withdrawal', token.address, router, amount))
    this.swapEvents += pools.length
    const draft = { from: trader, to: router, value: wraps ? amountIn : 0n, logs }
    const { index, hash } = this.#add(draft, SWAP_GAS * pools.length)
    const sell = { token: sold.address, native: wraps, amount: amountIn }
    const buy = { token: token.address, native: unwraps, amount }
    this.trades.push({ index, txHash: hash, trader, sell, buy, pool: pools[0]?.address ?? '0x' })
  }

  #other(): void {
    const { unverified, pools, tokens, router } = this.#world
    const from = this.#sender()
    const draw = this.#random.integer(100)
    if (draw < UNVERIFIED_PERCENT) {
      const pool = at(unverified, this.#random.integer(unverified.length))
      const parties = { sender: router, recipient: from }
      const amount = (pool.depth(pool.token0) * BigInt(1 + this.#random.integer(900))) / 1_000_000n
      this.swapEvents++
      const { logs } = pool.swap(pool.token0, amount, parties)
      this.#add({ from, to: router, value: 0n, logs }, SWAP_GAS)
    } else if (draw < UNVERIFIED_PERCENT + LIQUIDITY_PERCENT) {
      const pool = at(pools, this.#drawPool())
      this.touched.add(pool)
      const logs = pool.provide(this.#random.integer(2) === 0, from)
      this.#add({ from, to: router, value: 0n, logs }, 2 * SWAP_GAS)
    } else if (draw < UNVERIFIED_PERCENT + LIQUIDITY_PERCENT + TRANSFER_PERCENT) {
      const token = at(tokens, this.#random.integer(tokens.length))
      const logs = [transferLog(token.address, from, this.#sender(), BigInt(1 + this.#random.integer(2 ** 31)))]
      this.#add({ from, to: token.address, value: 0n, logs }, 2 * PAYMENT_GAS)
    } else {
      const value = BigInt(1 + this.#random.integer(2 ** 31)) * 10n ** 9n
      this.#add({ from, to: this.#sender(), value, logs: [] }, PAYMENT_GAS)
    }
  }

  #add(draft: Pick<DraftTransaction, 'from' | 'to' | 'value' | 'logs'>, gasUsed: number): { index: number; hash: Hex } {
    const hash: Hex = `0x${hexDigits(this.#random, 8)}`
    this.transactions.push({ ...draft, hash, type: 2, succeeded: true, gasUsed })
    return { index: this.transactions.length - 1, hash }
  }

  /** Draws a pool by Zipf's law over its rank. */
  #drawPool(): number {
    return Math.min(this.#alive - 1, Math.floor((this.#alive + 1) ** this.#random.next()) - 1)
  }

  #singleRoute(): { sold: WorldToken; pools: WalkingPool[] } {
    const pool = at(this.#world.pools, this.#drawPool())
    return { sold: this.#random.integer(2) === 0 ? pool.token0 : pool.token1, pools: [pool] }
  }

  /** Returns a route from any token over the coin to another one. */
  #nativeRoute(): { sold: WorldToken; pools: WalkingPool[] } {
    const { pools, wrappedNative } = this.#world
    const draw = (): { pool: WalkingPool; token: WorldToken } => {
      for (;;) {
        const pool = at(pools, this.#drawPool())
        if (pool.token0 === wrappedNative) return { pool, token: pool.token1 }
        if (pool.token1 === wrappedNative) return { pool, token: pool.token0 }
      }
    }
    const first = draw()
    let second = draw()
    while (second.token === first.token) second = draw()
    return { sold: first.token, pools: [first.pool, second.pool] }
  }

  #sender(): Address {
    const { senders } = this.#world
    return at(senders, this.#random.integer(senders.length))
  }
}

function at<T>(list: readonly T[], index: number): T {
  const found = list[index]
  if (found === undefined) throw new RangeError(`nothing at ${index} of ${list.length}`)
  return found
}
