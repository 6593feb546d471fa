import type { Random } from '@dexfeed/devnet'
import { type Hex, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { getBytes, keccak256 } from 'ethers'
import { hexOf } from '../abi.ts'
import { BloomBits, joinBlooms } from '../commitments/bloom-bits.ts'
import {
  type AppendedFields,
  type HeaderContents,
  type HeaderPlace,
  headerHash,
  headerJson,
} from '../commitments/header.ts'
import { listRoot } from '../commitments/list-root.ts'
import { encodeReceipt } from '../commitments/receipt.ts'
import { digest } from './digest.ts'

/** Fields of a receipt, besides its logs, that its block commits to. */
interface ReceiptSeal {
  type: number
  cumulativeGas: number
  logsBloom: Hex
}

/** A block's hash, and the fields of its header and receipts that prove it. */
export interface Commitment {
  hash: Hex
  /** The header as nodes show it, without the hash. */
  header: Readonly<Record<string, Hex>>
  /** One per transaction, in their order. */
  receipts: readonly ReceiptSeal[]
}

/** A block before its hash is computed. */
export interface UnsealedBlock {
  network: NetworkName
  number: number
  parentHash: Hex
  /** Seconds. */
  timestamp: number
  /** 32 bytes that are unique to this block. */
  salt: Hex
  transactions: readonly { hash: Hex; isStateSync: boolean; logs: readonly UnsealedLog[] }[]
  /** Whether its header has the fields of Amsterdam, and gas that differs from its receipts'. */
  isAmsterdam: boolean
  /** Adds the bits of other logs to a bloom. */
  crowd: (own: Buffer) => Buffer
}

type UnsealedLog = Parameters<typeof encodeReceipt>[0]['logs'][number]

const GAS = 90_000
/** Types of EIP-2718; the last one is unknown. */
const TYPES = [2, 2, 0x63]
const keccak = (bytes: Uint8Array): Uint8Array => getBytes(keccak256(bytes))
const blooms = new BloomBits(keccak)

/** Returns a hash that commits to the block's fields and receipts. Polygon's state-sync receipt is not in the root. */
export function commitBlock(block: UnsealedBlock): Commitment {
  let cumulativeGas = 0
  const receipts = block.transactions.map(({ isStateSync, logs }, index) => {
    if (!isStateSync) cumulativeGas += GAS
    const type = isStateSync ? 0 : transactionType(index)
    const bloom = blooms.of(logs)
    return { type, cumulativeGas, bloom, encoded: encodeReceipt({ succeeded: true, type, logs }, cumulativeGas, bloom) }
  })
  const covered = receipts.filter((_, i) => block.transactions[i]?.isStateSync === false)
  const contents: HeaderContents = {
    receiptsRoot: listRoot(
      covered.map(({ encoded }) => encoded),
      keccak,
    ),
    logsBloom: block.crowd(joinBlooms(covered.map(({ bloom }) => bloom))),
    gasUsed: block.isAmsterdam ? gasBesideReceipts(cumulativeGas, block.number) : cumulativeGas,
  }
  const place: HeaderPlace = {
    number: block.number,
    timestamp: block.timestamp,
    parentHash: getBytes(block.parentHash),
    stateRoot: getBytes(block.salt),
    transactionsRoot: getBytes(digest(...block.transactions.map(({ hash }) => hash))),
  }
  const appended = block.isAmsterdam ? 'amsterdam' : appendedFields(block.network)
  return {
    hash: hexOf(headerHash(contents, place, appended, keccak)),
    header: headerJson(contents, place, appended),
    receipts: receipts.map(({ type, cumulativeGas: gas, bloom }) => ({
      ...{ type, cumulativeGas: gas, logsBloom: hexOf(bloom) },
    })),
  }
}

/** The last field of Bor's headers is the base fee. */
function appendedFields(network: NetworkName): AppendedFields {
  return NETWORKS[network].hasLogsWithoutTransaction ? 'base-fee' : 'all'
}

/** A header's gas counts before refunds, and may be below or above the receipts' (EIP-7778, EIP-8037). */
function gasBesideReceipts(cumulativeGas: number, number: number): number {
  return number % 2 === 0 ? cumulativeGas >> 1 : cumulativeGas + GAS
}

/** Returns the type of the transaction at an index. */
export function transactionType(index: number): number {
  return TYPES[index % TYPES.length] ?? 0
}

export const EMPTY_BLOOM: Hex = `0x${'0'.repeat(512)}`

/** How many bits of a bloom are set besides those of the block's own logs: none, as many as on Ethereum, or all. */
export type Crowd = 'none' | 'usual' | 'full'

/** Of 42 recorded blocks of Ethereum the median bloom is 46 % full. */
const USUAL_SHARE = 0.45
const BLOOM_BYTES = 256

/** Returns a block's bloom with the bits that other logs add to it. */
export function crowdedBloom(own: Buffer, crowd: Crowd, random: Random): Buffer {
  if (crowd === 'none') return own
  if (crowd === 'full') return Buffer.alloc(BLOOM_BYTES, 0xff)
  return own.map((byte) => byte | usualByte(random)) as Buffer
}

function usualByte(random: Random): number {
  return Array.from({ length: 8 }).reduce<number>((byte) => 2 * byte + (random.next() < USUAL_SHARE ? 1 : 0), 0)
}
