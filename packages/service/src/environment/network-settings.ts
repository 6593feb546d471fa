import { builtInDeployments, type Deployment, NETWORK_NAMES, type NetworkName, parseDexConfig } from '@dexfeed/dex'
import { type ReadFile, rateVariable, reasonOf, rpcVariable } from './secret-files.ts'
import type { ArchiveSettings, NetworkSettings, RpcRate } from './settings.ts'

export interface NetworkVariables {
  wanted: readonly NetworkName[] | null
  rpcUrls: Partial<Record<NetworkName, readonly string[]>>
  rates: Partial<Record<NetworkName, readonly (RpcRate | null)[]>>
  archives: Partial<Record<NetworkName, ArchiveSettings>>
  computeUnits: Readonly<Record<string, number>>
  refused: readonly NetworkName[]
  startBlocks: Partial<Record<NetworkName, number>>
  dexConfig: string | null
}

export interface NetworksChecked {
  networks: NetworkSettings[]
  problems: string[]
  warnings: string[]
}

export function networkSettings(variables: NetworkVariables, readFile: ReadFile): NetworksChecked {
  const { wanted, rpcUrls, refused, startBlocks } = variables
  const { deployments, problems, warnings } = readDexConfig(variables.dexConfig, readFile)
  const networks: NetworkSettings[] = []
  const { computeUnits } = variables
  for (const network of wanted ?? NETWORK_NAMES) {
    const urls = rpcUrls[network]
    if (urls) {
      const deployment = deployments[network] ?? builtInDeployments[network]
      const given = variables.rates[network] ?? [null]
      const rates = ratesOf(urls, given)
      if (rates === null) problems.push(ratesProblem(network, given.length, httpOf(urls).length))
      networks.push({
        network,
        rpcUrls: urls,
        rates: rates ?? [],
        computeUnits,
        deployment,
        archive: variables.archives[network] ?? null,
        startBlock: startBlocks[network] ?? null,
      })
    } else if (wanted && !refused.includes(network)) {
      problems.push(`${rpcVariable(network)}: is not set, but NETWORKS names ${network}`)
    }
  }
  if (!wanted && networks.length === 0 && refused.length === 0) {
    problems.push(
      `${NETWORK_NAMES.map(rpcVariable).join(', ')}: none is set; at least one network is required (cp .env.example .env, then set one)`,
    )
  }
  for (const network of Object.keys(startBlocks)) {
    if (!networks.some((indexed) => indexed.network === network)) {
      warnings.push(`START_BLOCK: ${network} is not indexed`)
    }
  }
  for (const network of NETWORK_NAMES.filter((name) => variables.rates[name] !== undefined)) {
    if (wanted?.includes(network) !== true && rpcUrls[network] === undefined) {
      warnings.push(`${rateVariable(network)}: ${network} is not indexed`)
    }
  }
  return { networks, problems, warnings }
}

/** Returns a rate for each http(s) URL; null if the numbers of rates and URLs differ. */
function ratesOf(urls: readonly string[], given: readonly (RpcRate | null)[]): readonly (RpcRate | null)[] | null {
  const endpoints = httpOf(urls)
  if (given.length === 1) return endpoints.map(() => given[0] ?? null)
  return given.length === endpoints.length ? given : null
}

function ratesProblem(network: NetworkName, rates: number, endpoints: number): string {
  const variable = rateVariable(network)
  return `${variable}: names ${rates} rates for ${endpoints} http(s) endpoints: one for each, or one for all`
}

function httpOf(urls: readonly string[]): string[] {
  return urls.filter((url) => /^https?:/i.test(url))
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
