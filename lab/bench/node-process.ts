import type { Shutdown } from '@dexfeed/service'
import type { NodeFunctions, NodePlan, Shown } from './node/main.ts'
import { startPeer } from './programs.ts'
import type { Caller } from './remote.ts'

export interface NodeProcess extends Awaited<ReturnType<NodeFunctions['serve']>> {
  network: NodePlan['chain']['network']
  call: Caller<NodeFunctions>
  onShown(listener: (block: Shown) => void): void
}

/**
 * Makes the chains, then serves them until the program ends.
 *
 * @param headTime returns the time of the first heads, in seconds since 1970; called when all chains are made
 */
export async function startNodes(
  plans: readonly NodePlan[],
  headTime: () => number,
  shutdown: Shutdown,
): Promise<NodeProcess[]> {
  const peers = plans.map((plan) => {
    return { plan, ...startPeer<NodeFunctions>('lab/dist/bench-node.js', { heapMb: 16_384, shutdown }) }
  })
  await Promise.all(peers.map(({ call, plan }) => call('make', plan)))
  const time = headTime()
  return Promise.all(
    peers.map(async ({ call, child, plan }) => ({
      ...(await call('serve', time)),
      network: plan.chain.network,
      call,
      onShown: (listener) => {
        child.on('message', (message: Partial<Shown>) => {
          if (message.number !== undefined) listener(message as Shown)
        })
      },
    })),
  )
}
