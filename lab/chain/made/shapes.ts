import type { NetworkName } from '@dexfeed/dex'
import type { AppendedFields } from '../commitments/header.ts'

/** The shape of a network's blocks, pools and nodes. */
export interface NetworkShape {
  /** Seconds between two blocks. */
  blockTimeS: number
  /** Transactions and swap events of a block. */
  transactions: number
  swaps: number
  /** Logs of a block, those of its swaps and liquidity among them. */
  logs: number
  /** Length of a block with its transactions as JSON; its receipts are as long as its logs make them. */
  blockBytes: number
  /** Pools that trade when the benchmark begins, and new pools per minute after that. */
  pools: number
  newPoolsPerMinute: number
  /** Initialised ticks of a pool of concentrated liquidity, on average. */
  ticks: number
  /** Maxima of logs and blocks of one eth_getLogs. */
  logCap: number
  rangeCap: number
  /** Distance from the head to the last block that the node reports as final; finality depth of the deployment. */
  finalityLag: number
  finalityDepth: number
  /** Length of the cycle in blocks, after which pools have the same states again. Grows with the pools. */
  cycle: number
  /** The number of the first block lies near the real one, so that numbers are as long. */
  aboutNumber: number
  /** Decimals of the stablecoins. */
  stableDecimals: number
  /** Fields that the network's forks have appended to its headers. */
  appended: AppendedFields
}

/** The networks whose shape is known. */
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
    newPoolsPerMinute: 6,
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

/** What `index` and `live` read: large blocks of trades, few ticks, and the limits of a usual provider. */
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
