import { NETWORK_NAMES, NETWORKS, type NetworkName } from './networks.ts'

/** A fork that a network has announced. */
interface ComingFork {
  network: NetworkName
  name: string
  /** Unix time of its first block, seconds; null: not dated yet. */
  at: number | null
}

/** The announced forks of all networks. */
export const COMING_FORKS: readonly ComingFork[] = NETWORK_NAMES.flatMap((network) =>
  (NETWORKS[network].forks ?? []).map((fork) => ({ network, ...fork })),
)

/** When the calendar was last compared with the announcements, Unix time in seconds: 29 November 2026. */
export const FORKS_AS_OF = 1_795_910_400
