import type { Address } from '@dexfeed/dex'
import { dataOf, TOPICS, topicOf } from '@dexfeed/fake-node/abi'
import type { DraftLog, DraftTransaction } from '@dexfeed/fake-node/commitments/draft'
import { transferLog } from '@dexfeed/fake-node/events'
import type { NetworkShape } from '../../presets.ts'
import { draftTrade, type PlannedSwap } from './draft-trade.ts'
import type { Market } from './market.ts'
import { mix, mixedHex } from './mix.ts'
import { stateAfter } from './pool-states.ts'
import type { Schedule } from './schedule.ts'

/** Of 100 transactions that trade, those with two swaps; of 100 trades of the coin, those without its wrapper. */
const [TWO_SWAPS, IN_COIN] = [15, 60]
/** Of 100 other transactions, those that fail. */
const FAILED = 5
const TRADERS = 400_000
const MOST_GAS = 400_000

/** Returns the transactions of a block of the cycle: those of its swaps, and among them others that do not trade. */
export function draftBlock(market: Market, shape: NetworkShape, schedule: Schedule, block: number): DraftTransaction[] {
  const { seed } = market
  let draws = 0
  const draw = (bound: number) => mix(seed, 23, block, draws++) % bound
  const trades: DraftTransaction[] = []
  const planned = plannedSwaps(market, schedule, block)
  for (let i = 0; i < planned.length; ) {
    const count = draw(100) < TWO_SWAPS ? 2 : 1
    const parties = {
      trader: accountOf(market, draw(TRADERS)),
      router: market.routers[draw(market.routers.length)] ?? market.wrappedNative.address,
      wrappedNative: market.wrappedNative,
      inCoin: draw(100) < IN_COIN,
    }
    trades.push(draftTrade(planned.slice(i, i + count), parties))
    i += count
  }
  const others = Math.max(0, shape.transactions - trades.length)
  let logsLeft = Math.max(0, shape.logs - trades.reduce((sum, { logs }) => sum + logs.length, 0))
  const transactions: DraftTransaction[] = []
  let [tradesLeft, othersLeft] = [trades.length, others]
  while (tradesLeft + othersLeft > 0) {
    if (draw(tradesLeft + othersLeft) < tradesLeft) {
      const next = trades[trades.length - tradesLeft--]
      if (next !== undefined) transactions.push(next)
    } else {
      const logs = Math.min(logsLeft, othersLeft === 1 ? logsLeft : draw(Math.ceil((2 * logsLeft) / othersLeft) + 1))
      logsLeft -= logs
      othersLeft--
      transactions.push(draftOther(market, logs, draw))
    }
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

/** Returns a transaction of transfers and approvals, which most logs are. */
function draftOther(market: Market, logs: number, draw: (bound: number) => number): DraftTransaction {
  const from = accountOf(market, draw(TRADERS))
  const to = accountOf(market, draw(TRADERS))
  const succeeded = logs > 0 || draw(100) >= FAILED
  const made = Array.from({ length: logs }, (): DraftLog => {
    const pool = market.pools[draw(market.pools.length)]
    const token = (pool?.token0 ?? market.wrappedNative).address
    const amount = BigInt(1 + draw(2 ** 31)) * 10n ** 10n
    const party = accountOf(market, draw(TRADERS))
    if (draw(100) >= 15) return transferLog(token, party, accountOf(market, draw(TRADERS)), amount)
    const topics = [TOPICS.approval, topicOf(from), topicOf(party)]
    return { address: token, topics, data: dataOf(amount) }
  })
  const value = logs === 0 && succeeded ? BigInt(1 + draw(2 ** 31)) * 10n ** 8n : 0n
  return { from, to, value, type: draw(3) === 0 ? 0 : 2, succeeded, gasUsed: 21_000 + draw(MOST_GAS), logs: made }
}

/** Returns an account that trades. */
export function accountOf({ seed }: Market, index: number): Address {
  return mixedHex(5, seed, 29, index)
}
