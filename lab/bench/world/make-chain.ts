import { createRandom } from '@dexfeed/devnet'
import type { Address, EventState, Hex } from '@dexfeed/dex'
import { BloomBits } from '@dexfeed/fake-node/commitments/bloom-bits'
import type { Keccak } from '@dexfeed/fake-node/commitments/keccak'
import { BlockDraft } from './draft-block.ts'
import { type MadeBlock, makeBlock } from './made-block.ts'
import { type Tally, TallyKeeper } from './tally.ts'
import type { World } from './world.ts'

export interface ChainPlan {
  seed: number
  /** Swap events of known pools: of the chain, and of a block. */
  swaps: number
  swapsPerBlock: number
  /** Transactions of a block that do not trade. */
  otherTransactions: number
  /** Time of block 0 and between blocks, seconds. */
  firstTime: number
  blockTime: number
  /** States of pools are kept for this many last blocks. */
  keepStates: number
  /** Whether receipts of whole blocks are served. */
  receipts: boolean
}

export interface MadeChain {
  world: World
  blocks: readonly MadeBlock[]
  hasReceipts: boolean
  /** Single receipts by their transaction's hash, if those of whole blocks are not served. */
  receiptPlaces: ReadonlyMap<Hex, { block: MadeBlock; start: number; end: number }>
  /** A pool's state before the blocks that keep states, then after each block that changed it. */
  states: ReadonlyMap<Address, readonly { block: number; state: EventState }[]>
  tally: Tally
}

/** Of 100 pools, those that are created in blocks of the chain. */
const LATER_PERCENT = 5
const NO_PARENT: Hex = `0x${'0'.repeat(64)}`

/**
 * Makes a chain in memory. Headers have the hashes of their fields and commit to their receipts. The same plan makes
 * the same chain.
 */
export function makeChain(world: World, plan: ChainPlan, keccak: Keccak): MadeChain {
  const random = createRandom(plan.seed)
  const tools = { chainId: world.chainId, keccak, blooms: new BloomBits(keccak) }
  const tally = new TallyKeeper()
  const count = Math.ceil(plan.swaps / plan.swapsPerBlock)
  const statesFrom = Math.max(0, count - plan.keepStates)
  const states = new Map(world.pools.map((pool) => [pool.address, [{ block: -1, state: pool.state() }]]))
  const blocks: MadeBlock[] = []
  for (let number = 0; number < count; number++) {
    const timestamp = plan.firstTime + number * plan.blockTime
    const swaps = Math.min(plan.swapsPerBlock, plan.swaps - number * plan.swapsPerBlock)
    const [before, alive] = [number, number + 1].map((blocks) => poolsAfter(world, blocks, count))
    const draft = new BlockDraft(world, random, alive ?? 0)
    draft.fill(world.pools.slice(before, alive), swaps, plan.otherTransactions)
    tally.addBlock(draft.trades, draft.swapEvents, timestamp)
    const place = { number, timestamp, parentHash: blocks.at(-1)?.hash ?? NO_PARENT }
    blocks.push(makeBlock(place, draft.transactions, tools, { hasReceipts: plan.receipts, random }))
    for (const pool of draft.touched) {
      const known = states.get(pool.address) ?? []
      const version = { block: number, state: pool.state() }
      if (number <= statesFrom) known[0] = version
      else known.push(version)
    }
  }
  const receiptPlaces = new Map(plan.receipts ? [] : blocks.flatMap(placesOf))
  return { world, blocks, hasReceipts: plan.receipts, receiptPlaces, states, tally: tally.of(plan.swaps) }
}

function placesOf(block: MadeBlock): [Hex, { block: MadeBlock; start: number; end: number }][] {
  return block.receiptPlaces.map((place, i) => [block.transactionHashes[i] ?? '0x', { block, ...place }])
}

/** How many pools are there after some of the blocks: the last ones are created one after the other. */
function poolsAfter({ pools }: World, blocks: number, count: number): number {
  const later = Math.floor((pools.length * LATER_PERCENT) / 100)
  return pools.length - later + Math.floor((later * blocks) / count)
}
