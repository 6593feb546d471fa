// The chains that a benchmark indexes, in a process of its own. It speaks with the one that started it over IPC.
import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
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
const nodes: { network: string; node: ChainNode }[] = []

async function serve(plan: NodePlan): Promise<void> {
  const keccak = await loadKeccak()
  const served = await Promise.all(
    plan.networks.map(async (network, i) => {
      const chain = makeChain(makeWorld(network, plan.pools), { ...plan.chain, seed: plan.chain.seed + i }, keccak)
      const head = plan.head ?? chain.blocks.length - 1
      const node = await serveChain(chain, head, tellRequest)
      nodes.push({ network, node })
      const { httpUrl, wsUrl } = node
      return { network, httpUrl, wsUrl, deployment: deploymentOf(chain.world), tally: chain.tally, head }
    }),
  )
  // What making the chains left behind is not to be cleared away while others are measured.
  globalThis.gc?.()
  tell({ kind: 'ready', served })
}

/** A block a second on every chain at the same time. */
async function publish(blocks: number): Promise<void> {
  const start = Date.now()
  for (let i = 1; i <= blocks; i++) {
    await delay(start + i * SECOND - Date.now())
    for (const { network, node } of nodes) {
      const at = now()
      const { number } = node.publish()
      tell({ kind: 'published', network, number, at })
    }
  }
}

function tellRequest(): void {
  if (!watched) return
  watched = false
  tell({ kind: 'asked', at: now() })
}

function now(): number {
  return performance.timeOrigin + performance.now()
}

function tell(message: FromNode): void {
  process.send?.(message)
}
