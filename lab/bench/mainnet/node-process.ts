import type { NodeUsage } from '@dexfeed/fake-node/rpc/usage'
import type { Shutdown } from '@dexfeed/service'
import { channelTo } from '../child-messages.ts'
import { startProgram } from '../indexer-process.ts'
import type { FromMainnetNode, MainnetNodePlan, ServedNetwork, ToMainnetNode } from './node/messages.ts'
import type { PortalUsage } from './node/serve-portal.ts'

/** The process that serves one made network. */
export interface MainnetNode extends ServedNetwork {
  pid: number
  /** Starts the chain. Calls back for each new head, with milliseconds since 1970. */
  go(onShown: (number: number, at: number) => void): void
  /** Returns its usage so far, and its head. */
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
  const child = startProgram('lab/bench/dist/bench-mainnet-node.js', [], shutdown, {
    execArgv: ['--max-old-space-size=8192', '--expose-gc'],
  })
  const { send, receive } = channelTo<ToMainnetNode, FromMainnetNode>(child)
  const failed = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`the node of ${plan.chain.network} ended with ${code}`)))
  })
  // It may have no listener.
  failed.catch(() => undefined)
  send({ kind: 'make', plan })
  await Promise.race([receive('made'), failed])
  send({ kind: 'serve', headTime: await headTime() })
  const { kind: _, ...served } = await Promise.race([receive('ready'), failed])
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
      const counted = Promise.race([receive('counted'), failed])
      send({ kind: 'count' })
      return counted
    },
  }
}
