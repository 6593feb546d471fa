import type { Address, EventState } from '@dexfeed/dex'
import type { DraftLog, DraftTransaction } from '@dexfeed/fake-node/commitments/draft'
import { transferLog, wrapperLog } from '@dexfeed/fake-node/events'
import type { MadePool, MadeToken } from './pool.ts'
import { swapBetween } from './pool-states.ts'

/** A planned swap: the pool's states before and after. */
export interface PlannedSwap {
  pool: MadePool
  before: EventState
  after: EventState
}

export interface TradeParties {
  trader: Address
  router: Address
  wrappedNative: MadeToken
  /** Whether the coin is wrapped before and unwrapped after. */
  inCoin: boolean
}

const SWAP_GAS = 110_000

/** Returns a trader's swaps by a router as one transaction with the logs of tokens and pools. */
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
  const { amount0, amount1, logs: poolLogs } = swapBetween(pool, before, after)
  const [sold, soldAmount, bought, boughtAmount] =
    amount0 > 0n ? [pool.token0, amount0, pool.token1, -amount1] : [pool.token1, amount1, pool.token0, -amount0]
  const wraps = inCoin && sold === wrappedNative
  const unwraps = inCoin && bought === wrappedNative
  const recipient = unwraps ? router : trader
  const logs = [
    ...(wraps ? [wrapperLog('deposit', sold.address, router, soldAmount)] : []),
    transferLog(sold.address, wraps ? router : trader, pool.address, soldAmount),
    transferLog(bought.address, pool.address, recipient, boughtAmount),
    ...poolLogs({ sender: router, recipient }),
    ...(unwraps ? [wrapperLog('withdrawal', bought.address, router, boughtAmount)] : []),
  ]
  return { value: wraps ? soldAmount : 0n, logs }
}
