export type { Deployment, ListedToken, Settlement } from '../deployments/deployment.ts'
export { builtInDeployments, parseDexConfig } from '../deployments/dex-config.ts'
export { DEFAULT_NETWORK, NETWORK_NAMES, NETWORKS, type NetworkName } from '../deployments/networks.ts'
