import { createRandom, type Random } from '@dexfeed/devnet'
import { type Address, type Hex, NETWORKS, present } from '@dexfeed/dex'
import type { DraftLog } from '../abi.ts'
import { digest } from '../digest.ts'
import { creationLogs } from '../events.ts'
import type { Market, Pool } from '../market.ts'
import type { PoolState } from '../pool-math.ts'
import { type Commitment, type Crowd, commitBlock, crowdedBloom } from './commit-block.ts'
import { type Intent, makeIntent } from './intents.ts'
import { type OpenStates, runIntent, type ScriptedTransaction } from './run-intent.ts'

export interface PlacedTransaction extends ScriptedTransaction {
  index: number
  /** Polygon's transaction of type 0x7f, which some nodes omit from the block's body. */
  isStateSync: boolean
  placed: readonly (DraftLog & { logIndex: number })[]
}

export interface ScriptedBlock extends Commitment {
  number: number
  parentHash: Hex
  timestamp: number
  transactions: readonly PlacedTransaction[]
  states: ReadonlyMap<Address, PoolState>
  intents: readonly Intent[]
}

export interface ScriptedChain {
  readonly market: Market
  readonly chainId: number
  /** The canonical blocks, from block 0. A reorg replaces the array. */
  readonly blocks: readonly ScriptedBlock[]
  readonly orphaned: readonly ScriptedBlock[]
  byHash(hash: Hex): ScriptedBlock | undefined
  mine(count: number): void
  /** Replaces the last `depth` blocks with `length` others, which mine the same transactions again. */
  reorg(depth: number, length: number): void
}

export interface ScriptedChainOptions {
  market: Market
  chainId: number
  seed: number
  /** Seconds. */
  startTime: number
  blockTimeS: number
  amsterdamFrom?: number
  blooms?: Crowd
}

const NO_PARENT: Hex = `0x${'0'.repeat(64)}`
const MAX_TRANSACTIONS = 5
/** How often, in blocks, Polygon has a state-sync transaction. */
const STATE_SYNC_EVERY = 16

/** The same seed and the same calls make the same chain. */
export function scriptedChain(options: ScriptedChainOptions): ScriptedChain {
  const { market, chainId, seed, startTime, blockTimeS, blooms = 'usual', amsterdamFrom = Infinity } = options
  const random = createRandom(seed)
  const others = createRandom(seed + 1)
  const all = new Map<Hex, ScriptedBlock>()
  let branch = 0
  let blocks: ScriptedBlock[] = []
  let orphaned: readonly ScriptedBlock[] = []
  let waiting: Intent[] = []
  /** On another branch, pools that are created again are created later. */
  const births = new Map(market.pools.map((pool) => [pool, pool.bornAt]))

  const add = (): void => {
    const parent = blocks.at(-1)
    const number = blocks.length
    const alive = market.pools.filter((pool) => present(births.get(pool)) < number)
    const intents =
      parent === undefined ? [] : [...waiting.splice(0, 3), ...newIntents(market, alive, number, random, `${branch}`)]
    const timestamp = parent === undefined ? startTime : parent.timestamp + pause(random, blockTimeS)
    const states: OpenStates = new Map(parent?.states)
    const born = market.pools.filter((pool) => births.get(pool) === number)
    const transactions = fill(market, born, intents, states)
    const parentHash = parent?.hash ?? NO_PARENT
    const commitment = commitBlock({
      network: market.network,
      number,
      parentHash,
      timestamp,
      transactions,
      salt: digest(chainId, seed, branch, number, parentHash),
      isAmsterdam: number >= amsterdamFrom,
      crowd: (own) => crowdedBloom(own, blooms, others),
    })
    const block: ScriptedBlock = { ...commitment, number, parentHash, timestamp, transactions, states, intents }
    blocks.push(block)
    all.set(block.hash, block)
  }
  add()

  return {
    market,
    chainId,
    get blocks() {
      return blocks
    },
    get orphaned() {
      return orphaned
    },
    byHash: (hash) => all.get(hash),
    mine: (count) => {
      for (let i = 0; i < count; i++) add()
    },
    reorg: (depth, length) => {
      branch++
      orphaned = blocks
      const kept = Math.max(1, blocks.length - depth)
      waiting = blocks
        .slice(kept)
        .flatMap(({ intents }) => intents.filter(({ action }) => action.kind !== 'state-sync'))
      for (const [pool, bornAt] of births) if (bornAt >= kept) births.set(pool, bornAt + (branch % 2))
      blocks = blocks.slice(0, kept)
      for (let i = 0; i < length; i++) add()
    },
  }
}

/** Returns the seconds to the next block: usually the block time, sometimes 0 or -1. */
function pause(random: Random, blockTimeS: number): number {
  const dice = random.next()
  return dice < 0.05 ? 0 : dice < 0.08 ? -1 : blockTimeS
}

function newIntents(market: Market, pools: readonly Pool[], number: number, random: Random, branch: string): Intent[] {
  const count = random.integer(MAX_TRANSACTIONS)
  const intents = Array.from({ length: count }, (_, i) => makeIntent(market, pools, random, `${branch}/${number}/${i}`))
  if (!NETWORKS[market.network].hasLogsWithoutTransaction || number % STATE_SYNC_EVERY !== 0) return intents
  return [...intents, { id: `${branch}/${number}/state-sync`, sender: null, action: { kind: 'state-sync' } }]
}

function fill(
  market: Market,
  born: readonly Pool[],
  intents: readonly Intent[],
  states: OpenStates,
): PlacedTransaction[] {
  const creations = born.map((pool): ScriptedTransaction => {
    states.set(pool.address, pool.firstState)
    const hash = digest(market.network, 'creation', pool.address)
    return { hash, from: pool.factory, value: 0n, logs: creationLogs(pool) }
  })
  const made = [
    ...creations.map((transaction) => ({ transaction, isStateSync: false })),
    ...intents.map((intent) => ({
      transaction: runIntent(market, intent, states),
      isStateSync: intent.action.kind === 'state-sync',
    })),
  ]
  let logIndex = 0
  return made.map(({ transaction, isStateSync }, index) => ({
    ...transaction,
    index,
    isStateSync,
    // Some nodes number a state-sync transaction's logs from 0.
    placed: transaction.logs.map((log, i) => ({ ...log, logIndex: isStateSync ? i : logIndex++ })),
  }))
}
