import type { Deployment } from './deployment.ts'
import { NETWORK_NAMES, NETWORKS, type NetworkName } from './networks.ts'
import { parseDeployment } from './parse-deployment.ts'

const parsed = new Map<NetworkName, Deployment>()

/** What dexfeed follows without a `DEX_CONFIG` file. A network is read at its first use. */
export const builtInDeployments = Object.defineProperties(
  {},
  Object.fromEntries(NETWORK_NAMES.map((network) => [network, { enumerable: true, get: () => read(network) }])),
) as Readonly<Record<NetworkName, Deployment>>

function read(network: NetworkName): Deployment {
  const known = parsed.get(network)
  if (known) return known
  const { deployment, problems } = parseDeployment(network, NETWORKS[network].builtIn)
  if (!deployment) throw new Error(`the built-in deployment has problems: ${problems.join('; ')}`)
  parsed.set(network, deployment)
  return deployment
}
