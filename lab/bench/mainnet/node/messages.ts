import type { NodeUsage } from '@dexfeed/fake-node/rpc/usage'
import type { ChainPlan } from '../made/chain-plan.ts'
import type { deploymentOf } from '../made/world/deployment.ts'
import type { NetworkNodePlan } from './serve-network.ts'
import type { PortalUsage } from './serve-portal.ts'

/** What a node is like. */
export interface MainnetNodePlan extends NetworkNodePlan {
  chain: ChainPlan
  /** Whether there is a Portal beside the node. */
  portal: boolean
}

export type ToMainnetNode =
  | { kind: 'make'; plan: MainnetNodePlan }
  /** Links what was made and serves it. `headTime`: of the first head, seconds since 1970. */
  | { kind: 'serve'; headTime: number }
  /** Lets the chain go on, a block each block time. */
  | { kind: 'go' }
  /** Asks for a message with what was used so far. */
  | { kind: 'count' }

export interface ServedNetwork {
  httpUrl: string
  wsUrl: string
  /** Of the Portal's data set; null: there is none. */
  portalUrl: string | null
  deployment: ReturnType<typeof deploymentOf>
  first: number
  firstHead: number
  /** How fast it was made and is given: what bounds the figures of those who ask. */
  madeMs: number
  blocksPerS: number
  blockBytes: number
  receiptBytes: number
  /** Of the bits of a block's bloom, those that are set, on average: parts of 1. */
  bloomFill: number
}

export type FromMainnetNode =
  | { kind: 'made' }
  | ({ kind: 'ready' } & ServedNetwork)
  /** `at`: milliseconds since 1970. */
  | { kind: 'shown'; number: number; at: number }
  | { kind: 'counted'; usage: NodeUsage; portal: PortalUsage | null; head: number }
