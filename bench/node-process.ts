import type { ChildProcess } from 'node:child_process'
import type { Shutdown } from '@dexfeed/service'
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
  const child = startProgram('bench/dist/bench-node.js', [], shutdown, {
    execArgv: ['--max-old-space-size=16384', '--expose-gc'],
  })
  const failed = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`the node of the benchmark ended with ${code}`)))
  })
  // Nobody waits for it any more once the chains are served.
  failed.catch(() => undefined)
  send(child, { kind: 'serve', plan })
  const { served } = await Promise.race([hear(child, 'ready'), failed])
  return {
    served,
    nextRequest: () => {
      send(child, { kind: 'watch' })
      const asked = Promise.race([hear(child, 'asked'), failed]).then(({ at }) => at)
      // It may be awaited late, or never.
      asked.catch(() => undefined)
      return asked
    },
    publish: (blocks, onPublished) => {
      child.on('message', (message: FromNode) => message.kind === 'published' && onPublished(message))
      send(child, { kind: 'publish', blocks })
    },
  }
}

function send(child: ChildProcess, message: ToNode): void {
  child.send(message)
}

function hear<K extends FromNode['kind']>(child: ChildProcess, kind: K): Promise<Extract<FromNode, { kind: K }>> {
  return new Promise((resolve) => {
    const listen = (message: FromNode) => {
      if (message.kind !== kind) return
      child.off('message', listen)
      resolve(message as Extract<FromNode, { kind: K }>)
    }
    child.on('message', listen)
  })
}
