import type { BlockRange } from '@dexfeed/dex'
import type { DayDifference } from '@dexfeed/store'
import type { CheckedStates } from './pool-states/state-checker.ts'
import type { CheckedPart } from './range-checker.ts'

/** Takes what is found. */
export interface VerifyReport {
  /** So many blocks are to be compared. */
  onBegin(blocks: number): void
  onPart(part: CheckedPart): void
  /** So many differences of parts that were reported before are repaired now. */
  onRepaired(differences: number): void
  onDay(difference: DayDifference, isRepaired: boolean): void
  /** Repaired: those that differ are read anew by the indexer. */
  onStates(checked: CheckedStates, isRepaired: boolean): void
  onUncovered(range: BlockRange): void
  /** A sentence for people. */
  note(text: string): void
}
