import { SECOND } from '@dexfeed/dex'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { SLOW_POLL_MS } from './watch-heads.ts'

export interface HeadNeedOptions {
  blockTimeMs: number
  pollMs: number
  finalityMs: number
  hasSocket: boolean
}

/** Allows for new pools and single receipts, which add to the cost of a block. */
const MARGIN = 1.2

/**
 * Returns the cost per second of following the head (blocks with receipts, polls, finality) at the shortest block time,
 * in the unit of `costOf`.
 */
export function headNeed(
  { blockTimeMs, pollMs, finalityMs, hasSocket }: HeadNeedOptions,
  costOf: (requests: readonly { method: string }[]) => number,
): number {
  const perS = (ms: number, ...methods: string[]) => (costOf(methods.map((method) => ({ method }))) * SECOND) / ms
  const blocks = perS(blockTimeMs, 'eth_getBlockByNumber', 'eth_getBlockReceipts')
  const polls = perS(hasSocket ? Math.max(SLOW_POLL_MS, pollMs) : pollMs, 'eth_getBlockByNumber')
  const finality = perS(Math.max(finalityMs, 1), 'eth_getBlockByNumber')
  return MARGIN * (blocks + polls + finality)
}

export function budgetShortfall(endpoints: readonly Endpoint[], options: HeadNeedOptions): string | null {
  const short = endpoints.flatMap(({ budget, masked }) => {
    const { perS, unit } = budget.state()
    const need = headNeed(options, (requests) => budget.cost(requests))
    if (perS === null || perS >= need) return []
    const [has, needed] = [perS, need].map((value) => Number(value.toFixed(1)))
    return [`${masked} allows ${has} ${unit} per second, the head needs about ${needed}`]
  })
  return short.length === 0 ? null : short.join('; ')
}
