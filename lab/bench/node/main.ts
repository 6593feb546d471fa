// The chains that a benchmark indexes, in a separate process. It exchanges messages with its parent by IPC.
import { setTimeout as delay } from 'node:timers/promises'
import { type NetworkName, SECOND } from '@dexfeed/dex'
import { loadKeccak } from '@dexfeed/fake-node/commitments/keccak'
import { makeChain } from '../world/make-chain.ts'
import { type ChainNode, serveChain } from '../world/serve-chain.ts'
import { deploymentOf, makeWorld } from '../world/world.ts'
import type { FromNode, NodePlan, ToNode } from './node-messages.ts'

process.on('message', (message: ToNode) => {
  if (message.kind === 'serve') void serve(message.plan)
  else if (message.kind === 'watch') watched = true
  else void publish(message.blocks)
})
process.on('disconnect', () => process.exit(0))

let watched = false
const nodes: { network: NetworkName; node: ChainNode }[] = []

async function serve(plan: NodePlan): Promise<void> {
  const keccak = await loadKeccak()
  const served = await Promise.all(
    plan.networks.map(async (network, i) => {
      const chain = makeChain(makeWorld(network, plan.pools), { ...plan.chain, seed: plan.chain.seed + i }, keccak)
      const head = plan.head ?? chain.blocks.length - 1
      const node = await serveChain(chain, head, reportRequest)
      nodes.push({ network, node })
      const { httpUrl, wsUrl } = node
      return { network, httpUrl, wsUrl, deployment: deploymentOf(chain.world), tally: chain.tally, head }
    }),
  )
  // Collects the garbage of making the chains, so that it costs nothing while others are measured.
  globalThis.gc?.()
  send({ kind: 'ready', served })
}

/** Publishes a block a second on every chain at the same time. */
async function publish(blocks: number): Promise<void> {
  const start = Date.now()
  for (let i = 1; i <= blocks; i++) {
    await delay(start + i * SECOND - Date.now())
    for (const { network, node } of nodes) {
      const at = now()
      const { number } = node.publish()
      send({ kind: 'published', network, number, at })
    }
  }
}

function reportRequest(): void {
  if (!watched) return
  watched = false
  send({ kind: 'requested', at: now() })
}

function now(): number {
  return performance.timeOrigin + performance.now()
}

function send(message: FromNode): void {
  process.send?.(message)
}
