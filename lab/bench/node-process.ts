import type { Shutdown } from '@dexfeed/service'
import { startPeer } from './indexer-process.ts'
import type { FromNode, NodePlan, ServedChain, ToNode } from './node/node-messages.ts'

/** The process that serves the chains. */
export interface NodeProcess {
  readonly served: readonly ServedChain[]
  /** The time (ms since 1970) of the next request to any of the chains. */
  nextRequest(): Promise<number>
  /** Publishes a block a second on every chain. */
  publish(blocks: number, onPublished: (block: Extract<FromNode, { kind: 'published' }>) => void): void
}

/** Makes the chains, which takes some seconds, and serves them until the program ends. */
export async function startNode(plan: NodePlan, shutdown: Shutdown): Promise<NodeProcess> {
  const { child, send, receive } = startPeer<ToNode, FromNode>('lab/bench/dist/bench-node.js', {
    ...{ name: 'the node of the benchmark', heapMb: 16_384, shutdown },
  })
  send({ kind: 'serve', plan })
  const { served } = await receive('ready')
  return {
    served,
    nextRequest: () => {
      send({ kind: 'watch' })
      const requested = receive('requested').then(({ at }) => at)
      // The caller may await it late or never.
      requested.catch(() => undefined)
      return requested
    },
    publish: (blocks, onPublished) => {
      child.on('message', (message: FromNode) => message.kind === 'published' && onPublished(message))
      send({ kind: 'publish', blocks })
    },
  }
}
