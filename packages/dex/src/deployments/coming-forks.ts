import { NETWORK_NAMES, NETWORKS, type NetworkName } from './networks.ts'

interface ComingFork {
  network: NetworkName
  name: string
  /** Time of its first block in seconds since 1970, or null if it has no date yet. */
  at: number | null
}

export const COMING_FORKS: readonly ComingFork[] = NETWORK_NAMES.flatMap((network) =>
  (NETWORKS[network].forks ?? []).map((fork) => ({ network, ...fork })),
)

/** When this list was last compared with announcements: 29 November 2026. */
export const FORKS_AS_OF = 1_795_910_400
