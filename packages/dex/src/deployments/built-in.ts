import type { NetworkName } from '../chain/network.ts'
import type { Deployment } from '../deployment.ts'
import { parseDeployment } from '../parse-deployment.ts'
import bsc from './bsc.json' with { type: 'json' }
import eth from './eth.json' with { type: 'json' }
import polygon from './polygon.json' with { type: 'json' }
import bscTokens from './tokens/bsc.json' with { type: 'json' }
import ethTokens from './tokens/eth.json' with { type: 'json' }
import polygonTokens from './tokens/polygon.json' with { type: 'json' }

/** The built-in deployments as they would stand in a `DEX_CONFIG` file. */
export const builtInConfig = {
  eth: { ...eth, tokens: ethTokens },
  bsc: { ...bsc, tokens: bscTokens },
  polygon: { ...polygon, tokens: polygonTokens },
}

const parsed = new Map<NetworkName, Deployment>()

/** What dexfeed follows without a `DEX_CONFIG` file. A network is read at its first use. */
export const builtInDeployments: Readonly<Record<NetworkName, Deployment>> = {
  get eth() {
    return read('eth')
  },
  get bsc() {
    return read('bsc')
  },
  get polygon() {
    return read('polygon')
  },
}

function read(network: NetworkName): Deployment {
  const known = parsed.get(network)
  if (known) return known
  const { deployment, problems } = parseDeployment(network, builtInConfig[network])
  if (!deployment) throw new Error(`the built-in deployment has problems: ${problems.join('; ')}`)
  parsed.set(network, deployment)
  return deployment
}
