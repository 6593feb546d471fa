import { RLP } from '@ethereumjs/rlp'
import type { DraftLog } from './draft.ts'

/** Encodes a receipt as the trie of its block holds it (EIP-2718; Yellow Paper, 4.4.1). */
export function encodeReceipt(
  { succeeded, type, logs }: { succeeded: boolean; type: number; logs: readonly DraftLog[] },
  cumulativeGas: number,
  bloom: Buffer,
): Uint8Array {
  const list = logs.map(({ address, topics, data }) => [bytes(address), topics.map(bytes), bytes(data)])
  const body = RLP.encode([succeeded ? 1 : 0, cumulativeGas, bloom, list])
  return type === 0 ? body : Buffer.concat([Buffer.from([type]), body])
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}
