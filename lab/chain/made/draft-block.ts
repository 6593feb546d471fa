import type { EventState } from '@dexfeed/dex'
import { dataOf, TOPICS, topicOf } from '../abi.ts'
import type { DraftLog, DraftTransaction } from '../commitments/draft.ts'
import { initializeLog, mintLog, pairCreatedLog, poolCreatedLog, syncLog, transferLog, wrapperLog } from '../events.ts'
import type { MadePool, Market } from './market.ts'
import { mix } from './mix.ts'
import { stateAfter, swapBetween } from './pool-states.ts'
import type { Schedule } from './schedule.ts'
import type { NetworkShape } from './shapes.ts'

/** Percentages of trades with two swaps, and of trades in the coin instead of its wrapper. */
const [TWO_SWAPS, IN_COIN] = [15, 60]
/** Percentages of other transactions that fail, and of their logs that are approvals. */
const [FAILED, APPROVALS] = [5, 15]
const TRADERS = 400_000
const CREATION_GAS = 4_600_000
const SWAP_GAS = 110_000
const MAX_GAS = 400_000

interface PlannedSwap {
  pool: MadePool
  before: EventState
  after: EventState
}

export function draftBlock(market: Market, shape: NetworkShape, schedule: Schedule, block: number): DraftTransaction[] {
  let draws = 0
  const draw = (bound: number) => mix(market.seed, 23, block, draws++) % bound
  const trades: DraftTransaction[] = []
  const planned = plannedSwaps(market, schedule, block)
  for (let i = 0; i < planned.length; ) {
    const [first, second] = planned.slice(i, i + 2)
    const isTwo = draw(100) < TWO_SWAPS && first !== undefined && second !== undefined && !isRoundTrip(first, second)
    const count = isTwo ? 2 : 1
    const router = draw(market.routers.length)
    trades.push(
      draftTrade(market, planned.slice(i, i + count), { trader: draw(TRADERS), router, inCoin: draw(100) < IN_COIN }),
    )
    i += count
  }
  let logsLeft = Math.max(0, shape.logs - trades.reduce((sum, { logs }) => sum + logs.length, 0))
  let othersLeft = Math.max(0, shape.transactions - trades.length)
  const transactions: DraftTransaction[] = []
  while (trades.length + othersLeft > 0) {
    const isTrade = draw(trades.length + othersLeft) < trades.length
    const trade = isTrade ? trades.shift() : undefined
    if (trade !== undefined) {
      transactions.push(trade)
      continue
    }
    const logs = othersLeft === 1 ? logsLeft : Math.min(logsLeft, draw(Math.ceil((2 * logsLeft) / othersLeft) + 1))
    logsLeft -= logs
    othersLeft--
    transactions.push(draftOther(market, logs, draw))
  }
  return transactions
}

function plannedSwaps({ pools }: Market, schedule: Schedule, block: number): PlannedSwap[] {
  return schedule.swapsOf(block).flatMap(({ rank, before }) => {
    const pool = pools[rank]
    if (pool === undefined) return []
    const inCycle = schedule.swapsInCycle(rank)
    return [{ pool, before: stateAfter(pool, before), after: stateAfter(pool, (before + 1) % inCycle) }]
  })
}

/** The second swap would undo the first, and the trade would be worth nothing. */
function isRoundTrip(first: PlannedSwap, second: PlannedSwap): boolean {
  return first.pool.token0 === second.pool.token0 && first.pool.token1 === second.pool.token1
}

function draftTrade(
  market: Market,
  swaps: readonly PlannedSwap[],
  parties: { trader: number; router: number; inCoin: boolean },
): DraftTransaction {
  const { wrappedNative } = market
  const [trader, router] = [market.account(parties.trader), market.routers[parties.router] ?? wrappedNative.address]
  let value = 0n
  const logs = swaps.flatMap(({ pool, before, after }): DraftLog[] => {
    const { amount0, amount1, logs: poolLogs } = swapBetween(pool, before, after)
    const [sold, bought] = amount0 > 0n ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
    const [soldAmount, boughtAmount] = amount0 > 0n ? [amount0, -amount1] : [amount1, -amount0]
    const wraps = parties.inCoin && sold === wrappedNative
    const unwraps = parties.inCoin && bought === wrappedNative
    const recipient = unwraps ? router : trader
    if (wraps) value += soldAmount
    return [
      ...(wraps ? [wrapperLog('deposit', sold.address, router, soldAmount)] : []),
      transferLog(sold.address, wraps ? router : trader, pool.address, soldAmount),
      transferLog(bought.address, pool.address, recipient, boughtAmount),
      ...poolLogs({ sender: router, recipient }),
      ...(unwraps ? [wrapperLog('withdrawal', bought.address, router, boughtAmount)] : []),
    ]
  })
  return { from: trader, to: router, value, type: 2, succeeded: true, gasUsed: 40_000 + SWAP_GAS * swaps.length, logs }
}

function draftOther(market: Market, logs: number, draw: (bound: number) => number): DraftTransaction {
  const account = () => market.account(draw(TRADERS))
  const [from, to] = [account(), account()]
  const succeeded = logs > 0 || draw(100) >= FAILED
  const made = Array.from({ length: logs }, (): DraftLog => {
    const token = (market.pools[draw(market.pools.length)]?.token0 ?? market.wrappedNative).address
    const amount = BigInt(1 + draw(2 ** 31)) * 10n ** 10n
    const party = account()
    if (draw(100) >= APPROVALS) return transferLog(token, party, account(), amount)
    return { address: token, topics: [TOPICS.approval, topicOf(from), topicOf(party)], data: dataOf(amount) }
  })
  const value = logs === 0 && succeeded ? BigInt(1 + draw(2 ** 31)) * 10n ** 8n : 0n
  return { from, to, value, type: draw(3) === 0 ? 0 : 2, succeeded, gasUsed: 21_000 + draw(MAX_GAS), logs: made }
}

/** A later pool has a swap in the block after its creation, and then one every so many blocks. */
const BLOCKS_PER_SWAP = 12

export class LaterPools {
  readonly #market: Market
  readonly #after: number
  /** In blocks; infinite if no pools are created. */
  readonly #distance: number
  readonly #made: { pool: MadePool; born: number }[] = []

  /** @param perBlock average number of new pools per block, at most 1 */
  constructor(market: Market, after: number, perBlock: number) {
    this.#market = market
    this.#after = after
    this.#distance = perBlock > 0 ? Math.max(1, 1 / perBlock) : Number.POSITIVE_INFINITY
  }

  until(block: number): readonly { pool: MadePool; born: number }[] {
    const count = Math.max(0, Math.floor((block - this.#after) / this.#distance))
    for (let i = this.#made.length; i < count; i++) {
      const born = this.#after + Math.ceil((i + 1) * this.#distance)
      this.#made.push({ pool: this.#market.laterPool(i), born })
    }
    return this.#made.slice(0, count)
  }

  draft(block: number): DraftTransaction[] {
    return this.until(block).flatMap(({ pool, born }, index) => {
      if (born === block) return [draftCreation(pool, this.#market.account(index))]
      const swaps = swapsUntil(born, block - 1)
      if (swapsUntil(born, block) === swaps) return []
      const swap = { pool, before: stateAfter(pool, swaps), after: stateAfter(pool, swaps + 1) }
      const trader = mix(this.#market.seed, 31, index, block) % 10_000
      return [draftTrade(this.#market, [swap], { trader, router: 0, inCoin: false })]
    })
  }
}

export function swapsUntil(born: number, block: number): number {
  return block <= born ? 0 : 1 + Math.floor((block - born - 1) / BLOCKS_PER_SWAP)
}

function draftCreation(pool: MadePool, maker: DraftTransaction['from']): DraftTransaction {
  const { address, factory, token0, token1, reserves, tickSpacing, fee, positions } = pool
  const state = stateAfter(pool, 0)
  const created = tickSpacing === null ? pairCreatedLog(pool, pool.rank) : poolCreatedLog(pool, { fee, tickSpacing })
  const minted = positions.map(({ lower, upper, liquidity }) =>
    mintLog(address, { owner: maker, lower, upper }, liquidity, [1n, 1n]),
  )
  const logs = [
    created,
    transferLog(token0.address, maker, address, reserves[0]),
    transferLog(token1.address, maker, address, reserves[1]),
    ...(state.kind === 'pair' ? [syncLog(address, state)] : [initializeLog(address, state), ...minted]),
  ]
  return { from: maker, to: factory, value: 0n, type: 2, succeeded: true, gasUsed: CREATION_GAS, logs }
}
