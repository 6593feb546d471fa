import { type Address, type Hex, NETWORKS } from '@dexfeed/dex'
import { hexOf, quantity } from '@dexfeed/fake-node/abi'
import { type BlockBody, type BodyTools, type Filler, makeBody, occurringIn } from '@dexfeed/fake-node/blocks/body'
import type { Place } from '@dexfeed/fake-node/blocks/holed-text'
import { BloomBits } from '@dexfeed/fake-node/commitments/bloom-bits'
import type { DraftTransaction } from '@dexfeed/fake-node/commitments/draft'
import { HeaderHasher, type HeaderPlace } from '@dexfeed/fake-node/commitments/header'
import type { Keccak } from '@dexfeed/fake-node/commitments/keccak'
import type { NetworkShape } from '../presets.ts'
import type { ChainPlan } from './chain-plan.ts'
import { HashIndex } from './hash-index.ts'
import { draftBlock } from './world/draft-block.ts'
import { MadeWorld } from './world/made-world.ts'
import type { Market } from './world/market.ts'
import { mixedBytes, mixedHex } from './world/mix.ts'

/** A block in its place. */
export interface MadeHeader extends HeaderPlace {
  hash: Hex
  body: MadeBody
}

/** A block's contents, which recur each cycle. */
export interface MadeBody extends BlockBody {
  hasher: HeaderHasher
  /** What occurs among its logs. */
  topics: ReadonlySet<Hex>
  addresses: ReadonlySet<Address>
}

const HASH_BYTES = 32
/** Number of cached bodies of blocks that differ from those of their cycle. */
const KEPT_BODIES = 96
/** Room for hashes of blocks above the first head: some days. */
const ROOM = 1_000_000

/**
 * A made chain. Its blocks repeat in a cycle: a block has the contents of the block one cycle before, and the pools
 * have the same states, so that a week needs no more room than a cycle. After the first head, new pools are created,
 * too. Number, time and hashes of each block are its own; each header commits to its receipts and links to the one
 * before. The blocks below the first one are empty. They have a time, and link to nothing.
 */
export class MadeNetwork {
  readonly plan: ChainPlan
  readonly world: MadeWorld
  readonly #tools: BodyTools
  readonly #cycle: readonly MadeBody[]
  readonly #empty: MadeBody
  readonly #hashes: Buffer
  readonly #index: HashIndex
  readonly #bodies = new Map<number, MadeBody>()
  #head: number
  #headTime = 0

  constructor(plan: ChainPlan, keccak: Keccak) {
    const { network, shape, history } = plan
    this.plan = plan
    this.world = new MadeWorld(plan)
    const numberWidth = quantity(this.firstHead).length
    const { chainId } = NETWORKS[network]
    this.#tools = { chainId, keccak, blooms: new BloomBits(keccak), numberWidth, filler: fillerOf(shape) }
    this.#cycle = Array.from({ length: this.world.schedule.blocks }, (_, block) =>
      this.#makeBody(draftBlock(this.market, shape, this.world.schedule, block)),
    )
    this.#empty = this.#makeBody([])
    this.#hashes = Buffer.alloc((history + ROOM) * HASH_BYTES)
    this.#index = new HashIndex(this.#hashes, history + ROOM)
    this.#head = this.first - 1
  }

  /**
   * Links the blocks up to the first head. Must be called once, before the first request.
   *
   * @param headTime when the first head is made, seconds since 1970
   */
  link(headTime: number): void {
    this.#headTime = headTime
    while (this.#head < this.firstHead) this.extend()
  }

  get market(): Market {
    return this.world.market
  }

  /** The lowest block that links to the one above it. */
  get first(): number {
    return this.world.first
  }

  get firstHead(): number {
    return this.world.firstHead
  }

  get head(): number {
    return this.#head
  }

  /** Makes the next block the head. */
  extend(): void {
    const number = this.#head + 1
    const hash = this.bodyAt(number).hasher.hash(this.#placeOf(number))
    this.#hashes.set(hash, (number - this.first) * HASH_BYTES)
    this.#index.add(number - this.first)
    this.#head = number
  }

  /** Null above the head. */
  headerAt(number: number): MadeHeader | null {
    if (!(number >= 0 && number <= this.#head)) return null
    const place = this.#placeOf(number)
    const body = this.bodyAt(number)
    const hash = number < this.first ? this.#earlyHash(number) : this.#hashAt(number)
    return { ...place, hash: hexOf(hash), body }
  }

  /** The number of a block by its hash; null: no block from the first one on has it. */
  numberOf(hash: Hex): number | null {
    const found = this.#index.find(Buffer.from(hash.slice(2), 'hex'))
    return found === null ? null : this.first + found
  }

  /** Returns the values that fill a block's texts. */
  placeIn({ number, timestamp, hash, body }: MadeHeader): Place {
    const transactionHashes = Array.from({ length: body.transactionCount }, (_, i) => this.transactionHash(number, i))
    return { number: quantity(number), time: quantity(timestamp), hash, transactionHashes }
  }

  /** Returns a hash whose last 16 digits are number and index, so that it identifies its transaction. */
  transactionHash(number: number, index: number): Hex {
    const place = number.toString(16).padStart(8, '0') + index.toString(16).padStart(8, '0')
    return `${mixedHex(6, this.market.seed, 37, number, index)}${place}`
  }

  /** Returns the place of a transaction; null: its hash is not of this chain. */
  placeOfTransaction(hash: Hex): { number: number; index: number } | null {
    const [number, index] = [Number.parseInt(hash.slice(50, 58), 16), Number.parseInt(hash.slice(58, 66), 16)]
    const isOurs = number >= this.first && number <= this.#head && this.transactionHash(number, index) === hash
    return isOurs && index < this.bodyAt(number).transactionCount ? { number, index } : null
  }

  /** Returns the contents of a block, up to the next one after the head. */
  bodyAt(number: number): MadeBody {
    if (number < this.first) return this.#empty
    const ofCycle = this.#cycle[this.world.blockOfCycle(number)] ?? this.#empty
    if (number <= this.firstHead) return ofCycle
    const kept = this.#bodies.get(number)
    if (kept !== undefined) return kept
    const added = this.world.later.draft(number)
    if (added.length === 0) return ofCycle
    const drafts = draftBlock(this.market, this.plan.shape, this.world.schedule, this.world.blockOfCycle(number))
    const body = this.#makeBody([...drafts, ...added])
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
    const elapsed = (number - this.firstHead) * this.plan.shape.blockTimeS
    const random = mixedBytes(16, this.market.seed, 41, number)
    return {
      number,
      timestamp: Math.max(1, Math.floor(this.#headTime + elapsed)),
      parentHash: number <= this.first ? this.#earlyHash(number - 1) : this.#hashAt(number - 1),
      stateRoot: random.subarray(0, HASH_BYTES),
      transactionsRoot: random.subarray(HASH_BYTES),
    }
  }

  #hashAt(number: number): Uint8Array {
    const at = (number - this.first) * HASH_BYTES
    return this.#hashes.subarray(at, at + HASH_BYTES)
  }

  /** Returns the hash of an empty block below the first. */
  #earlyHash(number: number): Uint8Array {
    return mixedBytes(8, this.market.seed, 47, Math.max(0, number))
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
