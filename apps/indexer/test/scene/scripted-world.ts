import { createRandom, type ScriptedChain, scriptedChain, scriptedMarket, startHostileNode } from '@dexfeed/devnet'
import { NETWORKS, type NetworkName } from '@dexfeed/dex'
import { closeAfter } from '@dexfeed/test-setup'

/** A chain in memory and a node of it. */
export interface ScriptedWorld {
  chain: ScriptedChain
  rpcUrl: string
  wsUrl: string
  head(): { number: number; hash: string }
  /** Makes blocks and tells the node's sockets. */
  mine(count: number): void
  /** Takes blocks back and puts others in their place. */
  reorg(depth: number, length: number): void
  /** Tells the node's sockets of the head once more. */
  announce(): void
}

export interface ScriptedWorldOptions {
  network: NetworkName
  seed: number
  blocks: number
  finalityDepth?: number
  /** Faults of the node; default: it is honest. */
  schedule?: Parameters<typeof startHostileNode>[0]['schedule']
}

const NO_FAULTS = { at: () => null }
/** 20:00 UTC: some four hours of blocks cross midnight. */
const START_TIME = Date.UTC(2026, 0, 1, 20) / 1000
const BLOCK_TIME_S = 12

/** The same seed makes the same chain. Its node ends with the test. */
export async function scriptedWorld(options: ScriptedWorldOptions): Promise<ScriptedWorld> {
  const { network, seed, blocks, finalityDepth = 24, schedule = NO_FAULTS } = options
  const market = scriptedMarket(network, finalityDepth)
  const { chainId } = NETWORKS[network]
  const chain = scriptedChain({ market, chainId, seed, startTime: START_TIME, blockTimeS: BLOCK_TIME_S })
  chain.mine(blocks)
  const node = await startHostileNode({
    ...{ chain, wrongChain: chain, schedule, endpoint: 0, finalityDepth },
    random: createRandom(seed),
  })
  closeAfter(() => node.stop())
  return {
    chain,
    rpcUrl: node.url,
    wsUrl: node.wsUrl,
    head() {
      const block = chain.blocks.at(-1)
      if (block === undefined) throw new Error('no head')
      return block
    },
    mine(count) {
      chain.mine(count)
      node.announce()
    },
    reorg(depth, length) {
      chain.reorg(depth, length)
      node.announce()
    },
    announce: () => node.announce(),
  }
}
