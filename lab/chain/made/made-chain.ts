import { type Address, type EventState, type Hex, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { hexOf, quantity } from '../abi.ts'
import { type BlockBody, type BodyTools, type Filler, makeBody, occurringIn } from '../blocks/body.ts'
import type { Place } from '../blocks/holed-text.ts'
import { BloomBits } from '../commitments/bloom-bits.ts'
import type { DraftTransaction } from '../commitments/draft.ts'
import { HeaderHasher, type HeaderPlace } from '../commitments/header.ts'
import type { Keccak } from '../commitments/keccak.ts'
import { draftBlock, LaterPools, swapsUntil } from './draft-block.ts'
import { type MadePool, Market } from './market.ts'
import { mixedBytes, mixedHex } from './mix.ts'
import { stateAfter } from './pool-states.ts'
import { makeSchedule, type Schedule } from './schedule.ts'
import type { NetworkShape } from './shapes.ts'

/** A chain to be made. The same plan and the same time of the first head make the same chain. */
export interface ChainPlan {
  network: NetworkName
  seed: number
  shape: NetworkShape
  /** Blocks below the first head, without the empty ones before them. */
  history: number
}

/** A made chain as transactions and states, without hashes and texts. */
export class MadeWorld {
  readonly plan: ChainPlan
  readonly market: Market
  readonly schedule: Schedule
  readonly later: LaterPools
  /** The lowest block that links to the one above it, and the first head. */
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

  /** Returns the block of the cycle that a block repeats. */
  blockOfCycle(number: number): number {
    return (number - this.first) % this.schedule.blocks
  }

  /** Returns the transactions of a block, those of later pools last. */
  draft(number: number): DraftTransaction[] {
    if (number < this.first) return []
    const drafts = draftBlock(this.market, this.plan.shape, this.schedule, this.blockOfCycle(number))
    return [...drafts, ...this.later.draft(number)]
  }

  /** Returns a block's time in seconds. @param headTime of the first head */
  timeOf(number: number, headTime: number): number {
    return Math.max(1, Math.floor(headTime + (number - this.firstHead) * this.plan.shape.blockTimeS))
  }

  /** Returns a hash whose last 16 digits are number and index, so that it identifies its transaction. */
  transactionHash(number: number, index: number): Hex {
    const place = number.toString(16).padStart(8, '0') + index.toString(16).padStart(8, '0')
    return `${mixedHex(6, this.market.seed, 37, number, index)}${place}`
  }

  /** Returns a pool's state at the end of a block. @param born the block that creates it; 0: it was always there */
  stateAt(pool: MadePool, born: number, block: number): EventState {
    if (born > 0) return stateAfter(pool, swapsUntil(born, block))
    const swaps = block < this.first ? 0 : this.schedule.swapsUntil(pool.rank, this.blockOfCycle(block))
    return stateAfter(pool, swaps % this.schedule.swapsInCycle(pool.rank))
  }
}

/** A block in its place. */
export interface MadeHeader extends HeaderPlace {
  hash: Hex
  body: MadeBody
}

/** A block's contents, which recur each cycle. */
interface MadeBody extends BlockBody {
  hasher: HeaderHasher
  /** What occurs among its logs. */
  topics: ReadonlySet<Hex>
  addresses: ReadonlySet<Address>
}

const HASH_BYTES = 32
/** Bytes of a hash by which its block is looked up. */
const KEY_BYTES = 6
/** Cached bodies of blocks that differ from those of their cycle. */
const KEPT_BODIES = 96

/**
 * A made chain. A block has the contents of the block one cycle before, and the pools have the same states, so a week
 * needs no more room than a cycle. After the first head, pools are created, too. Number, time and hashes of each block
 * are its own; each header commits to its receipts and links to the one before. Blocks below the first one are empty.
 */
export class MadeChain extends MadeWorld {
  readonly #tools: BodyTools
  readonly #cycle: readonly MadeBody[]
  readonly #empty: MadeBody
  /** From the first block on. */
  readonly #hashes: Buffer[] = []
  readonly #numbers = new Map<number, number>()
  readonly #bodies = new Map<number, MadeBody>()
  #headTime = 0

  constructor(plan: ChainPlan, keccak: Keccak) {
    super(plan)
    const { network, shape } = plan
    const numberWidth = quantity(this.firstHead).length
    const { chainId } = NETWORKS[network]
    this.#tools = { chainId, keccak, blooms: new BloomBits(keccak), numberWidth, filler: fillerOf(shape) }
    this.#cycle = Array.from({ length: this.schedule.blocks }, (_, block) =>
      this.#makeBody(draftBlock(this.market, shape, this.schedule, block)),
    )
    this.#empty = this.#makeBody([])
  }

  /**
   * Links the blocks up to the first head. Must be called once, before the first request.
   *
   * @param headTime when the first head is made, seconds since 1970
   */
  link(headTime: number): void {
    this.#headTime = headTime
    while (this.head < this.firstHead) this.extend()
  }

  get head(): number {
    return this.first + this.#hashes.length - 1
  }

  /** Makes the next block the head. */
  extend(): void {
    const number = this.head + 1
    const hash = Buffer.from(this.bodyAt(number).hasher.hash(this.#placeOf(number)))
    this.#hashes.push(hash)
    this.#numbers.set(hash.readUIntBE(0, KEY_BYTES), number)
  }

  /** Null above the head. */
  headerAt(number: number): MadeHeader | null {
    if (!(number >= 0 && number <= this.head)) return null
    return { ...this.#placeOf(number), hash: hexOf(this.#hashOf(number)), body: this.bodyAt(number) }
  }

  /** The number of a block by its hash; null: no block from the first one on has it. */
  numberOf(hash: Hex): number | null {
    const bytes = Buffer.from(hash.slice(2), 'hex')
    const number = bytes.length === HASH_BYTES ? this.#numbers.get(bytes.readUIntBE(0, KEY_BYTES)) : undefined
    return number !== undefined && bytes.equals(this.#hashOf(number)) ? number : null
  }

  /** Returns the values that fill a block's texts. */
  placeIn({ number, timestamp, hash, body }: MadeHeader): Place {
    const transactionHashes = Array.from({ length: body.transactionCount }, (_, i) => this.transactionHash(number, i))
    return { number: quantity(number), time: quantity(timestamp), hash, transactionHashes }
  }

  /** Returns the place of a transaction; null: its hash is not of this chain. */
  placeOfTransaction(hash: Hex): { number: number; index: number } | null {
    const [number, index] = [Number.parseInt(hash.slice(50, 58), 16), Number.parseInt(hash.slice(58, 66), 16)]
    const isOurs = number >= this.first && number <= this.head && this.transactionHash(number, index) === hash
    return isOurs && index < this.bodyAt(number).transactionCount ? { number, index } : null
  }

  /** Returns the contents of a block, up to the next one after the head. */
  bodyAt(number: number): MadeBody {
    if (number < this.first) return this.#empty
    const ofCycle = this.#cycle[this.blockOfCycle(number)] ?? this.#empty
    const kept = this.#bodies.get(number)
    if (kept !== undefined || number <= this.firstHead || this.later.draft(number).length === 0) return kept ?? ofCycle
    const body = this.#makeBody(this.draft(number))
    this.#bodies.set(number, body)
    const [oldest] = this.#bodies.keys()
    if (this.#bodies.size > KEPT_BODIES && oldest !== undefined) this.#bodies.delete(oldest)
    return body
  }

  #makeBody(drafts: readonly DraftTransaction[]): MadeBody {
    const body = makeBody(drafts, this.#tools)
    const hasher = new HeaderHasher(body.contents, this.plan.shape.appended, this.#tools.keccak)
    return { ...body, hasher, ...occurringIn(body.logs) }
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

/** The length of a block without its transactions, and of a transaction without call data. */
const [HEADER_BYTES, TRANSACTION_BYTES] = [2_100, 690]
/** Call data begins with a selector, and continues in words. */
const CALL = '3593564c'

/** Plain payments carry no call data; that of the others makes the block as long as the shape says. */
function fillerOf({ blockBytes }: NetworkShape): BodyTools['filler'] {
  const wordsOf = (drafts: readonly DraftTransaction[]) => {
    const spare = Math.max(0, blockBytes - HEADER_BYTES - drafts.length * TRANSACTION_BYTES)
    return Math.floor(spare / Math.max(1, drafts.filter(({ logs }) => logs.length > 0).length) / 64)
  }
  return ({ logs }, index, drafts): Filler => ({
    input: logs.length === 0 ? '0x' : `0x${CALL}${'5a'.repeat(32 * wordsOf(drafts))}`,
    nonce: index + 7,
    r: '7d'.repeat(32),
    s: '3c'.repeat(32),
  })
}
