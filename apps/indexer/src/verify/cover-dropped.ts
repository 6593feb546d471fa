import { type BlockRange, missingRanges, SECOND, sharedRanges } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import { type IndexerLog, type LoopClock, repeatStep } from '../loops/loop.ts'
import type { PoolRegistry } from '../pools/pool-registry.ts'
import type { RangeChecker } from './range-checker.ts'

const IDLE_MS = 5 * SECOND

export interface DroppedDependencies {
  registry: Pick<PoolRegistry, 'takeDropped' | 'postponeDropped'>
  store: Pick<IndexerStore, 'networkRow' | 'coveredRanges'>
  checker: Pick<RangeChecker, 'check'>
  log: IndexerLog
  clock?: LoopClock
}

/** Reads final blocks again whose rows lack a pool that was denied then, and has proved to be a pool since. */
export async function coverDropped(dependencies: DroppedDependencies, ended: AbortSignal): Promise<void> {
  const { registry, log, clock } = dependencies
  const step = async () => {
    const failures: unknown[] = []
    for (const range of registry.takeDropped()) {
      try {
        registry.postponeDropped(ended.aborted ? [range] : await readAgain(dependencies, range, ended))
      } catch (error) {
        // A failing block must not hold up the others.
        registry.postponeDropped([range])
        failures.push(error)
      }
    }
    if (failures.length > 0 && !ended.aborted) throw failures[0]
    return IDLE_MS
  }
  const onFailure = (error: unknown) => log.warn({ err: error }, 'blocks without a pool could not be read again')
  await repeatStep({ ended, clock }, step, onFailure)
}

/** Reads blocks again that are final and committed. Returns the others. */
export async function readAgain(
  { store, checker, log }: Omit<DroppedDependencies, 'registry'>,
  range: BlockRange,
  ended: AbortSignal,
): Promise<BlockRange[]> {
  const finalNumber = (await store.networkRow())?.finalNumber ?? -1
  const final = { from: range.from, to: Math.min(range.to, finalNumber) }
  const ready = final.from > final.to ? [] : sharedRanges(await store.coveredRanges(), final)
  for (const part of ready) {
    for await (const { outcome, from, to, pools } of checker.check(part, true, ended)) {
      if (outcome === 'unsettled') throw new Error(`the nodes contradict each other about blocks ${from} to ${to}`)
      if (outcome !== 'repaired') continue
      log.warn({ from, to, pools }, 'rows of pools that had been denied: added')
    }
  }
  return missingRanges(range, ready)
}
