import type { NetworkName } from '@dexfeed/dex'
import type { NetworkShape } from '../presets.ts'

/** A chain to be made. The same plan and the same time of the first head make the same chain. */
export interface ChainPlan {
  network: NetworkName
  seed: number
  shape: NetworkShape
  /** Blocks below the first head, without the empty ones before them. */
  history: number
}
