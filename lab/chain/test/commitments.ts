import { createMPT } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { keccak256 } from 'ethers'

export type Json = Record<string, unknown>

export interface Log extends Json {
  address: string
  topics: string[]
  data: string
}

export interface Receipt extends Json {
  logs: Log[]
}

const bytes = (text: unknown) => Buffer.from(String(text).slice(2), 'hex')

/** Computes the root of a block's receipts with other libraries than the lab's. */
export async function rootOf(receipts: readonly Receipt[]): Promise<string> {
  const trie = await createMPT()
  for (const [index, { type, status, cumulativeGasUsed, logsBloom, logs }] of receipts.entries()) {
    const list = logs.map(({ address, topics, data }) => [bytes(address), topics.map(bytes), bytes(data)])
    const encoded = RLP.encode([Number(status), Number(cumulativeGasUsed), bytes(logsBloom), list])
    const value = Number(type) === 0 ? encoded : Buffer.concat([Buffer.from([Number(type)]), encoded])
    await trie.put(RLP.encode(index), value)
  }
  return `0x${Buffer.from(trie.root()).toString('hex')}`
}

const NUMBERS = /^(difficulty|number|gasLimit|gasUsed|timestamp|baseFeePerGas|blobGasUsed|excessBlobGas|slotNumber)$/
const BESIDE = ['hash', 'size', 'transactions', 'uncles', 'withdrawals']

/** Hashes a header's fields in the order in which nodes return them: those of the Yellow Paper, then those of forks. */
export function hashOf(block: Json): string {
  const fields = Object.entries(block).filter(([name]) => !BESIDE.includes(name))
  const values = fields.map(([name, value]) => (NUMBERS.test(name) ? BigInt(String(value)) : bytes(value)))
  return keccak256(RLP.encode(values))
}

export function bloomOf(logs: readonly Log[]): string {
  const bloom = Buffer.alloc(256)
  for (const value of logs.flatMap(({ address, topics }) => [address, ...topics])) {
    const hash = bytes(keccak256(value))
    for (const at of [0, 2, 4]) {
      const bit = hash.readUInt16BE(at) % 2048
      bloom[255 - (bit >> 3)] = (bloom[255 - (bit >> 3)] ?? 0) | (1 << (bit & 7))
    }
  }
  return `0x${bloom.toString('hex')}`
}
