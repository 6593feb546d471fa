import { type Hex, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { hexOf, quantity } from '../abi.ts'
import { BloomBits } from '../commitments/bloom-bits.ts'
import { type HeaderPlace, headerHash } from '../commitments/header.ts'
import type { Keccak } from '../commitments/keccak.ts'
import { digest } from '../digest.ts'
import type { Market, Pool } from '../market.ts'
import type { PoolState } from '../pool-math.ts'
import { type BlockBody, type BodyTools, makeBody, type Place } from './block-body.ts'
import {
  cycleOf,
  type DraftBlock,
  type DraftPlan,
  type DraftTransaction,
  draftBlock,
  draftLater,
  laterState,
} from './draft-block.ts'
import { MarketMaker } from './made-market.ts'
import type { NetworkShape } from './shapes.ts'

/** A plan and the time of the first head determine the chain. */
export interface ChainPlan {
  network: NetworkName
  seed: number
  shape: NetworkShape
  history: number
}

export class MadeWorld implements DraftPlan {
  readonly plan: ChainPlan
  readonly seed: string
  readonly shape: NetworkShape
  readonly market: Market
  /** Number of blocks after which their contents repeat. */
  readonly cycle: number
  readonly first: number
  readonly firstHead: number
  readonly #maker: MarketMaker
  readonly #later: Pool[] = []
  /** Blocks between two new pools; infinite if none are created. */
  readonly #distance: number

  constructor(plan: ChainPlan) {
    const { network, seed, shape, history } = plan
    this.plan = plan
    this.seed = `${network} ${seed}`
    this.shape = shape
    this.#maker = new MarketMaker(this.seed, network, shape)
    this.market = this.#maker.market
    this.cycle = cycleOf(shape)
    this.firstHead = shape.aboutNumber
    this.first = this.firstHead - history
    const perBlock = (shape.newPoolsPerMinute * shape.blockTimeS) / 60
    this.#distance = perBlock > 0 ? Math.max(1, 1 / perBlock) : Number.POSITIVE_INFINITY
  }

  /** Returns the pools that were created after the first head. */
  laterPools(block: number): readonly Pool[] {
    const count = Math.max(0, Math.floor((block - this.firstHead) / this.#distance))
    for (let i = this.#later.length; i < count; i++) {
      const pool = this.#maker.laterPool(i, this.firstHead + Math.ceil((i + 1) * this.#distance))
      this.#later.push(pool)
      this.market.add(pool)
    }
    return this.#later.slice(0, count)
  }

  protected draft(number: number): DraftTransaction[] {
    if (number < this.first) return []
    return [...draftBlock(this, this.blockOfCycle(number)).transactions, ...this.laterDrafts(number)]
  }

  placedAt(number: number) {
    let logIndex = 0
    return this.draft(number).map((draft, index) => {
      const logs = draft.logs.map((log) => ({ ...log, logIndex: logIndex++ }))
      return { ...draft, hash: this.transactionHash(number, index), index, logs }
    })
  }

  /**
   * Returns seconds since 1970.
   *
   * @param headTime of the first head
   */
  timeOf(number: number, headTime: number): number {
    return Math.max(1, Math.floor(headTime + (number - this.firstHead) * this.shape.blockTimeS))
  }

  /** Ends with the block number and index, so that `placeOfTransaction` can read them. */
  transactionHash(number: number, index: number): Hex {
    const place = number.toString(16).padStart(8, '0') + index.toString(16).padStart(8, '0')
    return `${digest(this.seed, place).slice(0, 50) as Hex}${place}`
  }

  protected blockOfCycle(number: number): number {
    return (number - this.first) % this.cycle
  }

  protected laterDrafts(number: number): DraftTransaction[] {
    return this.laterPools(number).flatMap((pool) => draftLater(this, pool, number) ?? [])
  }
}

export interface MadeHeader extends HeaderPlace {
  hash: Hex
  body: BlockBody
}

const HASH_BYTES = 32
const KEY_BYTES = 6
/** Only bodies that differ from their cycle's are cached. */
const KEPT_BODIES = 96

/**
 * Block contents and pool states repeat after a cycle, so that a week fits into memory. Each block has its own number,
 * time and hashes. Blocks below `first` are empty.
 */
export class MadeChain extends MadeWorld {
  readonly #tools: BodyTools
  readonly #bodiesOfCycle: readonly BlockBody[]
  readonly #statesOfCycle: readonly DraftBlock['states'][]
  readonly #empty: BlockBody
  readonly #hashes: Buffer[] = []
  readonly #numbers = new Map<number, number>()
  readonly #bodies = new Map<number, BlockBody>()
  #headTime = 0

  constructor(plan: ChainPlan, keccak: Keccak) {
    super(plan)
    const { network, shape } = plan
    const { chainId } = NETWORKS[network]
    const numberWidth = quantity(this.firstHead).length
    this.#tools = { chainId, keccak, blooms: new BloomBits(keccak), numberWidth, inputOf: inputsOf(shape) }
    const drafts = Array.from({ length: this.cycle }, (_, block) => draftBlock(this, block))
    this.#bodiesOfCycle = drafts.map(({ transactions }) => makeBody(transactions, this.#tools))
    this.#statesOfCycle = drafts.map(({ states }) => states)
    this.#empty = makeBody([], this.#tools)
  }

  /**
   * Links the blocks up to the first head. Call once.
   *
   * @param headTime of the first head, in seconds since 1970
   */
  link(headTime: number): void {
    this.#headTime = headTime
    while (this.head < this.firstHead) this.extend()
  }

  get head(): number {
    return this.first + this.#hashes.length - 1
  }

  extend(): void {
    const number = this.head + 1
    const hash = Buffer.from(
      headerHash(this.bodyAt(number).contents, this.#placeOf(number), this.shape.appended, this.#tools.keccak),
    )
    this.#hashes.push(hash)
    this.#numbers.set(hash.readUIntBE(0, KEY_BYTES), number)
  }

  headerAt(number: number): MadeHeader | null {
    if (!(number >= 0 && number <= this.head)) return null
    return { ...this.#placeOf(number), hash: hexOf(this.#hashOf(number)), body: this.bodyAt(number) }
  }

  numberOf(hash: Hex): number | null {
    const bytes = Buffer.from(hash.slice(2), 'hex')
    const number = bytes.length === HASH_BYTES ? this.#numbers.get(bytes.readUIntBE(0, KEY_BYTES)) : undefined
    return number !== undefined && bytes.equals(this.#hashOf(number)) ? number : null
  }

  placesIn({ number, timestamp, hash }: MadeHeader): (index: number) => Place {
    const bytes = (text: string) => Buffer.from(text, 'latin1')
    const [ofNumber, ofTime, ofHash] = [bytes(quantity(number)), bytes(quantity(timestamp)), bytes(hash)]
    return (index) => [ofNumber, ofTime, ofHash, bytes(this.transactionHash(number, index))]
  }

  placeOfTransaction(hash: Hex): { number: number; index: number } | null {
    const [number, index] = [Number.parseInt(hash.slice(50, 58), 16), Number.parseInt(hash.slice(58, 66), 16)]
    const isOurs = number >= this.first && number <= this.head && this.transactionHash(number, index) === hash
    return isOurs && index < this.bodyAt(number).transactions.length ? { number, index } : null
  }

  bodyAt(number: number): BlockBody {
    if (number < this.first) return this.#empty
    const ofCycle = this.#bodiesOfCycle[this.blockOfCycle(number)] ?? this.#empty
    const kept = this.#bodies.get(number)
    if (kept !== undefined || number <= this.firstHead || this.laterDrafts(number).length === 0) return kept ?? ofCycle
    const body = makeBody(this.draft(number), this.#tools)
    this.#bodies.set(number, body)
    const [oldest] = this.#bodies.keys()
    if (this.#bodies.size > KEPT_BODIES && oldest !== undefined) this.#bodies.delete(oldest)
    return body
  }

  /** Returns a pool's state at the end of a block; undefined before the pool is created. */
  stateOf(pool: Pool, number: number): PoolState | undefined {
    if (pool.bornAt > 0) return laterState(this, pool, number)
    const states = number < this.first ? undefined : this.#statesOfCycle[this.blockOfCycle(number)]
    return states?.get(pool.address) ?? pool.firstState
  }

  #placeOf(number: number): HeaderPlace {
    const root = bytesOf(this.seed, 'root', number)
    return {
      number,
      timestamp: this.timeOf(number, this.#headTime),
      parentHash: this.#hashOf(number - 1),
      stateRoot: root,
      transactionsRoot: root,
    }
  }

  #hashOf(number: number): Uint8Array {
    return this.#hashes[number - this.first] ?? bytesOf(this.seed, 'hash', Math.max(0, number))
  }
}

function bytesOf(...parts: readonly (string | number)[]): Buffer {
  return Buffer.from(digest(...parts).slice(2), 'hex')
}

/** Bytes of a block without transactions, and of a transaction without call data. */
const [HEADER_BYTES, TRANSACTION_BYTES] = [2_100, 690]
const CALL = '3593564c'

/** Returns call data that pads each block to `blockBytes`. Plain payments have none. */
function inputsOf({ blockBytes }: NetworkShape): BodyTools['inputOf'] {
  return ({ logs }, drafts) => {
    if (logs.length === 0) return '0x'
    const spare = Math.max(0, blockBytes - HEADER_BYTES - drafts.length * TRANSACTION_BYTES)
    const words = Math.floor(spare / drafts.filter((draft) => draft.logs.length > 0).length / 64)
    return `0x${CALL}${'5a'.repeat(32 * words)}`
  }
}
