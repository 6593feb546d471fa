import type { Shutdown } from '@dexfeed/service'
import { channelTo } from './child-messages.ts'
import { startProgram } from './indexer-process.ts'
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
  const child = startProgram('lab/bench/dist/bench-node.js', [], shutdown, {
    execArgv: ['--max-old-space-size=16384', '--expose-gc'],
  })
  const { send, receive } = channelTo<ToNode, FromNode>(child)
  const failed = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`the node of the benchmark ended with ${code}`)))
  })
  // It has no listener after the chains are served.
  failed.catch(() => undefined)
  send({ kind: 'serve', plan })
  const { served } = await Promise.race([receive('ready'), failed])
  return {
    served,
    nextRequest: () => {
      send({ kind: 'watch' })
      const requested = Promise.race([receive('requested'), failed]).then(({ at }) => at)
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
