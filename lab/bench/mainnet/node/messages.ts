import type { NodeUsage } from '@dexfeed/fake-node/rpc/usage'
import type { ChainPlan } from '../made/chain-plan.ts'
import type { deploymentOf } from '../made/world/deployment.ts'
import type { NetworkNodePlan } from './serve-network.ts'
import type { PortalUsage } from './serve-portal.ts'

export interface MainnetNodePlan extends NetworkNodePlan {
  chain: ChainPlan
  /** Whether there is a Portal beside the node. */
  portal: boolean
}

export type ToMainnetNode =
  | { kind: 'make'; plan: MainnetNodePlan }
  /** Links the made chain and serves it. `headTime`: of the first head, seconds since 1970. */
  | { kind: 'serve'; headTime: number }
  /** Starts the chain: a block each block time. */
  | { kind: 'go' }
  /** Requests a message with the usage so far. */
  | { kind: 'count' }

export interface ServedNetwork {
  httpUrl: string
  wsUrl: string
  /** The Portal's data set; null: no Portal. */
  portalUrl: string | null
  deployment: ReturnType<typeof deploymentOf>
  first: number
  firstHead: number
  /** The speed of making and reading it, which bounds the figures of its clients. */
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
