import type { BlockHeader, PoolAddress } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import { MAX_STATE_DEPTH } from '../../pools/pool-snapshot.ts'
import type { CheckedStates, StateChecker } from './state-checker.ts'

const PAGE = 200

export interface VerifyStatesDependencies {
  chain: { head(): Promise<BlockHeader> }
  store: Pick<IndexerStore, 'networkRow' | 'poolsWithState' | 'invalidate'>
  checker: Pick<StateChecker, 'check'>
  report: {
    onStates(checked: CheckedStates, isRepaired: boolean): void
    note(text: string): void
  }
}

/**
 * Compares the committed states of all pools with the chain, and returns whether all are right or invalidated. Null:
 * not comparable, because no indexer follows the head. With `repair`, differing states are invalidated: they are not
 * quoted until a running indexer reads them again.
 */
export async function verifyStates(
  { chain, store, checker, report }: VerifyStatesDependencies,
  repair: boolean,
  signal: AbortSignal,
): Promise<boolean | null> {
  const head = (await store.networkRow())?.head ?? null
  const chainHead = await chain.head()
  if (head === null || chainHead.number - head.number > MAX_STATE_DEPTH) {
    report.note(
      'no indexer is near the head: the states of pools are not compared, nodes keep only those of young blocks',
    )
    return null
  }
  let areRight = true
  let last: PoolAddress | null = null
  for (;;) {
    const pools: PoolAddress[] = await store.poolsWithState(last, PAGE)
    for await (const checked of checker.check(pools, signal)) {
      const { differences } = checked
      if (repair) await store.invalidate(differences.map(({ pool, blockNumber }) => ({ pool, blockNumber })))
      else if (differences.length > 0) areRight = false
      report.onStates(checked, repair)
    }
    last = pools.at(-1) ?? null
    if (pools.length < PAGE) return areRight
  }
}
