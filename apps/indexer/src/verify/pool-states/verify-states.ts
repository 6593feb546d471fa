import type { PoolAddress } from '@dexfeed/dex'
import type { InvalidatedPool } from '@dexfeed/store'
import { MAX_STATE_DEPTH } from '../../pools/pool-snapshot.ts'
import type { CheckedStates, PoolChecker } from './state-checker.ts'

const PAGE = 200

export interface VerifyStatesDependencies {
  chain: { head(): Promise<{ number: number }> }
  store: {
    networkRow(): Promise<{ head: { number: number } | null } | null>
    poolsWithState(after: PoolAddress | null, limit: number): Promise<PoolAddress[]>
    invalidate(pools: readonly InvalidatedPool[]): Promise<void>
  }
  checker: PoolChecker
  report: {
    onStates(checked: CheckedStates, isRepaired: boolean): void
    note(text: string): void
  }
}

/**
 * Returns whether all states are right or invalidated, or null if no indexer follows the head. Invalidated states are
 * not quoted until they are read again.
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
