import { builtInDexes } from '../venues/registry.ts'
import type { Deployment } from './deployment.ts'
import { NETWORK_NAMES, NETWORKS, type NetworkName } from './networks.ts'
import { isRecord, oneLine, parseDeployment, quote } from './parse-deployment.ts'

interface DexConfig {
  /** Networks without problems. */
  deployments: Partial<Record<NetworkName, Deployment>>
  /** Each line begins with the place: `bsc.dexes[2].factory: …`. Any problem makes the file unusable. */
  problems: string[]
  /** Lines about values that are ignored (an unknown key), skipped, or have no effect as written. */
  warnings: string[]
}

/** Reads a `DEX_CONFIG` file: an object with one entry per network. Never throws; returns every problem. */
export function parseDexConfig(text: string): DexConfig {
  const config: DexConfig = { deployments: {}, problems: [], warnings: [] }
  let file: unknown
  try {
    file = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    config.problems.push(`not valid JSON: ${oneLine(error instanceof Error ? error.message : String(error))}`)
    return config
  }
  if (!isRecord(file)) {
    config.problems.push(`must be an object with an entry per network (${NETWORK_NAMES.join(', ')})`)
    return config
  }
  if (Object.keys(file).length === 0) config.problems.push('names no network')
  for (const [name, entry] of Object.entries(file)) {
    const network = NETWORK_NAMES.find((candidate) => candidate === name)
    if (!network) {
      config.problems.push(`${quote(name)}: unknown network; there are ${NETWORK_NAMES.join(', ')}`)
      continue
    }
    const read = parseDeployment(network, entry)
    if (read.deployment) config.deployments[network] = read.deployment
    config.problems.push(...read.problems)
    config.warnings.push(...read.warnings)
  }
  return config
}

const parsed = new Map<NetworkName, Deployment>()

/** The deployments used without a `DEX_CONFIG` file. Each network is parsed at its first use. */
export const builtInDeployments = Object.defineProperties(
  {},
  Object.fromEntries(NETWORK_NAMES.map((network) => [network, { enumerable: true, get: () => read(network) }])),
) as Readonly<Record<NetworkName, Deployment>>

function read(network: NetworkName): Deployment {
  const cached = parsed.get(network)
  if (cached) return cached
  const { deployment, problems } = parseDeployment(network, builtInEntry(network))
  if (!deployment) throw new Error(`the built-in deployment has problems: ${problems.join('; ')}`)
  parsed.set(network, deployment)
  return deployment
}

/** Returns a network's entry in the format of a `DEX_CONFIG` file, including the `dexes` of the venues. */
export function builtInEntry(network: NetworkName): object {
  const { dexes, ...entry } = NETWORKS[network].builtIn
  return { ...entry, dexes: [...(Array.isArray(dexes) ? dexes : []), ...builtInDexes(network)] }
}
