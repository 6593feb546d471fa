import { builtInDeployments, type Deployment, NETWORK_NAMES, type NetworkName, parseDexConfig } from '@dexfeed/dex'
import { type ReadFile, reasonOf, rpcVariable } from './secret-files.ts'
import type { NetworkSettings } from './settings.ts'

export interface NetworkVariables {
  /** Null: every network with an RPC URL. */
  wanted: readonly NetworkName[] | null
  rpcUrls: Partial<Record<NetworkName, readonly string[]>>
  /** Networks whose RPC variable is set but wrong, which is a problem already. */
  refused: readonly NetworkName[]
  startBlocks: Partial<Record<NetworkName, number>>
  dexConfig: string | null
}

export interface NetworksChecked {
  networks: NetworkSettings[]
  problems: string[]
  warnings: string[]
}

/** Which networks are indexed, from where and what on them. */
export function networkSettings(variables: NetworkVariables, readFile: ReadFile): NetworksChecked {
  const { wanted, rpcUrls, refused, startBlocks } = variables
  const { deployments, problems, warnings } = readDexConfig(variables.dexConfig, readFile)
  const networks: NetworkSettings[] = []
  for (const network of wanted ?? NETWORK_NAMES) {
    const urls = rpcUrls[network]
    if (urls) {
      const deployment = deployments[network] ?? builtInDeployments[network]
      networks.push({ network, rpcUrls: urls, deployment, startBlock: startBlocks[network] ?? null })
    } else if (wanted && !refused.includes(network)) {
      problems.push(`${rpcVariable(network)}: is not set, but NETWORKS names ${network}`)
    }
  }
  if (!wanted && networks.length === 0 && refused.length === 0) {
    problems.push(`${NETWORK_NAMES.map(rpcVariable).join(', ')}: none is set; there is no network to index`)
  }
  for (const network of Object.keys(startBlocks)) {
    if (!networks.some((indexed) => indexed.network === network)) {
      warnings.push(`START_BLOCK: ${network} is not indexed`)
    }
  }
  return { networks, problems, warnings }
}

interface ReadConfig {
  deployments: Partial<Record<NetworkName, Deployment>>
  problems: string[]
  warnings: string[]
}

function readDexConfig(path: string | null, readFile: ReadFile): ReadConfig {
  if (path === null) return { deployments: {}, problems: [], warnings: [] }
  let text: string
  try {
    text = readFile(path)
  } catch (error) {
    const problem = `DEX_CONFIG: cannot read ${JSON.stringify(path)} (${reasonOf(error)})`
    return { deployments: {}, problems: [problem], warnings: [] }
  }
  const { deployments, problems, warnings } = parseDexConfig(text)
  const named = (lines: readonly string[]) => lines.map((line) => `DEX_CONFIG: ${line}`)
  return { deployments, problems: named(problems), warnings: named(warnings) }
}
