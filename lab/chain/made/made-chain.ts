import { type EventState, type Hex, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { hexOf, quantity } from '../abi.ts'
import { BloomBits } from '../commitments/bloom-bits.ts'
import type { DraftTransaction } from '../commitments/draft.ts'
import { type HeaderPlace, headerHash } from '../commitments/header.ts'
import type { Keccak } from '../commitments/keccak.ts'
import { type BlockBody, type BodyTools, makeBody, type Place } from './block-body.ts'
import { draftBlock, LaterPools, swapsUntil } from './draft-block.ts'
import { type MadePool, Market } from './market.ts'
import { mixedBytes, mixedHex } from './mix.ts'
import { stateAfter } from './pool-states.ts'
import { makeSchedule, type Schedule } from './schedule.ts'
import type { NetworkShape } from './shapes.ts'

/** A plan and the time of the first head determine the chain. */
export interface ChainPlan {
  network: NetworkName
  seed: number
  shape: NetworkShape
  history: number
}

export class MadeWorld {
  readonly plan: ChainPlan
  readonly market: Market
  readonly schedule: Schedule
  readonly later: LaterPools
  readonly first: number
  readonly firstHead: number

  constructor(plan: ChainPlan) {
    const { network, seed, shape, history } = plan
    this.plan = plan
    this.market = new Market(network, seed, shape)
    this.schedule = makeSchedule(this.market.seed, shape.pools, shape.swaps, shape.cycle)
    this.firstHead = shape.aboutNumber
    this.first = this.firstHead - history
    this.later = new LaterPools(this.market, this.firstHead, (shape.newPoolsPerMinute * shape.blockTimeS) / 60)
  }

  blockOfCycle(number: number): number {
    return (number - this.first) % this.schedule.blocks
  }

  draft(number: number): DraftTransaction[] {
    if (number < this.first) return []
    const drafts = draftBlock(this.market, this.plan.shape, this.schedule, this.blockOfCycle(number))
    return [...drafts, ...this.later.draft(number)]
  }

  /**
   * Returns seconds since 1970.
   *
   * @param headTime of the first head
   */
  timeOf(number: number, headTime: number): number {
    return Math.max(1, Math.floor(headTime + (number - this.firstHead) * this.plan.shape.blockTimeS))
  }

  /** Ends with the block number and index, so that `placeOfTransaction` can read them. */
  transactionHash(number: number, index: number): Hex {
    const place = number.toString(16).padStart(8, '0') + index.toString(16).padStart(8, '0')
    return `${mixedHex(6, this.market.seed, 37, number, index)}${place}`
  }

  /**
   * Returns a pool's state at the end of a block.
   *
   * @param born the block that created the pool; 0 if it always existed
   */
  stateAt(pool: MadePool, born: number, block: number): EventState {
    if (born > 0) return stateAfter(pool, swapsUntil(born, block))
    const swaps = block < this.first ? 0 : this.schedule.swapsUntil(pool.rank, this.blockOfCycle(block))
    return stateAfter(pool, swaps % this.schedule.swapsInCycle(pool.rank))
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
  readonly #cycle: readonly BlockBody[]
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
    this.#cycle = Array.from({ length: this.schedule.blocks }, (_, block) =>
      makeBody(draftBlock(this.market, shape, this.schedule, block), this.#tools),
    )
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
      headerHash(this.bodyAt(number).contents, this.#placeOf(number), this.plan.shape.appended, this.#tools.keccak),
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
    const ofCycle = this.#cycle[this.blockOfCycle(number)] ?? this.#empty
    const kept = this.#bodies.get(number)
    if (kept !== undefined || number <= this.firstHead || this.later.draft(number).length === 0) return kept ?? ofCycle
    const body = makeBody(this.draft(number), this.#tools)
    this.#bodies.set(number, body)
    const [oldest] = this.#bodies.keys()
    if (this.#bodies.size > KEPT_BODIES && oldest !== undefined) this.#bodies.delete(oldest)
    return body
  }

  #placeOf(number: number): HeaderPlace {
    const random = mixedBytes(16, this.market.seed, 41, number)
    return {
      number,
      timestamp: this.timeOf(number, this.#headTime),
      parentHash: this.#hashOf(number - 1),
      stateRoot: random.subarray(0, HASH_BYTES),
      transactionsRoot: random.subarray(HASH_BYTES),
    }
  }

  #hashOf(number: number): Uint8Array {
    return this.#hashes[number - this.first] ?? mixedBytes(8, this.market.seed, 47, Math.max(0, number))
  }
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
