import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import { SETTING_NAMES } from '@dexfeed/service'

/** All settings but the format of logs: an operator may have set them for real networks. Empty means unset. */
const UNSET = SETTING_NAMES.filter((name) => name !== 'LOG_FORMAT')

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
    // A day more than the bots trade, to include the blocks that create the pools.
    BACKFILL_DAYS: '8',
    HOST: host,
    PORT: String(port),
    LOG_LEVEL: logLevel,
  }
  const files = Object.keys(own).map((name) => [`${name}_FILE`, ''])
  return { ...own, ...Object.fromEntries(files) }
}
