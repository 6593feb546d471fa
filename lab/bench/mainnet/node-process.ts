import type { NodeUsage } from '@dexfeed/fake-node/rpc/usage'
import type { Shutdown } from '@dexfeed/service'
import { startPeer } from '../indexer-process.ts'
import type { FromMainnetNode, MainnetNodePlan, ServedNetwork, ToMainnetNode } from './node/messages.ts'
import type { PortalUsage } from './node/serve-portal.ts'

/** The process that serves one made network. */
export interface MainnetNode extends ServedNetwork {
  pid: number
  /** Starts the chain. Calls back for each new head, with milliseconds since 1970. */
  go(onShown: (number: number, at: number) => void): void
  count(): Promise<{ usage: NodeUsage; portal: PortalUsage | null; head: number }>
}

/**
 * Makes a network, which takes some seconds, then serves it until the program ends.
 *
 * @param headTime gives the time of the first head (seconds since 1970) when the network is made
 */
export async function startMainnetNode(
  plan: MainnetNodePlan,
  headTime: () => Promise<number>,
  shutdown: Shutdown,
): Promise<MainnetNode> {
  const file = 'lab/bench/dist/bench-mainnet-node.js'
  const options = { name: `the node of ${plan.chain.network}`, heapMb: 8_192, shutdown }
  const { child, send, receive } = startPeer<ToMainnetNode, FromMainnetNode>(file, options)
  send({ kind: 'make', plan })
  await receive('made')
  send({ kind: 'serve', headTime: await headTime() })
  const { kind: _, ...served } = await receive('ready')
  return {
    ...served,
    pid: child.pid ?? 0,
    go: (onShown) => {
      child.on('message', (message: FromMainnetNode) => {
        if (message.kind === 'shown') onShown(message.number, message.at)
      })
      send({ kind: 'go' })
    },
    count: () => {
      const counted = receive('counted')
      send({ kind: 'count' })
      return counted
    },
  }
}
