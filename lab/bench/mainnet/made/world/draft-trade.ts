import type { Address, Hex } from '@dexfeed/dex'
import type { DraftLog, DraftTransaction } from '@dexfeed/fake-node/commitments/draft'
import { addressTopic, type MadePool, type MadeToken, TOPICS } from './pool.ts'
import { dataOf, type MadeState, swapBetween } from './pool-states.ts'

/** A swap that is to be made: the pool's states around it. */
export interface PlannedSwap {
  pool: MadePool
  before: MadeState
  after: MadeState
}

export interface TradeParties {
  trader: Address
  router: Address
  wrappedNative: MadeToken
  /** Whether the coin is wrapped before and unwrapped after. */
  inCoin: boolean
}

const SWAP_GAS = 110_000

/** A trader's swaps by a router, as one transaction with the logs of tokens and pools around them. */
export function draftTrade(swaps: readonly PlannedSwap[], parties: TradeParties): DraftTransaction {
  const drafted = swaps.map((swap) => draftSwap(swap, parties))
  return {
    from: parties.trader,
    to: parties.router,
    value: drafted.reduce((sum, { value }) => sum + value, 0n),
    type: 2,
    succeeded: true,
    gasUsed: 40_000 + SWAP_GAS * swaps.length,
    logs: drafted.flatMap(({ logs }) => logs),
  }
}

function draftSwap({ pool, before, after }: PlannedSwap, parties: TradeParties): { value: bigint; logs: DraftLog[] } {
  const { trader, router, wrappedNative, inCoin } = parties
  const { amount0, amount1, sync, data } = swapBetween(pool, before, after)
  const [sold, soldAmount, bought, boughtAmount] =
    amount0 > 0n ? [pool.token0, amount0, pool.token1, -amount1] : [pool.token1, amount1, pool.token0, -amount0]
  const wraps = inCoin && sold === wrappedNative
  const unwraps = inCoin && bought === wrappedNative
  const logs: DraftLog[] = []
  if (wraps)
    logs.push({ address: sold.address, topics: [TOPICS.deposit, addressTopic(router)], data: dataOf(soldAmount) })
  logs.push(transfer(sold.address, wraps ? router : trader, pool.address, soldAmount))
  logs.push(transfer(bought.address, pool.address, unwraps ? router : trader, boughtAmount))
  if (sync !== null) logs.push({ address: pool.address, topics: [TOPICS.sync], data: sync })
  const topics: Hex[] = [TOPICS[pool.kind], addressTopic(router), addressTopic(unwraps ? router : trader)]
  logs.push({ address: pool.address, topics, data })
  if (unwraps) {
    logs.push({
      address: bought.address,
      topics: [TOPICS.withdrawal, addressTopic(router)],
      data: dataOf(boughtAmount),
    })
  }
  return { value: wraps ? soldAmount : 0n, logs }
}

export function transfer(token: Address, from: Address, to: Address, amount: bigint): DraftLog {
  return { address: token, topics: [TOPICS.transfer, addressTopic(from), addressTopic(to)], data: dataOf(amount) }
}
