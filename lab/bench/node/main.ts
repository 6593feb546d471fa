// A process that serves one made network. Its parent calls it over IPC.
import { setTimeout as delay } from 'node:timers/promises'
import { type Address, SECOND } from '@dexfeed/dex'
import { loadKeccak } from '../../chain/commitments/keccak.ts'
import { type ChainPlan, MadeChain } from '../../chain/made/made-chain.ts'
import { type ChainNode, type NodeLimits, serveChain } from '../../node/made/serve-chain.ts'
import { type Portal, serveMadePortal } from '../../node/made/serve-portal.ts'
import { serveParent } from '../remote.ts'

export interface NodePlan {
  chain: ChainPlan
  limits: NodeLimits
  portal: boolean
}

export interface Shown {
  number: number
  /** Milliseconds since 1970. */
  at: number
  /** Pools that the block creates. */
  pools: readonly Address[]
}

let made: { chain: MadeChain; plan: NodePlan } | null = null
let served: { node: ChainNode; portal: Portal | null } | null = null

const functions = {
  async make(plan: NodePlan): Promise<void> {
    made = { chain: new MadeChain(plan.chain, await loadKeccak()), plan }
  },
  /** @param headTime of the first head, in seconds since 1970 */
  async serve(headTime: number) {
    if (made === null) throw new Error('nothing is made yet')
    const { chain, plan } = made
    chain.link(headTime)
    served = { node: await serveChain(chain, plan.limits), portal: plan.portal ? await serveMadePortal(chain) : null }
    // Collect the garbage of making the chain now, not while other processes are measured.
    globalThis.gc?.()
    return {
      first: chain.first,
      firstHead: chain.firstHead,
      httpUrl: served.node.httpUrl,
      wsUrl: served.node.wsUrl,
      portalUrl: served.portal?.url ?? null,
      deployment: chain.market.deployment,
    }
  },
  /** Shows blocks at the same instants as other nodes. A late block does not delay the next. */
  go(): void {
    void showBlocks()
  },
  /** `firstRequestAt` is the time of the first request since the last call. */
  count() {
    if (made === null || served === null) throw new Error('nothing is served yet')
    const { node, portal } = served
    const firstRequestAt = node.firstRequestAt()
    return { usage: node.usage, portal: portal?.usage ?? null, head: made.chain.head, firstRequestAt }
  },
}
export type NodeFunctions = typeof functions

serveParent(functions)
process.on('disconnect', () => process.exit(0))

async function showBlocks(): Promise<void> {
  if (made === null || served === null) throw new Error('nothing is served yet')
  const { chain } = made
  const blockMs = chain.plan.shape.blockTimeS * SECOND
  const started = Math.ceil(Date.now() / blockMs) * blockMs
  for (let i = 1; ; i++) {
    await delay(Math.max(0, started + i * blockMs - Date.now()))
    const at = performance.timeOrigin + performance.now()
    served.node.publish()
    const number = chain.head
    const pools = chain.laterPools(number).flatMap(({ address, bornAt }) => (bornAt === number ? [address] : []))
    process.send?.({ number, at, pools } satisfies Shown)
  }
}
