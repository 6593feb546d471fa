import type { Address, Hex, PoolState } from '@dexfeed/dex'
import { BloomBits, joinBlooms } from '@dexfeed/fake-node/commitments/bloom-bits'
import { headerHash } from '@dexfeed/fake-node/commitments/header'
import type { Keccak } from '@dexfeed/fake-node/commitments/keccak'
import { listRoot } from '@dexfeed/fake-node/commitments/list-root'
import { encodeReceipt } from '@dexfeed/fake-node/commitments/receipt'
import { BlockDraft } from './draft-block.ts'
import { APPENDED, type MadeBlock, serialiseBlock } from './made-block.ts'
import { seededRandom } from './random.ts'
import { type Tally, TallyKeeper } from './tally.ts'
import type { World } from './world.ts'

export interface ChainPlan {
  seed: number
  /** Swap events of known pools in all, and in a block. */
  swaps: number
  swapsPerBlock: number
  /** Transactions of a block that are no trades. */
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
  /** States before block `statesFrom`, then per block what it changed. */
  statesFrom: number
  states: ReadonlyMap<Address, readonly { block: number; state: PoolState }[]>
  tally: Tally
}

/** Of 100 pools, those that are made while the chain goes on. */
const LATER_PERCENT = 5
const NO_ROOT = Buffer.alloc(32)

/**
 * Makes a chain in memory, ready to be served: headers have the hashes of their fields, and commit to their receipts.
 * The same plan makes the same chain.
 */
export function makeChain(world: World, plan: ChainPlan, keccak: Keccak): MadeChain {
  const random = seededRandom(plan.seed)
  const blooms = new BloomBits(keccak)
  const tally = new TallyKeeper()
  const count = Math.ceil(plan.swaps / plan.swapsPerBlock)
  const statesFrom = Math.max(0, count - plan.keepStates)
  const states = new Map(world.pools.map((pool) => [pool.address, [{ block: -1, state: pool.state() }]]))
  const blocks: MadeBlock[] = []
  let parentHash: Uint8Array = NO_ROOT
  for (let number = 0; number < count; number++) {
    const timestamp = plan.firstTime + number * plan.blockTime
    const swaps = Math.min(plan.swapsPerBlock, plan.swaps - number * plan.swapsPerBlock)
    const [before, alive] = [number, number + 1].map((blocks) => poolsAfter(world, blocks, count))
    const draft = new BlockDraft(world, random, alive ?? 0)
    draft.fill(world.pools.slice(before, alive), swaps, plan.otherTransactions)
    tally.addBlock(draft.trades, draft.swapEvents, timestamp)
    const { transactions } = draft
    const ownBlooms = transactions.map(({ logs }) => blooms.of(logs))
    const cumulativeGas = runningSum(transactions.map(({ gasUsed }) => gasUsed))
    const encoded = transactions.map((one, i) => encodeReceipt(one, cumulativeGas[i] ?? 0, ownBlooms[i] ?? NO_ROOT))
    const contents = {
      receiptsRoot: listRoot(encoded, keccak),
      logsBloom: joinBlooms(ownBlooms),
      gasUsed: cumulativeGas.at(-1) ?? 0,
    }
    const [stateRoot, transactionsRoot] = [bytesOf(random.hex(8)), bytesOf(random.hex(8))]
    const place = { number, timestamp, parentHash, stateRoot, transactionsRoot }
    const hash = headerHash(contents, place, APPENDED, keccak)
    const header = { hash: hexOf(hash), contents, place }
    blocks.push(serialiseBlock(header, { transactions, cumulativeGas, ownBlooms }, plan.receipts, random))
    parentHash = hash
    for (const pool of draft.touched) {
      const known = states.get(pool.address) ?? []
      const version = { block: number, state: pool.state() }
      if (number <= statesFrom) known[0] = version
      else known.push(version)
    }
  }
  return { world, blocks, statesFrom, states, tally: tally.of(plan.swaps) }
}

/** How many pools are there after so many of the blocks: the last ones come one after the other. */
function poolsAfter({ pools }: World, blocks: number, count: number): number {
  const later = Math.floor((pools.length * LATER_PERCENT) / 100)
  return pools.length - later + Math.floor((later * blocks) / count)
}

function runningSum(values: readonly number[]): number[] {
  let sum = 0
  return values.map((value) => {
    sum += value
    return sum
  })
}

function bytesOf(digits: string): Buffer {
  return Buffer.from(digits, 'hex')
}

function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`
}
