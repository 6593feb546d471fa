import { type Address, NATIVE_PLACEHOLDER, ZERO_ADDRESS } from '../chain/hex.ts'
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
  /** Further symbols that name the coin in a request. */
  aliases: readonly string[]
  /** Addresses that mean the coin in a request. */
  placeholders: readonly Address[]
}

interface Network {
  chainId: number
  native: NativeCoin
  /** The shortest time between two blocks in the network's history, in seconds; it limits the blocks of a day. */
  leastBlockTimeS: number
  /** Bridged state arrives in logs whose transaction some nodes leave out of the block's body. */
  hasLogsWithoutTransaction: boolean
  /** Trades of a busy day, as measured with the shapes of the benchmark `mainnet`; missing: not measured. */
  busyDayTrades?: number
  /**
   * Announced forks that this version reads, each with the Unix time of its first block (null: not dated yet). The
   * calendar with its sources is docs/internals/forks.md.
   */
  forks?: readonly { name: string; at: number | null }[]
  /** Its built-in deployment, as in a `DEX_CONFIG` file. The venues add their `dexes` (venues/<name>/deployments.json). */
  builtIn: Readonly<Record<string, unknown>>
}

/**
 * Every network, and the only place that lists them. To add one: an entry here and its deployment file. Append only:
 * the order breaks ties between rows of one block number, and a network's position is stored in the database.
 */
const ALL = {
  eth: {
    chainId: 1,
    native: coin('Ether', 'ETH'),
    leastBlockTimeS: 10,
    hasLogsWithoutTransaction: false,
    busyDayTrades: 440_000,
    forks: [{ name: 'Glamsterdam', at: null }],
    builtIn: { ...eth, tokens: ethTokens },
  },
  bsc: {
    chainId: 56,
    native: coin('BNB', 'BNB'),
    leastBlockTimeS: 0.45,
    hasLogsWithoutTransaction: false,
    busyDayTrades: 11_000_000,
    forks: [{ name: 'Jenner', at: 1_796_697_000 }],
    builtIn: { ...bsc, tokens: bscTokens },
  },
  polygon: {
    chainId: 137,
    // The network's predeploy also means the coin.
    native: coin('POL', 'POL', ['MATIC'], ['0x0000000000000000000000000000000000001010']),
    leastBlockTimeS: 1.5,
    hasLogsWithoutTransaction: true,
    busyDayTrades: 1_100_000,
    builtIn: { ...polygon, tokens: polygonTokens },
  },
} satisfies Record<string, Network>

export type NetworkName = keyof typeof ALL
export const NETWORKS: Readonly<Record<NetworkName, Network>> = ALL
export const NETWORK_NAMES = Object.keys(ALL) as readonly NetworkName[]

/** The network of a request without one. */
export const DEFAULT_NETWORK: NetworkName = 'bsc'

/** Returns whether an address means a network's coin in a request. */
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
