import type { Hex } from '@dexfeed/dex'
import type { RpcObject } from '../../../json-rpc/rpc-value.ts'
import type { Keccak } from './keccak.ts'
import { RlpWriter } from './rlp-writer.ts'

/** Fields of a header that are numbers; all others are bytes. */
const QUANTITIES = new Set([
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'baseFeePerGas',
  'blobGasUsed',
  'excessBlobGas',
  'slotNumber',
])

/** The fields of a header in hashing order (Yellow Paper, 4.4.3). */
const FIELDS = [
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'extraData',
  'mixHash',
  'nonce',
]

/** Fields appended by forks, in hashing order: EIP-1559, 4895, 4844, 4788, 7685, 7928, 7843. */
const APPENDED = [
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
  'blockAccessListHash',
  'slotNumber',
]

/** Fields that nodes return but that are not hashed. */
const SHOWN = ['hash', 'size', 'totalDifficulty', 'transactions', 'uncles', 'withdrawals', 'milliTimestamp']
const KNOWN = new Set([...FIELDS, ...APPENDED, ...SHOWN])

/** Returns the names, sorted, of fields that a later fork may have added to the hash. */
export function unknownFields(header: RpcObject): string[] {
  return Object.keys(header)
    .filter((name) => !KNOWN.has(name))
    .sort()
}

/** Computes a header's hash from the fields that the node returned. @throws NotHex if one is missing or malformed */
export function headerHash(header: RpcObject, keccak: Keccak): Hex {
  const writer = new RlpWriter(1024)
  const appended = APPENDED.filter((name) => header[name] !== undefined && header[name] !== null)
  for (const name of [...FIELDS, ...appended].toReversed()) {
    if (QUANTITIES.has(name)) writer.quantity(header[name])
    else writer.hex(header[name])
  }
  writer.list(0)
  return `0x${Buffer.from(keccak(writer.since(0))).toString('hex')}`
}
