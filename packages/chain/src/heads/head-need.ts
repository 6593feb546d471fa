import { SECOND } from '@dexfeed/dex'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { SLOW_POLL_MS } from './watch-heads.ts'

export interface HeadNeedOptions {
  /** The least time between two blocks. */
  blockTimeMs: number
  pollMs: number
  finalityMs: number
  /** Whether a WebSocket announces heads. */
  hasSocket: boolean
}

/** New pools and single receipts come on top of what each block takes. */
const MARGIN = 1.2

/**
 * What it takes to follow a network's head at its fastest, a second: the blocks with their receipts, polls and finality.
 *
 * @param costOf what a question costs, in whatever unit
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

/** A sentence for each endpoint (masked) whose budget, as far as it is known, is below that; null: none is. */
export function budgetShortfall(endpoints: readonly Endpoint[], options: HeadNeedOptions): string | null {
  const short = endpoints.flatMap(({ budget, masked }) => {
    const { perS, unit } = budget.state()
    const need = headNeed(options, (requests) => budget.cost(requests))
    if (perS === null || perS >= need) return []
    const [has, needed] = [perS, need].map((value) => Number(value.toFixed(1)))
    return [`${masked} takes ${has} ${unit} a second, the head needs some ${needed}`]
  })
  return short.length === 0 ? null : short.join('; ')
}
