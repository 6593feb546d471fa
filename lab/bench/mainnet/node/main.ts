// The node of one network of `bench -- mainnet`, in a process of its own. It speaks with the one that started it by IPC.
import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
import { loadKeccak } from '@dexfeed/fake-node/commitments/keccak'
import { MadeNetwork } from '../made/made-network.ts'
import { deploymentOf } from '../made/world/deployment.ts'
import type { FromMainnetNode, MainnetNodePlan, ToMainnetNode } from './messages.ts'
import { type NetworkNode, serveNetwork } from './serve-network.ts'
import { type NetworkPortal, servePortal } from './serve-portal.ts'

/** Blocks that are given to see how fast that goes. */
const TRIED = 100
const BLOOM_BITS = 2_048

let made: { network: MadeNetwork; plan: MainnetNodePlan; started: number } | null = null
let served: { network: MadeNetwork; node: NetworkNode; portal: NetworkPortal | null } | null = null

process.on('message', (message: ToMainnetNode) => {
  if (message.kind === 'make') void make(message.plan)
  else if (message.kind === 'serve') void serve(message.headTime)
  else if (served === null) throw new Error('nothing is served yet')
  else if (message.kind === 'go') void publishAll(served)
  else tell(countOf(served))
})
process.on('disconnect', () => process.exit(0))

async function make(plan: MainnetNodePlan): Promise<void> {
  const started = performance.now()
  made = { network: new MadeNetwork(plan.chain, await loadKeccak()), plan, started }
  tell({ kind: 'made' })
}

async function serve(headTime: number): Promise<void> {
  if (made === null) throw new Error('nothing is made yet')
  const { network, plan, started } = made
  network.link(headTime)
  const node = await serveNetwork(network, plan)
  const portal = plan.portal ? await servePortal(network) : null
  const madeMs = performance.now() - started
  served = { network, node, portal }
  const { market, first, firstHead } = network
  // What making the chain left behind is not to be cleared away while others are measured.
  globalThis.gc?.()
  const { httpUrl, wsUrl } = node
  const deployment = deploymentOf(market, plan.chain.shape)
  const portalUrl = portal?.url ?? null
  tell({
    kind: 'ready',
    httpUrl,
    wsUrl,
    portalUrl,
    deployment,
    first,
    firstHead,
    madeMs,
    ...tryOut(network),
  })
}

function countOf({ network, node, portal }: NonNullable<typeof served>): FromMainnetNode {
  return { kind: 'counted', usage: node.usage, portal: portal?.usage ?? null, head: network.head }
}

/** How fast whole blocks with their receipts are given, once the code is compiled, and how large they are. */
function tryOut(network: MadeNetwork) {
  giveBlocks(network)
  return giveBlocks(network)
}

function giveBlocks(network: MadeNetwork) {
  const started = performance.now()
  let [blockBytes, receiptBytes, bits] = [0, 0, 0]
  for (let i = 0; i < TRIED; i++) {
    const header = network.headerAt(Math.max(network.first, network.firstHead - i))
    if (header === null) continue
    const place = network.placeIn(header)
    blockBytes += header.body.transactions.fill(place).length
    receiptBytes += header.body.receipts.fill(place).length
    for (const byte of header.body.contents.logsBloom) bits += byte.toString(2).replaceAll('0', '').length
  }
  const seconds = (performance.now() - started) / SECOND
  return {
    blocksPerS: TRIED / seconds,
    blockBytes: blockBytes / TRIED,
    receiptBytes: receiptBytes / TRIED,
    bloomFill: bits / TRIED / BLOOM_BITS,
  }
}

/** A block each block time; one that comes late is followed by the next at once. */
async function publishAll({ network, node }: NonNullable<typeof served>): Promise<void> {
  const started = performance.now()
  const { blockTimeS } = network.plan.shape
  for (let i = 1; ; i++) {
    await delay(Math.max(0, started + i * blockTimeS * SECOND - performance.now()))
    const at = performance.timeOrigin + performance.now()
    node.publish()
    tell({ kind: 'shown', number: network.head, at })
  }
}

function tell(message: FromMainnetNode): void {
  process.send?.(message)
}
