import type { BlockRange } from '@dexfeed/dex'
import type { DayDifference } from '@dexfeed/store'
import type { CheckedStates } from './pool-states/state-checker.ts'
import type { CheckedPart } from './range-checker.ts'

export interface VerifyReport {
  onBegin(blocks: number): void
  onPart(part: CheckedPart): void
  /** Reports that earlier differences are now repaired. */
  onRepaired(differences: number): void
  onDay(difference: DayDifference, isRepaired: boolean): void
  /** If `isRepaired`, the indexer reads these pools again. */
  onStates(checked: CheckedStates, isRepaired: boolean): void
  onUncovered(range: BlockRange): void
  note(text: string): void
}
