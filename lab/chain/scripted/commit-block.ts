import type { Random } from '@dexfeed/devnet'
import { type Hex, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { getBytes, keccak256 } from 'ethers'
import { type DraftLog, hexOf } from '../abi.ts'
import { BloomBits } from '../commitments/bloom-bits.ts'
import {
  type AppendedFields,
  type HeaderContents,
  type HeaderPlace,
  headerHash,
  headerJson,
} from '../commitments/header.ts'
import { contentsOf, sealReceipts } from '../commitments/receipt.ts'
import { digest } from '../digest.ts'

interface ReceiptSeal {
  type: number
  cumulativeGas: number
  logsBloom: Hex
}

export interface Commitment {
  hash: Hex
  header: Readonly<Record<string, Hex>>
  receipts: readonly ReceiptSeal[]
}

export interface UnsealedBlock {
  network: NetworkName
  number: number
  parentHash: Hex
  /** Seconds. */
  timestamp: number
  /** Unique to this block. */
  salt: Hex
  transactions: readonly { hash: Hex; isStateSync: boolean; logs: readonly DraftLog[] }[]
  /** Whether the header has Amsterdam's fields, and gas that differs from the receipts'. */
  isAmsterdam: boolean
  crowd: (own: Buffer) => Buffer
}

const GAS = 90_000
/** EIP-2718 transaction types, the last one unknown. */
const TYPES = [2, 2, 0x63]
const keccak = (bytes: Uint8Array): Uint8Array => getBytes(keccak256(bytes))
const blooms = new BloomBits(keccak)

/** Leaves state-sync receipts out of the root, as Polygon does. */
export function commitBlock(block: UnsealedBlock): Commitment {
  const drafts = block.transactions.map(({ isStateSync, logs }, index) => {
    return { succeeded: true, type: isStateSync ? 0 : transactionType(index), gasUsed: isStateSync ? 0 : GAS, logs }
  })
  const receipts = sealReceipts(drafts, blooms)
  const covered = contentsOf(
    receipts.filter((_, i) => block.transactions[i]?.isStateSync === false),
    keccak,
  )
  const contents: HeaderContents = {
    ...covered,
    logsBloom: block.crowd(covered.logsBloom),
    gasUsed: block.isAmsterdam ? gasBesideReceipts(covered.gasUsed, block.number) : covered.gasUsed,
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
    receipts: receipts.map(({ cumulativeGas, bloom }, i) => {
      return { type: drafts[i]?.type ?? 0, cumulativeGas, logsBloom: hexOf(bloom) }
    }),
  }
}

/** Headers of Polygon's client, Bor, end with the base fee. */
function appendedFields(network: NetworkName): AppendedFields {
  return NETWORKS[network].hasLogsWithoutTransaction ? 'base-fee' : 'all'
}

/** Since Amsterdam, a header's gas may be more or less than the receipts' (EIP-7778, EIP-8037). */
function gasBesideReceipts(cumulativeGas: number, number: number): number {
  return number % 2 === 0 ? cumulativeGas >> 1 : cumulativeGas + GAS
}

export function transactionType(index: number): number {
  return TYPES[index % TYPES.length] ?? 0
}

export const EMPTY_BLOOM: Hex = `0x${'0'.repeat(512)}`

/** Bits that a bloom has besides the block's own: none, as many as on Ethereum, or all. */
export type Crowd = 'none' | 'usual' | 'full'

/** The median bloom of 42 recorded Ethereum blocks is 46 % full. */
const USUAL_SHARE = 0.45
const BLOOM_BYTES = 256

export function crowdedBloom(own: Buffer, crowd: Crowd, random: Random): Buffer {
  if (crowd === 'none') return own
  if (crowd === 'full') return Buffer.alloc(BLOOM_BYTES, 0xff)
  return own.map((byte) => byte | usualByte(random)) as Buffer
}

function usualByte(random: Random): number {
  let byte = 0
  for (let bit = 0; bit < 8; bit++) byte = 2 * byte + (random.next() < USUAL_SHARE ? 1 : 0)
  return byte
}
