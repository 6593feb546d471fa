import type { Address, Hex, PoolState } from '@dexfeed/dex'
import { BloomMaker } from './bloom.ts'
import { type MadeBlock, type MadeLog, type MadeTransaction, serialiseBlock } from './made-block.ts'
import { type Random, seededRandom } from './random.ts'
import { type Tally, TallyKeeper } from './tally.ts'
import type { WalkingPool, WorldToken } from './walking-pool.ts'
import type { World } from './world.ts'

export interface ChainPlan {
  seed: number
  /** Swap events in all, and in a block. */
  swaps: number
  swapsPerBlock: number
  /** Transactions of a block that swap nothing. */
  otherTransactions: number
  /** Time of block 0 and between blocks, seconds. */
  firstTime: number
  blockTime: number
  /** States of pools are kept for this many last blocks. */
  keepStates: number
}

export interface MadeChain {
  world: World
  blocks: readonly MadeBlock[]
  /** States before block `statesFrom`, then per block what it changed. */
  statesFrom: number
  states: ReadonlyMap<Address, readonly { block: number; state: PoolState }[]>
  tally: Tally
}

/** Of 100 transactions that swap, those with two hops. */
const TWO_HOP_PERCENT = 15
const EVENT_TOPICS = {
  sync: '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1',
  'swap-v2': '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822',
  'swap-v3': '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
} as const satisfies Record<string, Hex>
const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Makes a chain in memory, ready to be served. The same plan makes the same chain. */
export function makeChain(world: World, plan: ChainPlan): MadeChain {
  const random = seededRandom(plan.seed)
  const blooms = new BloomMaker()
  const tally = new TallyKeeper()
  const count = Math.ceil(plan.swaps / plan.swapsPerBlock)
  const statesFrom = Math.max(0, count - plan.keepStates)
  const states = new Map(world.pools.map((pool) => [pool.address, [{ block: -1, state: pool.state() }]]))
  const blocks: MadeBlock[] = []
  let parentHash: Hex = `0x${'0'.repeat(64)}`
  for (let number = 0; number < count; number++) {
    const swaps = Math.min(plan.swapsPerBlock, plan.swaps - number * plan.swapsPerBlock)
    const draft = new BlockDraft(world, random, tally, plan.firstTime + number * plan.blockTime)
    draft.fill(swaps, plan.otherTransactions)
    const hash: Hex = `0x${random.hex(8)}`
    const { transactions, logs, timestamp } = draft
    const logsBloom = blooms.of(draft.bloomValues)
    blocks.push(serialiseBlock({ number, hash, parentHash, timestamp, logsBloom }, transactions, logs, random))
    parentHash = hash
    for (const pool of draft.touched) {
      const known = states.get(pool.address) ?? []
      const version = { block: number, state: pool.state() }
      if (number <= statesFrom) known[0] = version
      else known.push(version)
    }
  }
  return { world, blocks, statesFrom, states, tally: tally.of(count, plan.swaps) }
}

/** The transactions and logs of one block. */
class BlockDraft {
  readonly transactions: MadeTransaction[] = []
  readonly logs: MadeLog[] = []
  readonly bloomValues = new Set<Hex>()
  readonly touched = new Set<WalkingPool>()
  readonly timestamp: number
  readonly #world: World
  readonly #random: Random
  readonly #tally: TallyKeeper
  #logIndex = 0

  constructor(world: World, random: Random, tally: TallyKeeper, timestamp: number) {
    this.#world = world
    this.#random = random
    this.#tally = tally
    this.timestamp = timestamp
  }

  fill(swaps: number, others: number): void {
    let [left, othersLeft] = [swaps, others]
    while (left > 0 || othersLeft > 0) {
      if (this.#random.below(left + othersLeft) < othersLeft) {
        othersLeft--
        this.#addTransaction(this.#sender())
      } else {
        const hops = left > 1 && this.#random.below(100) < TWO_HOP_PERCENT ? 2 : 1
        left -= hops
        this.#trade(hops)
      }
    }
  }

  #trade(hops: number): void {
    const trader = this.#sender()
    const txHash = this.#addTransaction(trader)
    const route = hops === 1 ? this.#singleRoute() : this.#nativeRoute()
    const { sold, pools } = route
    const amountIn = ((pools[0]?.depth(sold) ?? 0n) * BigInt(1 + this.#random.below(900))) / 1_000_000n
    let [token, amount] = [sold, amountIn]
    for (const pool of pools) {
      const tokenOut = token === pool.token0 ? pool.token1 : pool.token0
      const { amountOut, logs } = pool.swap(token, amount)
      this.touched.add(pool)
      // Both tokens' Transfer logs come before.
      this.#logIndex += 2
      this.#note(token.address, tokenOut.address, TRANSFER)
      for (const { topic, data } of logs) this.#addLog(pool, EVENT_TOPICS[topic], data, trader)
      ;[token, amount] = [tokenOut, amountOut]
    }
    this.#tally.add({
      txHash,
      trader,
      timestamp: this.timestamp,
      sell: { token: sold.address, amount: amountIn },
      buy: { token: token.address, amount },
    })
  }

  #singleRoute(): { sold: WorldToken; pools: WalkingPool[] } {
    const { pools } = this.#world
    const pool = at(pools, this.#random.below(pools.length))
    return { sold: this.#random.below(2) === 0 ? pool.token0 : pool.token1, pools: [pool] }
  }

  /** From any token over the coin to another one. */
  #nativeRoute(): { sold: WorldToken; pools: WalkingPool[] } {
    const { pools, wrappedNative } = this.#world
    const draw = (): { pool: WalkingPool; token: WorldToken } => {
      for (;;) {
        const pool = at(pools, this.#random.below(pools.length))
        if (pool.token0 === wrappedNative) return { pool, token: pool.token1 }
        if (pool.token1 === wrappedNative) return { pool, token: pool.token0 }
      }
    }
    const first = draw()
    let second = draw()
    while (second.token === first.token) second = draw()
    return { sold: first.token, pools: [first.pool, second.pool] }
  }

  #addTransaction(from: Address): Hex {
    const hash: Hex = `0x${this.#random.hex(8)}`
    this.transactions.push({ hash, from })
    return hash
  }

  #addLog(pool: WalkingPool, topic: Hex, data: string, recipient: Address): void {
    const { router } = this.#world
    const topics = topic === EVENT_TOPICS.sync ? [topic] : [topic, topicOf(router), topicOf(recipient)]
    this.#note(pool.address, ...topics)
    const transactionIndex = this.transactions.length - 1
    this.logs.push({ address: pool.address, topics, data, transactionIndex, logIndex: this.#logIndex++ })
  }

  #note(...values: readonly Hex[]): void {
    for (const value of values) this.bloomValues.add(value)
  }

  #sender(): Address {
    const { senders } = this.#world
    return at(senders, this.#random.below(senders.length))
  }
}

function topicOf(address: Address): Hex {
  return `0x${address.slice(2).padStart(64, '0')}`
}

function at<T>(list: readonly T[], index: number): T {
  const found = list[index]
  if (found === undefined) throw new RangeError(`nothing at ${index} of ${list.length}`)
  return found
}
