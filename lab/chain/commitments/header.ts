import type { Hex } from '@dexfeed/dex'
import { RLP } from '@ethereumjs/rlp'
import { hexOf, quantity } from '../abi.ts'
import type { Keccak } from './keccak.ts'

/** Which fields forks have appended to the header: only the base fee, all up to Prague, or all up to Amsterdam. */
export type AppendedFields = 'base-fee' | 'all' | 'amsterdam'

export interface HeaderContents {
  receiptsRoot: Uint8Array
  logsBloom: Buffer
  gasUsed: number
}

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
/** Fields of EIP-7928 and EIP-7843. Nothing reads them. */
const BLOCK_ACCESS_LIST = Buffer.alloc(32, 0xba)
const SLOT = 0xacaccd
const MINER = Buffer.from('95222290dd7278aa3ddd389cc1e1d165cc4bafe5', 'hex')
const EXTRA_DATA = Buffer.from('d98301060084676574688'.padEnd(194, 'a5'), 'hex')
const GAS_LIMIT = 0x8583b00
const BASE_FEE = 0x2faf080
const NONCE = Buffer.alloc(8)

/** Returns the fields in the order of the hash (Yellow Paper, 4.4.3). */
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

export function headerJson(contents: HeaderContents, place: HeaderPlace, appended: AppendedFields) {
  const fields = Object.entries(fieldsOf(contents, place, appended))
  return Object.fromEntries(
    fields.map(([name, value]): [string, Hex] => [name, typeof value === 'number' ? quantity(value) : hexOf(value)]),
  )
}

export function headerHash(
  contents: HeaderContents,
  place: HeaderPlace,
  appended: AppendedFields,
  keccak: Keccak,
): Uint8Array {
  return keccak(RLP.encode(Object.values(fieldsOf(contents, place, appended))))
}
