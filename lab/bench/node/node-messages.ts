import type { NetworkName } from '@dexfeed/dex'
import type { ChainPlan } from '../world/make-chain.ts'
import type { Tally } from '../world/tally.ts'
import type { deploymentOf } from '../world/world.ts'

export interface NodePlan {
  networks: readonly NetworkName[]
  chain: ChainPlan
  pools: number
  /** The first head; null: the last block. */
  head: number | null
}

export type ToNode =
  | { kind: 'serve'; plan: NodePlan }
  /** Requests a message at the next request. */
  | { kind: 'watch' }
  | { kind: 'publish'; blocks: number }

export interface ServedChain {
  network: NetworkName
  httpUrl: string
  wsUrl: string
  deployment: ReturnType<typeof deploymentOf>
  tally: Tally
  head: number
}

export type FromNode =
  | { kind: 'ready'; served: readonly ServedChain[] }
  | { kind: 'requested'; at: number }
  /** `at`: milliseconds since 1970. */
  | { kind: 'published'; network: NetworkName; number: number; at: number }
