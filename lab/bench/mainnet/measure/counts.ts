import type { NetworkName } from '@dexfeed/dex'
import type { NodeUsage } from '@dexfeed/fake-node/rpc/usage'
import type { MadeWorld } from '../made/world/made-world.ts'
import type { PortalUsage } from '../node/serve-portal.ts'
import type { MainnetNode } from '../node-process.ts'
import type { NetworkShape } from '../presets.ts'
import type { Progress } from './progress.ts'

export interface WatchedNetwork {
  network: NetworkName
  shape: NetworkShape
  node: MainnetNode
  /** Equal to its node's world. */
  world: MadeWorld
  /** Every few seconds from the start of the indexer. */
  progress: { afterS: number; progress: Progress }[]
}

/** All counts at one time. */
export interface Counts {
  /** Milliseconds since 1970. */
  at: number
  nodes: ReadonlyMap<NetworkName, { usage: NodeUsage; portal: PortalUsage | null; head: number }>
  progress: ReadonlyMap<NetworkName, Progress>
  /** Position in the log of changes of Postgres. */
  walBytes: number
  metrics: ReadonlyMap<string, number>
  /** CPU seconds. */
  cpu: { indexer: number; api: number; postgres: number; nodes: number }
}
