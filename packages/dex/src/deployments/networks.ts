import { type Address, NATIVE_PLACEHOLDER, ZERO_ADDRESS } from '../chain.ts'
import bsc from './bsc.json' with { type: 'json' }
import eth from './eth.json' with { type: 'json' }
import polygon from './polygon.json' with { type: 'json' }
import bscTokens from './tokens/bsc.json' with { type: 'json' }
import ethTokens from './tokens/eth.json' with { type: 'json' }
import polygonTokens from './tokens/polygon.json' with { type: 'json' }

interface NativeCoin {
  name: string
  symbol: string
  decimals: 18
  aliases: readonly string[]
  /** Addresses of the coin in requests. */
  placeholders: readonly Address[]
}

interface Network {
  chainId: number
  native: NativeCoin
  /** The shortest block time in the network's history, in seconds. It limits the number of blocks in a day. */
  minBlockTimeS: number
  /** Whether some nodes omit the transaction of bridged state from the block's body. */
  hasLogsWithoutTransaction: boolean
  /** Trades on a busy day, as in the benchmark `mainnet`. */
  busyDayTrades?: number
  /**
   * Announced forks that this version supports, with the Unix time of their first block (null if it has no date yet).
   * Sources: docs/internals/forks.md.
   */
  forks?: readonly { name: string; at: number | null }[]
  /** The entry of a `DEX_CONFIG` file, without the `dexes` of the venues. */
  builtIn: Readonly<Record<string, unknown>>
}

/**
 * Every network. Only append: the order breaks ties between rows of the same block number, and the database stores a
 * network's position.
 */
const ALL = {
  eth: {
    chainId: 1,
    native: coin('Ether', 'ETH'),
    minBlockTimeS: 10,
    hasLogsWithoutTransaction: false,
    busyDayTrades: 440_000,
    forks: [{ name: 'Glamsterdam', at: null }],
    builtIn: { ...eth, tokens: ethTokens },
  },
  bsc: {
    chainId: 56,
    native: coin('BNB', 'BNB'),
    minBlockTimeS: 0.45,
    hasLogsWithoutTransaction: false,
    busyDayTrades: 11_000_000,
    forks: [{ name: 'Jenner', at: 1_796_697_000 }],
    builtIn: { ...bsc, tokens: bscTokens },
  },
  polygon: {
    chainId: 137,
    // The predeploy at this address stands for the coin.
    native: coin('POL', 'POL', ['MATIC'], ['0x0000000000000000000000000000000000001010']),
    minBlockTimeS: 1.5,
    hasLogsWithoutTransaction: true,
    busyDayTrades: 1_100_000,
    builtIn: { ...polygon, tokens: polygonTokens },
  },
} satisfies Record<string, Network>

export type NetworkName = keyof typeof ALL
export const NETWORKS: Readonly<Record<NetworkName, Network>> = ALL
export const NETWORK_NAMES = Object.keys(ALL) as readonly NetworkName[]

export const DEFAULT_NETWORK: NetworkName = 'bsc'

export function isCoin(network: NetworkName, address: Address): boolean {
  return NETWORKS[network].native.placeholders.includes(address)
}

function coin(
  name: string,
  symbol: string,
  aliases: readonly string[] = [],
  placeholders: readonly Address[] = [],
): NativeCoin {
  return { name, symbol, decimals: 18, aliases, placeholders: [NATIVE_PLACEHOLDER, ZERO_ADDRESS, ...placeholders] }
}

interface ComingFork {
  network: NetworkName
  name: string
  /** When it activates, in seconds since 1970; null while no date is set. */
  at: number | null
}

export const COMING_FORKS: readonly ComingFork[] = NETWORK_NAMES.flatMap((network) =>
  (NETWORKS[network].forks ?? []).map((fork) => ({ network, ...fork })),
)

/** When this list was last compared with announcements: 29 November 2026. */
export const FORKS_AS_OF = 1_795_910_400
