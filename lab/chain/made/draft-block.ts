import type { Random } from '@dexfeed/devnet'
import type { Address } from '@dexfeed/dex'
import { type DraftLog, dataOf, TOPICS, topicOf } from '../abi.ts'
import { addressOf, randomOf } from '../digest.ts'
import { creationLogs, swapLogs, transferLog, wrapperLog } from '../events.ts'
import type { Market, Pool } from '../market.ts'
import { type PoolState, Q96, type Swapped, swapIn } from '../pool-math.ts'
import type { NetworkShape } from './shapes.ts'

export interface DraftTransaction {
  from: Address
  to: Address
  value: bigint
  type: 0 | 2
  succeeded: boolean
  gasUsed: number
  logs: readonly DraftLog[]
}

export interface DraftBlock {
  transactions: readonly DraftTransaction[]
  /** At the end of the block, of the pools that are not as they were created. */
  states: ReadonlyMap<Address, PoolState>
}

export interface DraftPlan {
  seed: string
  market: Market
  shape: NetworkShape
}

/** Shares of trades with two swaps, and of trades in the coin instead of its wrapper. */
const [TWO_SWAPS, IN_COIN] = [0.15, 0.6]
/** Shares of other transactions that fail, and of their logs that are approvals. */
const [FAILED, APPROVALS] = [0.05, 0.15]
const TRADERS = 400_000
const ROUTERS = 12
const CREATION_GAS = 4_600_000
const SWAP_GAS = 110_000
const MAX_GAS = 400_000
/** Largest swap, in ten thousandths of what stands on its side of the pool. */
const MAX_PART = 30

interface PlannedSwap extends Swapped {
  pool: Pool
  before: PoolState
}

/** Returns the number of blocks after which contents repeat: long enough for a swap of each pool. */
export function cycleOf({ cycle, pools, swaps }: NetworkShape): number {
  return 2 * Math.ceil(Math.max(cycle, (4 * pools) / swaps) / 2)
}

export function draftBlock(plan: DraftPlan, block: number): DraftBlock {
  const { market, shape } = plan
  const random = randomOf(plan.seed, 'transactions', block)
  const planned = plannedSwaps(plan, block)
  const trades: DraftTransaction[] = []
  for (let i = 0; i < planned.length; ) {
    const [first, second] = planned.slice(i, i + 2)
    const isTwo =
      random.next() < TWO_SWAPS && first !== undefined && second !== undefined && !isRoundTrip(first, second)
    const count = isTwo ? 2 : 1
    trades.push(draftTrade(plan, planned.slice(i, i + count), random))
    i += count
  }
  let logsLeft = Math.max(0, shape.logs - trades.reduce((sum, { logs }) => sum + logs.length, 0))
  let othersLeft = Math.max(0, shape.transactions - trades.length)
  const transactions: DraftTransaction[] = []
  while (trades.length + othersLeft > 0) {
    const isTrade = random.integer(trades.length + othersLeft) < trades.length
    const trade = isTrade ? trades.shift() : undefined
    if (trade !== undefined) {
      transactions.push(trade)
      continue
    }
    const logs =
      othersLeft === 1 ? logsLeft : Math.min(logsLeft, random.integer(Math.ceil((2 * logsLeft) / othersLeft) + 1))
    logsLeft -= logs
    othersLeft--
    transactions.push(draftOther(plan, logs, random))
  }
  const states = new Map(planned.map(({ pool, after }) => [pool.address, after]))
  for (const [address, state] of states) if (state === market.pool(address)?.firstState) states.delete(address)
  return { transactions, states }
}

/**
 * An odd block undoes the swaps of the even one before it, so that all states repeat. One half of the swaps take the
 * pools in turn, the other is distributed by Zipf's law (rank r has a share of 1 / r).
 */
function plannedSwaps({ seed, market: { pools }, shape }: DraftPlan, block: number): PlannedSwap[] {
  const even = block - (block % 2)
  const random = randomOf(seed, 'swaps', even)
  const inTurn = (even / 2) * Math.ceil(shape.swaps / 2)
  const states = new Map<Pool, PoolState>()
  const swaps = Array.from({ length: shape.swaps }, (_, i): PlannedSwap => {
    const rank = i % 2 === 0 ? (inTurn + i / 2) % pools.length : Math.floor(pools.length ** random.next()) - 1
    const pool = pools[rank]
    if (pool === undefined) throw new Error(`no pool has rank ${rank}`)
    const swap = smallSwap(pool, states.get(pool) ?? pool.firstState, random)
    states.set(pool, swap.after)
    return swap
  })
  return even === block ? swaps : swaps.reverse().map(undone)
}

function smallSwap(pool: Pool, before: PoolState, random: Random): PlannedSwap {
  const zeroForOne = random.next() < 0.5
  const amount = (sideOf(before, zeroForOne) * BigInt(1 + random.integer(MAX_PART))) / 10_000n
  const swapped = swapIn(before, 0, zeroForOne, amount)
  if (swapped === null) throw new Error(`pool ${pool.address} is too small`)
  return { pool, before, ...swapped }
}

function sideOf(state: PoolState, ofToken0: boolean): bigint {
  if (state.kind === 'pair') return ofToken0 ? state.reserve0 : state.reserve1
  const { sqrtPriceX96, liquidity } = state
  return ofToken0 ? (liquidity * Q96) / sqrtPriceX96 : (liquidity * sqrtPriceX96) / Q96
}

function undone({ pool, amount0, amount1, before, after }: PlannedSwap): PlannedSwap {
  return { pool, amount0: -amount0, amount1: -amount1, before: after, after: before }
}

/** The second swap would undo the first, and the trade would be worth nothing. */
function isRoundTrip({ pool: first }: PlannedSwap, { pool: second }: PlannedSwap): boolean {
  return first.token0.address === second.token0.address && first.token1.address === second.token1.address
}

function draftTrade({ seed, market }: DraftPlan, swaps: readonly PlannedSwap[], random: Random): DraftTransaction {
  const wrapper = market.wrapped.address
  const trader = traderOf(seed, random)
  const router = addressOf(seed, 'router', random.integer(ROUTERS))
  const isInCoin = random.next() < IN_COIN
  let value = 0n
  const logs = swaps.flatMap((swap): DraftLog[] => {
    const { pool, amount0, amount1 } = swap
    const [token0, token1] = [pool.token0.address, pool.token1.address]
    const [sold, bought] = amount0 > 0n ? [token0, token1] : [token1, token0]
    const [soldAmount, boughtAmount] = amount0 > 0n ? [amount0, -amount1] : [amount1, -amount0]
    const wraps = isInCoin && sold === wrapper
    const unwraps = isInCoin && bought === wrapper
    const recipient = unwraps ? router : trader
    if (wraps) value += soldAmount
    return [
      ...(wraps ? [wrapperLog('deposit', sold, router, soldAmount)] : []),
      transferLog(sold, wraps ? router : trader, pool.address, soldAmount),
      transferLog(bought, pool.address, recipient, boughtAmount),
      ...swapLogs(pool, { sender: router, recipient }, swap),
      ...(unwraps ? [wrapperLog('withdrawal', bought, router, boughtAmount)] : []),
    ]
  })
  return { from: trader, to: router, value, type: 2, succeeded: true, gasUsed: 40_000 + SWAP_GAS * swaps.length, logs }
}

function draftOther({ seed, market: { pools, wrapped } }: DraftPlan, logs: number, random: Random): DraftTransaction {
  const [from, to] = [traderOf(seed, random), traderOf(seed, random)]
  const succeeded = logs > 0 || random.next() >= FAILED
  const made = Array.from({ length: logs }, (): DraftLog => {
    const token = (pools[random.integer(pools.length)]?.token0 ?? wrapped).address
    const amount = BigInt(1 + random.integer(2 ** 31)) * 10n ** 10n
    const party = traderOf(seed, random)
    if (random.next() >= APPROVALS) return transferLog(token, party, traderOf(seed, random), amount)
    return { address: token, topics: [TOPICS.approval, topicOf(from), topicOf(party)], data: dataOf(amount) }
  })
  const value = logs === 0 && succeeded ? BigInt(1 + random.integer(2 ** 31)) * 10n ** 8n : 0n
  const type = random.integer(3) === 0 ? 0 : 2
  return { from, to, value, type, succeeded, gasUsed: 21_000 + random.integer(MAX_GAS), logs: made }
}

function traderOf(seed: string, random: Random): Address {
  return addressOf(seed, 'trader', random.integer(TRADERS))
}

/** A later pool has a swap in the block after its creation, and then one every so many blocks. Every second undoes one. */
const BLOCKS_PER_SWAP = 60

export function draftLater(plan: DraftPlan, pool: Pool, block: number): DraftTransaction | null {
  if (block === pool.bornAt) return draftCreation(plan.seed, pool)
  const swaps = laterSwaps(pool, block)
  if (swaps === laterSwaps(pool, block - 1)) return null
  const swap = laterSwap(plan.seed, pool)
  return draftTrade(plan, [swaps % 2 === 1 ? swap : undone(swap)], randomOf(plan.seed, pool.address, block))
}

export function laterState({ seed }: DraftPlan, pool: Pool, block: number): PoolState | undefined {
  if (block < pool.bornAt) return undefined
  return laterSwaps(pool, block) % 2 === 1 ? laterSwap(seed, pool).after : pool.firstState
}

function laterSwap(seed: string, pool: Pool): PlannedSwap {
  return smallSwap(pool, pool.firstState, randomOf(seed, pool.address))
}

function laterSwaps({ bornAt }: Pool, block: number): number {
  return block <= bornAt ? 0 : 1 + Math.floor((block - bornAt - 1) / BLOCKS_PER_SWAP)
}

function draftCreation(seed: string, pool: Pool): DraftTransaction {
  const { address, factory: to, token0, token1 } = pool
  const from = addressOf(seed, 'maker', address)
  const logs = [
    transferLog(token0.address, from, address, 10n ** 18n),
    transferLog(token1.address, from, address, 10n ** 18n),
    ...creationLogs(pool),
  ]
  return { from, to, value: 0n, type: 2, succeeded: true, gasUsed: CREATION_GAS, logs }
}
