import { type BlockRange, missingRanges, SECOND, sharedRanges } from '@dexfeed/dex'
import { type IndexerLog, type LoopClock, repeatStep } from '../loops/loop.ts'
import type { PartChecker } from './range-checker.ts'

const IDLE_MS = 5 * SECOND

export interface RereadStore {
  networkRow(): Promise<{ finalNumber: number | null } | null>
  coveredRanges(): Promise<BlockRange[]>
}

export interface RereadDependencies {
  store: RereadStore
  checker: PartChecker
  log: IndexerLog
}

export interface DroppedDependencies extends RereadDependencies {
  registry: { takeDropped(): BlockRange[]; postponeDropped(ranges: readonly BlockRange[]): void }
  clock?: LoopClock
}

export async function coverDropped(dependencies: DroppedDependencies, ended: AbortSignal): Promise<void> {
  const { registry, log, clock } = dependencies
  const step = async () => {
    const failures: unknown[] = []
    for (const range of registry.takeDropped()) {
      try {
        registry.postponeDropped(ended.aborted ? [range] : await readAgain(dependencies, range, ended))
      } catch (error) {
        registry.postponeDropped([range])
        failures.push(error)
      }
    }
    if (failures.length > 0 && !ended.aborted) throw failures[0]
    return IDLE_MS
  }
  const onFailure = (error: unknown) =>
    log.warn({ err: error }, 'could not read again the blocks of pools that had been rejected')
  await repeatStep({ ended, clock }, step, onFailure)
}

/** Compares the final, covered blocks of a range with the chain and repairs them. Returns the other blocks. */
export async function readAgain(
  { store, checker, log }: RereadDependencies,
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
      log.warn({ from, to, pools }, 'added rows of pools that had been rejected by mistake')
    }
  }
  return missingRanges(range, ready)
}
