import { RLP } from '@ethereumjs/rlp'
import type { DraftLog } from '../abi.ts'
import { type BloomBits, joinBlooms } from './bloom-bits.ts'
import type { HeaderContents } from './header.ts'
import type { Keccak } from './keccak.ts'
import { listRoot } from './list-root.ts'

interface DraftReceipt {
  type: number
  succeeded: boolean
  gasUsed: number
  logs: readonly DraftLog[]
}

export interface SealedReceipt {
  cumulativeGas: number
  bloom: Buffer
  /** Encoded as in EIP-2718 and Yellow Paper, 4.4.1. */
  encoded: Uint8Array
}

export function sealReceipts(drafts: readonly DraftReceipt[], blooms: BloomBits): SealedReceipt[] {
  let cumulativeGas = 0
  return drafts.map(({ succeeded, type, gasUsed, logs }) => {
    cumulativeGas += gasUsed
    const bloom = blooms.of(logs)
    const list = logs.map(({ address, topics, data }) => [bytes(address), topics.map(bytes), bytes(data)])
    const body = RLP.encode([succeeded ? 1 : 0, cumulativeGas, bloom, list])
    return { cumulativeGas, bloom, encoded: type === 0 ? body : Buffer.concat([Buffer.from([type]), body]) }
  })
}

export function contentsOf(receipts: readonly SealedReceipt[], keccak: Keccak): HeaderContents {
  const encoded = receipts.map((receipt) => receipt.encoded)
  return {
    receiptsRoot: listRoot(encoded, keccak),
    logsBloom: joinBlooms(receipts.map(({ bloom }) => bloom)),
    gasUsed: receipts.at(-1)?.cumulativeGas ?? 0,
  }
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}
