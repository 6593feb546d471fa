import type { Address, EventState, Hex } from '@dexfeed/dex'
import { quantity } from '@dexfeed/fake-node/abi'
import { MULTICALL3 } from '@dexfeed/fake-node/contracts/aggregate3'
import { type ContractSource, callOrRun } from '@dexfeed/fake-node/contracts/call-contract'
import type { Ticks } from '@dexfeed/fake-node/contracts/run-scan'
import { edgeTick } from '@dexfeed/fake-node/pool-math'
import type { ChainView } from '@dexfeed/fake-node/rpc/answer'
import { findLogs } from '@dexfeed/fake-node/rpc/find-logs'
import { type HonestNode, startHonestNode } from '@dexfeed/fake-node/rpc/honest-node'
import type { Piece } from '@dexfeed/fake-node/rpc/serve'
import { headerText, type MadeBlock } from './made-block.ts'
import type { MadeChain } from './make-chain.ts'
import type { WalkingPool } from './walking-pool.ts'

/** A node that serves a made chain up to its published head. */
export interface ChainNode extends Pick<HonestNode, 'httpUrl' | 'wsUrl' | 'close'> {
  /** Makes the next block the head and announces it. */
  publish(): MadeBlock
}

const FINALITY = 64
/** What one eth_getLogs returns at most, as at a provider. */
const CAPS = { rangeCap: 1_000, logCap: 10_000 }

/** Serves a chain without limits of requests. @param head the first head */
export async function serveChain(chain: MadeChain, head: number, onRequest: () => void): Promise<ChainNode> {
  let last = head
  const node = await startHonestNode({ view: worldView(chain, () => last), onRequest })
  return {
    ...node,
    publish: () => {
      last++
      const block = chain.blocks[last]
      if (block === undefined) throw new Error(`the chain ends before block ${last}`)
      const { number, hash, parentHash, timestamp } = block
      node.announce(JSON.stringify({ number: quantity(number), hash, parentHash, timestamp: quantity(timestamp) }))
      return block
    },
  }
}

/** Returns a made chain up to a head as its node sees it. */
export function worldView(chain: MadeChain, head: () => number): ChainView<MadeBlock, readonly Piece[]> {
  const hashes = new Map(chain.blocks.map(({ hash, number }) => [hash, number]))
  const contracts = contractsOf(chain)
  const at = (number: number) => (number <= head() ? (chain.blocks[number] ?? null) : null)
  const byHash = (hash: Hex) => at(hashes.get(hash) ?? Number.NaN)
  const logsAt = (number: number) => {
    const block = at(number)
    return { places: block?.places ?? [], whole: block?.poolLogs ?? null, text: () => block?.receipts ?? NO_TEXT }
  }
  return {
    chainId: chain.world.chainId,
    get head() {
      return head()
    },
    get finalized() {
      return Math.max(0, head() - FINALITY)
    },
    at,
    byHash,
    json: (value) => [JSON.stringify(value)],
    block: (block, full) => [full ? block.full : headerText(block)],
    receipts: chain.hasReceipts ? ({ receipts }) => [receipts] : null,
    receipt: (hash) => {
      const place = chain.receiptPlaces.get(hash)
      return place === undefined ? ['null'] : [place.block.receipts.subarray(place.start, place.end)]
    },
    logs: (filter) =>
      findLogs({ head: head(), ...CAPS, numberOf: (hash) => byHash(hash)?.number ?? null, logsAt }, filter),
    code: (address) => (address === MULTICALL3 ? '0x60' : '0x'),
    call: (call, block) => callOrRun(contracts, call, block),
  }
}

const NO_TEXT = Buffer.alloc(0)

function contractsOf({ world, states }: MadeChain): ContractSource<WalkingPool, MadeBlock> {
  const pools = new Map([...world.pools, ...world.unverified].map((pool) => [pool.address, pool]))
  const tokens = new Map(world.tokens.map((token) => [token.address, token]))
  const created = new Map(world.pools.map((pool) => [lookupKey(pool), pool.address]))
  const stateAt = (pool: WalkingPool, { number }: MadeBlock): EventState => {
    return states.get(pool.address)?.findLast(({ block }) => block <= number)?.state ?? pool.state()
  }
  return {
    pool: (address) => pools.get(address) ?? null,
    token: (address) => tokens.get(address) ?? null,
    isFactory: (address) => address === world.v2Factory || address === world.v3Factory,
    created: (factory, [a, b], fee) => {
      const [token0, token1] = a < b ? [a, b] : [b, a]
      const key = { factory, token0: { address: token0 }, token1: { address: token1 }, fee: fee ?? 0 }
      return created.get(lookupKey(key)) ?? null
    },
    state: stateAt,
    ticks: (pool, block) => ticksOf(pool, stateAt(pool, block)),
  }
}

/** A pair's fee counts as 0. */
function lookupKey({ factory, token0, token1, fee }: Pick<WalkingPool, 'factory' | 'fee'> & PoolTokens): string {
  return `${factory} ${token0.address} ${token1.address} ${fee}`
}

type PoolTokens = Record<'token0' | 'token1', { address: Address }>

/** The one position of every V3 pool has its ticks at both ends of the whole range. */
function ticksOf({ tickSpacing }: WalkingPool, state: EventState): Ticks | null {
  if (state.kind === 'pair' || tickSpacing === null) return null
  const { liquidity } = state
  const edge = edgeTick(tickSpacing)
  return new Map([
    [-edge, { gross: liquidity, net: liquidity }],
    [edge, { gross: liquidity, net: -liquidity }],
  ])
}
