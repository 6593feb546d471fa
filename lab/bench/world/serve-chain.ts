import type { Address, Hex, PoolState } from '@dexfeed/dex'
import { quantity } from '@dexfeed/fake-node/abi'
import { MULTICALL3 } from '@dexfeed/fake-node/contracts/aggregate3'
import { type ContractSource, callOrRun } from '@dexfeed/fake-node/contracts/call-contract'
import type { Ticks } from '@dexfeed/fake-node/contracts/run-scan'
import { edgeTick } from '@dexfeed/fake-node/pool-math'
import type { Call, ChainView, CodeCall, LogFilter } from '@dexfeed/fake-node/rpc/answer'
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
  const view = new WorldView(chain, head)
  const node = await startHonestNode({ view, onRequest })
  return {
    ...node,
    publish: () => {
      const { number, hash, parentHash, timestamp } = view.publish()
      const result = { number: quantity(number), hash, parentHash, timestamp: quantity(timestamp) }
      node.announce(JSON.stringify(result))
      return view.publishedHead
    },
  }
}

/** A made chain as its node sees it. */
export class WorldView implements ChainView<MadeBlock, readonly Piece[]> {
  readonly chainId: number
  readonly #chain: MadeChain
  readonly #byHash: ReadonlyMap<Hex, MadeBlock>
  readonly #contracts: ContractSource<WalkingPool, MadeBlock>
  #head: number

  constructor(chain: MadeChain, head: number) {
    this.chainId = chain.world.chainId
    this.#chain = chain
    this.#byHash = new Map(chain.blocks.map((block) => [block.hash, block]))
    this.#contracts = contractsOf(chain)
    this.#head = head
  }

  publish(): MadeBlock {
    this.#head++
    return this.publishedHead
  }

  get publishedHead(): MadeBlock {
    const block = this.#chain.blocks[this.#head]
    if (block === undefined) throw new Error(`the chain ends before block ${this.#head}`)
    return block
  }

  get head(): number {
    return this.#head
  }

  get finalized(): number {
    return Math.max(0, this.#head - FINALITY)
  }

  at(number: number): MadeBlock | null {
    return this.#published(this.#chain.blocks[number])
  }

  byHash(hash: Hex): MadeBlock | null {
    return this.#published(this.#byHash.get(hash))
  }

  json(value: unknown): readonly Piece[] {
    return [JSON.stringify(value)]
  }

  block(block: MadeBlock, full: boolean): readonly Piece[] {
    return [full ? block.full : headerText(block)]
  }

  get receipts() {
    return this.#chain.hasReceipts ? ({ receipts }: MadeBlock) => [receipts] : null
  }

  receipt(hash: Hex): readonly Piece[] {
    const place = this.#chain.receiptPlaces.get(hash)
    if (place === undefined) return ['null']
    return [place.block.receipts.subarray(place.start, place.end)]
  }

  logs(filter: LogFilter): readonly Piece[] {
    const source = {
      ...{ head: this.#head, ...CAPS },
      numberOf: (hash: Hex) => this.byHash(hash)?.number ?? null,
      logsAt: (number: number) => {
        const block = this.at(number)
        return { places: block?.places ?? [], whole: block?.poolLogs ?? null, text: () => block?.receipts ?? NO_TEXT }
      },
    }
    return findLogs(source, filter)
  }

  code(address: Address): Hex {
    return address === MULTICALL3 ? '0x60' : '0x'
  }

  call(call: Call | CodeCall, block: MadeBlock): Hex | null {
    return callOrRun(this.#contracts, call, block)
  }

  #published(block: MadeBlock | undefined): MadeBlock | null {
    return block !== undefined && block.number <= this.#head ? block : null
  }
}

const NO_TEXT = Buffer.alloc(0)

function contractsOf({ world, states }: MadeChain): ContractSource<WalkingPool, MadeBlock> {
  const pools = new Map([...world.pools, ...world.unverified].map((pool) => [pool.address, pool]))
  const tokens = new Map(world.tokens.map((token) => [token.address, token]))
  const created = new Map(world.pools.map((pool) => [lookupKey(pool), pool.address]))
  const stateAt = (pool: WalkingPool, { number }: MadeBlock): PoolState => {
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
function ticksOf({ tickSpacing }: WalkingPool, state: PoolState): Ticks | null {
  if (state.kind === 'pair' || tickSpacing === null) return null
  const { liquidity } = state
  const edge = edgeTick(tickSpacing)
  return new Map([
    [-edge, { gross: liquidity, net: liquidity }],
    [edge, { gross: liquidity, net: -liquidity }],
  ])
}
