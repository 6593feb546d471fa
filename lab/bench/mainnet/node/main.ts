// The node of one network of `bench -- mainnet`, in a separate process. It exchanges messages with its parent by IPC.
import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
import { loadKeccak } from '@dexfeed/fake-node/commitments/keccak'
import { MadeNetwork } from '../made/made-network.ts'
import { deploymentOf } from '../made/world/deployment.ts'
import type { FromMainnetNode, MainnetNodePlan, ToMainnetNode } from './messages.ts'
import { type NetworkNode, serveNetwork } from './serve-network.ts'
import { type NetworkPortal, servePortal } from './serve-portal.ts'

/** Blocks that are read to measure the speed of the node. */
const BLOCKS_READ = 100
const BLOOM_BITS = 2_048

let made: { network: MadeNetwork; plan: MainnetNodePlan; started: number } | null = null
let served: { network: MadeNetwork; node: NetworkNode; portal: NetworkPortal | null } | null = null

process.on('message', (message: ToMainnetNode) => {
  if (message.kind === 'make') void make(message.plan)
  else if (message.kind === 'serve') void serve(message.headTime)
  else if (served === null) throw new Error('nothing is served yet')
  else if (message.kind === 'go') void publishAll(served)
  else send(countOf(served))
})
process.on('disconnect', () => process.exit(0))

async function make(plan: MainnetNodePlan): Promise<void> {
  const started = performance.now()
  made = { network: new MadeNetwork(plan.chain, await loadKeccak()), plan, started }
  send({ kind: 'made' })
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
  // Collects the garbage of making the chain, so that it costs nothing while others are measured.
  globalThis.gc?.()
  const { httpUrl, wsUrl } = node
  const deployment = deploymentOf(market, plan.chain.shape)
  const portalUrl = portal?.url ?? null
  send({
    kind: 'ready',
    httpUrl,
    wsUrl,
    portalUrl,
    deployment,
    first,
    firstHead,
    madeMs,
    ...measureBlocks(network),
  })
}

function countOf({ network, node, portal }: NonNullable<typeof served>): FromMainnetNode {
  return { kind: 'counted', usage: node.usage, portal: portal?.usage ?? null, head: network.head }
}

/** Measures the size and speed of whole blocks with their receipts, after the code is compiled. */
function measureBlocks(network: MadeNetwork) {
  readBlocks(network)
  return readBlocks(network)
}

function readBlocks(network: MadeNetwork) {
  const started = performance.now()
  let [blockBytes, receiptBytes, bits] = [0, 0, 0]
  for (let i = 0; i < BLOCKS_READ; i++) {
    const header = network.headerAt(Math.max(network.first, network.firstHead - i))
    if (header === null) continue
    const place = network.placeIn(header)
    blockBytes += header.body.transactions.fill(place).length
    receiptBytes += header.body.receipts.fill(place).length
    for (const byte of header.body.contents.logsBloom) bits += byte.toString(2).replaceAll('0', '').length
  }
  const seconds = (performance.now() - started) / SECOND
  return {
    blocksPerS: BLOCKS_READ / seconds,
    blockBytes: blockBytes / BLOCKS_READ,
    receiptBytes: receiptBytes / BLOCKS_READ,
    bloomFill: bits / BLOCKS_READ / BLOOM_BITS,
  }
}

/** Publishes a block each block time. After a late block the next one follows immediately. */
async function publishAll({ network, node }: NonNullable<typeof served>): Promise<void> {
  const started = performance.now()
  const { blockTimeS } = network.plan.shape
  for (let i = 1; ; i++) {
    await delay(Math.max(0, started + i * blockTimeS * SECOND - performance.now()))
    const at = performance.timeOrigin + performance.now()
    node.publish()
    send({ kind: 'shown', number: network.head, at })
  }
}

function send(message: FromMainnetNode): void {
  process.send?.(message)
}
