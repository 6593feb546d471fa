import type { NetworkName } from '@dexfeed/dex'
import type { NetworkShape } from '../presets.ts'

/** Which chain is made. The same plan makes the same chain, given the time of its first head. */
export interface ChainPlan {
  network: NetworkName
  seed: number
  shape: NetworkShape
  /** Blocks below the first head, but for the empty ones before them. */
  history: number
}
