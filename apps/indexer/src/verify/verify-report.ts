import type { BlockRange } from '@dexfeed/dex'
import type { DayDifference } from '@dexfeed/store'
import type { CheckedStates } from './pool-states/state-checker.ts'
import type { CheckedPart } from './range-checker.ts'

export interface VerifyReport {
  onBegin(blocks: number): void
  onPart(part: CheckedPart): void
  onRepaired(differences: number): void
  onDay(difference: DayDifference, isRepaired: boolean): void
  onStates(checked: CheckedStates, isRepaired: boolean): void
  onUncovered(range: BlockRange): void
  note(text: string): void
}
