import type { Hex } from '@dexfeed/dex'
import { RLP } from '@ethereumjs/rlp'
import { hexOf, quantity } from '../abi.ts'
import type { Keccak } from './keccak.ts'

/**
 * Fields that a network's forks have appended to its headers: the base fee, all up to Prague's, all up to Amsterdam's.
 */
export type AppendedFields = 'base-fee' | 'all' | 'amsterdam'

/** Header fields that depend on the block's contents. */
export interface HeaderContents {
  receiptsRoot: Uint8Array
  logsBloom: Buffer
  gasUsed: number
}

/** Header fields that depend on the block's place in the chain. */
export interface HeaderPlace {
  number: number
  parentHash: Uint8Array
  /** Seconds. */
  timestamp: number
  stateRoot: Uint8Array
  transactionsRoot: Uint8Array
}

const EMPTY_UNCLES = Buffer.from('1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347', 'hex')
const EMPTY_ROOT = Buffer.from('56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421', 'hex')
const EMPTY_REQUESTS = Buffer.from('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 'hex')
/** Fields of EIP-7928 and EIP-7843; the same in every block, since nothing reads them. */
const BLOCK_ACCESS_LIST = Buffer.alloc(32, 0xba)
const SLOT = 0xacaccd
const MINER = Buffer.from('95222290dd7278aa3ddd389cc1e1d165cc4bafe5', 'hex')
const EXTRA_DATA = Buffer.from('d98301060084676574688'.padEnd(194, 'a5'), 'hex')
const GAS_LIMIT = 0x8583b00
const BASE_FEE = 0x2faf080
const NONCE = Buffer.alloc(8)
/** Bytes of the number and the time. */
const NUMBER_BYTES = 4

/** Returns header fields in the order of the hash (Yellow Paper, 4.4.3), under the names that nodes use. */
function fieldsOf(contents: HeaderContents, place: HeaderPlace, appended: AppendedFields) {
  return {
    parentHash: place.parentHash,
    sha3Uncles: EMPTY_UNCLES,
    miner: MINER,
    stateRoot: place.stateRoot,
    transactionsRoot: place.transactionsRoot,
    receiptsRoot: contents.receiptsRoot,
    logsBloom: contents.logsBloom,
    difficulty: 0,
    number: place.number,
    gasLimit: GAS_LIMIT,
    gasUsed: contents.gasUsed,
    timestamp: place.timestamp,
    extraData: EXTRA_DATA,
    mixHash: place.stateRoot,
    nonce: NONCE,
    baseFeePerGas: BASE_FEE,
    ...(appended !== 'base-fee' && {
      withdrawalsRoot: EMPTY_ROOT,
      blobGasUsed: 0,
      excessBlobGas: 0,
      parentBeaconBlockRoot: Buffer.alloc(32),
      requestsHash: EMPTY_REQUESTS,
    }),
    ...(appended === 'amsterdam' && { blockAccessListHash: BLOCK_ACCESS_LIST, slotNumber: SLOT }),
  }
}

/** Returns the header as a node shows it, without hash and transactions. */
export function headerJson(contents: HeaderContents, place: HeaderPlace, appended: AppendedFields) {
  const fields = Object.entries(fieldsOf(contents, place, appended))
  return Object.fromEntries(
    fields.map(([name, value]): [string, Hex] => [name, typeof value === 'number' ? quantity(value) : hexOf(value)]),
  )
}

/** Returns the hash of a header's fields. */
export function headerHash(
  contents: HeaderContents,
  place: HeaderPlace,
  appended: AppendedFields,
  keccak: Keccak,
): Uint8Array {
  return keccak(RLP.encode(Object.values(fieldsOf(contents, place, appended))))
}

type FieldPlaces = Readonly<Record<keyof HeaderPlace | 'mixHash', number>>

/**
 * Hashes headers of the same contents one after the other. The encoded header is kept; only the fields of the place are
 * written again. Numbers and times must fill four bytes.
 */
export class HeaderHasher {
  readonly #keccak: Keccak
  readonly #encoded: Buffer
  /** Where the fields of the place begin. */
  readonly #at: FieldPlaces

  constructor(contents: HeaderContents, appended: AppendedFields, keccak: Keccak) {
    this.#keccak = keccak
    const roots = { parentHash: EMPTY_ROOT, stateRoot: EMPTY_ROOT, transactionsRoot: EMPTY_ROOT }
    const fields = Object.entries(fieldsOf(contents, { number: 2 ** 31, timestamp: 2 ** 31, ...roots }, appended))
    this.#encoded = Buffer.from(RLP.encode(fields.map(([, value]) => value)))
    const at: Record<string, number> = {}
    let end = this.#encoded.length
    for (const [name, value] of fields.reverse()) {
      at[name] = end - (typeof value === 'number' ? NUMBER_BYTES : value.length)
      end -= RLP.encode(value).length
    }
    this.#at = at as FieldPlaces
  }

  /** Returns the hash of the header at a place. @throws RangeError if number or time does not fill four bytes */
  hash({ number, timestamp, parentHash, stateRoot, transactionsRoot }: HeaderPlace): Uint8Array {
    for (const value of [number, timestamp]) {
      if (value < 2 ** 24 || value >= 2 ** 32) throw new RangeError(`${value} does not fill four bytes`)
    }
    const at = this.#at
    this.#encoded.writeUInt32BE(number, at.number)
    this.#encoded.writeUInt32BE(timestamp, at.timestamp)
    this.#encoded.set(parentHash, at.parentHash)
    this.#encoded.set(stateRoot, at.stateRoot)
    this.#encoded.set(stateRoot, at.mixHash)
    this.#encoded.set(transactionsRoot, at.transactionsRoot)
    return this.#keccak(this.#encoded)
  }
}
