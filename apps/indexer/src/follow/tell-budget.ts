import type { Chain } from '@dexfeed/chain'
import { SECOND } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import type { IndexerLog } from '../loops/indexer-log.ts'
import { type LoopClock, repeatStep } from '../loops/repeat-step.ts'

/** How often the budgets are looked at: those that are learnt change. */
const LOOK_MS = 30 * SECOND

export interface TellBudgetOptions {
  chain: Pick<Chain, 'budgetShortfall'>
  store: Pick<IndexerStore, 'setBudgetShortfall'>
  log: IndexerLog
  clock?: LoopClock
}

/** Says in the log and in the network's row that the endpoints' budgets are too small to follow the head, or no longer. */
export async function tellBudget(
  { chain, store, log, clock }: TellBudgetOptions,
  epoch: number,
  ended: AbortSignal,
): Promise<void> {
  let told: string | null | undefined
  const step = async () => {
    const shortfall = chain.budgetShortfall()
    if (shortfall === told) return LOOK_MS
    // What another process has told before counts no longer; nor is it known what a write that fails leaves.
    told = undefined
    await store.setBudgetShortfall(shortfall, epoch)
    if (shortfall !== null) log.warn({ shortfall }, 'the head does not fit into the RPC budget')
    told = shortfall
    return LOOK_MS
  }
  await repeatStep({ ended, clock }, step, (error) => log.debug({ err: error }, 'the budget could not be told'))
}
