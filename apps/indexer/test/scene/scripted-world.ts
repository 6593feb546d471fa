import { createRandom } from '@dexfeed/devnet'
import { NETWORKS, type NetworkName } from '@dexfeed/dex'
import {
  type Crowd,
  type HostileNode,
  type Proofs,
  type ScriptedBlock,
  type ScriptedChain,
  scriptedChain,
  scriptedMarket,
  startHostileNode,
} from '@dexfeed/lab'
import { closeAfter } from '@dexfeed/test-setup'

export interface ScriptedWorld {
  chain: ScriptedChain
  /** The URLs of all its nodes, comma-separated. */
  rpcUrl: string
  wsUrl: string
  head(): ScriptedBlock
  /** Mines blocks and announces them on the node's sockets. */
  mine(count: number): void
  reorg(depth: number, length: number): void
  /** Announces the head on the node's sockets again. */
  announce(): void
}

export interface ScriptedWorldOptions {
  network: NetworkName
  seed: number
  blocks: number
  /** Seconds; 12 by default. */
  blockTimeS?: number
  /** Unix time of the first block; by default 20:00 UTC, so that about four hours of blocks cross midnight. */
  startTime?: number
  finalityDepth?: number
  /** Number of nodes; 1 by default. */
  endpoints?: number
  blooms?: Crowd
  /** What the nodes serve as proof of blocks; nothing by default. */
  proofs?: Proofs
  /** The first block with a header of Amsterdam; none by default. */
  amsterdamFrom?: number
  /** The chain that a node serves while it is on the wrong chain; by default, the chain itself. */
  wrongChain?: ScriptedChain
  /** Faults of the nodes; none by default. */
  schedule?: Parameters<typeof startHostileNode>[0]['schedule']
}

const NO_FAULTS = { at: () => null }
const START_TIME = Date.UTC(2026, 0, 1, 20) / 1000

/** Makes a chain, the same one for the same seed. Its nodes end with the test. */
export async function scriptedWorld(options: ScriptedWorldOptions): Promise<ScriptedWorld> {
  const { network, seed, blocks, finalityDepth = 24, schedule = NO_FAULTS, endpoints = 1, blooms = 'usual' } = options
  const { proofs = 'none', amsterdamFrom = Number.POSITIVE_INFINITY, startTime = START_TIME, blockTimeS = 12 } = options
  const market = scriptedMarket(network, finalityDepth)
  const { chainId } = NETWORKS[network]
  const chain = scriptedChain({ market, chainId, seed, startTime, blockTimeS, blooms, amsterdamFrom })
  chain.mine(blocks)
  const nodes: HostileNode[] = []
  for (let endpoint = 0; endpoint < endpoints; endpoint++) {
    const random = createRandom(seed + endpoint)
    const { wrongChain } = options
    const node = await startHostileNode({ chain, wrongChain, schedule, endpoint, random, proofs })
    closeAfter(() => node.stop())
    nodes.push(node)
  }
  const announce = () => {
    for (const node of nodes) node.announce()
  }
  return {
    chain,
    rpcUrl: nodes.map(({ url }) => url).join(),
    wsUrl: nodes[0]?.wsUrl ?? '',
    head() {
      const block = chain.blocks.at(-1)
      if (block === undefined) throw new Error('no head')
      return block
    },
    mine(count) {
      chain.mine(count)
      announce()
    },
    reorg(depth, length) {
      chain.reorg(depth, length)
      announce()
    },
    announce,
  }
}
