import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'

/** An operator may have set these for real networks. Empty means unset. */
const UNSET = [
  'API_DATABASE_URL',
  'REDIS_URL',
  'NETWORKS',
  'START_BLOCK',
  'BACKFILL_DAYS',
  'METRICS_PORT',
  'RATE_LIMIT_PER_S',
  'API_KEYS',
  'LIST_CACHE_DIR',
  'POLL_MS',
  'PROVE_HISTORY',
  'MAX_QUOTE_AGE_S',
  'READY_POOLS',
  'IDLE_POOL_DAYS',
  'INDEXER_ROLE',
  'BACKFILL_CONCURRENCY',
  'HISTORY_THREADS',
  'BULL_BOARD_PORT',
  'TRUST_PROXY',
  'WASH_MIN_VOLUME_USD',
  'WASH_MIN_SWAPS',
  'WASH_ROUND_TRIP_PERCENT',
  'WASH_TOP_TRADERS',
  'WASH_TOP_TRADERS_PERCENT',
  'WASH_MATCHED_PERCENT',
  ...NETWORK_NAMES.flatMap((network) =>
    ['RPC_RATE', 'HISTORY_URL', 'HISTORY_KEY'].map((name) => `${network.toUpperCase()}_${name}`),
  ),
]

export interface Chains {
  chains: Record<NetworkName, { rpcUrl: string; wsUrl: string }>
  dexConfigFile: string
}

export function childEnvironment(
  { chains, dexConfigFile }: Chains,
  { databaseUrl, host, port, logLevel }: { databaseUrl: string; host: string; port: number; logLevel: string },
): Record<string, string> {
  const rpcUrls = NETWORK_NAMES.map((network): [string, string] => {
    const { rpcUrl, wsUrl } = chains[network]
    return [`${network.toUpperCase()}_RPC_URL`, `${rpcUrl},${wsUrl}`]
  })
  const own = {
    ...Object.fromEntries([...UNSET.map((name) => [name, '']), ...rpcUrls]),
    DATABASE_URL: databaseUrl,
    DEX_CONFIG: dexConfigFile,
    HOST: host,
    PORT: String(port),
    LOG_LEVEL: logLevel,
  }
  const files = Object.keys(own).map((name) => [`${name}_FILE`, ''])
  return { ...own, ...Object.fromEntries(files) }
}
