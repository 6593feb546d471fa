import type { NetworkName } from '@dexfeed/dex'
import type { AppendedFields } from '../commitments/header.ts'

export interface NetworkShape {
  blockTimeS: number
  /** Per block. */
  transactions: number
  swaps: number
  /** Per block, including those of swaps and liquidity. */
  logs: number
  blockBytes: number
  pools: number
  newPoolsPerMinute: number
  ticks: number
  logCap: number
  rangeCap: number
  /** Blocks from the head to the node's final block, and the deployment's `finalityDepth`. */
  finalityLag: number
  finalityDepth: number
  cycle: number
  /** Number of the first head, with as many digits as on the real network. */
  aboutNumber: number
  stableDecimals: number
  appended: AppendedFields
}

export const PRESETS = {
  eth: {
    blockTimeS: 12,
    transactions: 240,
    swaps: 60,
    logs: 520,
    blockBytes: 330_000,
    pools: 9_000,
    newPoolsPerMinute: 0.5,
    ticks: 24,
    logCap: 10_000,
    rangeCap: 10_000,
    finalityLag: 72,
    finalityDepth: 64,
    cycle: 512,
    aboutNumber: 24_000_000,
    stableDecimals: 6,
    appended: 'all',
  },
  bsc: {
    blockTimeS: 0.45,
    transactions: 110,
    swaps: 59,
    logs: 360,
    blockBytes: 143_000,
    pools: 17_365,
    // A busy day: launchpads made up to 27,000 tokens a day (October 2025), and other pools come on top.
    newPoolsPerMinute: 30,
    ticks: 16,
    logCap: 10_000,
    rangeCap: 5_000,
    finalityLag: 3,
    finalityDepth: 64,
    cycle: 1_024,
    aboutNumber: 78_000_000,
    stableDecimals: 18,
    appended: 'all',
  },
  polygon: {
    blockTimeS: 1.9,
    transactions: 120,
    swaps: 26,
    logs: 420,
    blockBytes: 150_000,
    pools: 6_000,
    newPoolsPerMinute: 1,
    ticks: 20,
    logCap: 10_000,
    rangeCap: 2_000,
    finalityLag: 6,
    finalityDepth: 200,
    cycle: 768,
    aboutNumber: 80_000_000,
    stableDecimals: 6,
    appended: 'base-fee',
  },
} satisfies Partial<Record<NetworkName, NetworkShape>>

/** For `index` and `live`: large blocks, few ticks, and a typical provider's limits. */
export const PLAIN: NetworkShape = {
  ...PRESETS.eth,
  transactions: 250,
  swaps: 200,
  logs: 850,
  blockBytes: 230_000,
  newPoolsPerMinute: 0,
  ticks: 2,
  rangeCap: 1_000,
  finalityLag: 64,
}

export const PRESET_NAMES = Object.keys(PRESETS) as readonly (keyof typeof PRESETS)[]
