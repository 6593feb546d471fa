import type { DevnetChain } from '@dexfeed/devnet'

const CHUNK = 40

export interface RecordedLog {
  address: string
  topics: string[]
  data: string
  index: number
}

export interface RecordedTransaction {
  hash: string
  index: number
  from: string
  value: bigint
  logs: RecordedLog[]
}

export interface RecordedBlock {
  number: number
  timestamp: number
  transactions: RecordedTransaction[]
  /** Whether the receipts log every transfer of coins (EIP-7708). */
  logsEther?: boolean
}

interface RawBlock {
  number: string
  timestamp: string
  transactions: { hash: string; value: string }[]
}

interface RawReceipt {
  transactionHash: string
  transactionIndex: string
  from: string
  logs: { address: string; topics: string[]; data: string; logIndex: string }[]
}

export async function recordChain({ rpc }: Pick<DevnetChain, 'rpc'>, from = 0): Promise<RecordedBlock[]> {
  const head = Number(await rpc.send<string>('eth_blockNumber', []))
  const blocks: RecordedBlock[] = []
  for (let first = from; first <= head; first += CHUNK) {
    const tags = Array.from({ length: Math.min(CHUNK, head - first + 1) }, (_, at) => `0x${(first + at).toString(16)}`)
    const [raw, receipts] = await Promise.all([
      rpc.batch<RawBlock>(tags.map((tag) => ({ method: 'eth_getBlockByNumber', params: [tag, true] }))),
      rpc.batch<RawReceipt[]>(tags.map((tag) => ({ method: 'eth_getBlockReceipts', params: [tag] }))),
    ])
    blocks.push(...raw.map((block, at) => recordBlock(block, receipts[at] ?? [])))
  }
  return blocks
}

function recordBlock({ number, timestamp, transactions }: RawBlock, receipts: readonly RawReceipt[]): RecordedBlock {
  const values = new Map(transactions.map(({ hash, value }) => [hash, BigInt(value)]))
  return {
    number: Number(number),
    timestamp: Number(timestamp),
    transactions: receipts.map(({ transactionHash: hash, transactionIndex, from, logs }) => {
      const value = values.get(hash)
      if (value === undefined) throw new Error(`block ${Number(number)} has no transaction ${hash}`)
      return { hash, index: Number(transactionIndex), from: from.toLowerCase(), value, logs: logs.map(recordLog) }
    }),
  }
}

function recordLog({ address, topics, data, logIndex }: RawReceipt['logs'][number]): RecordedLog {
  return { address: address.toLowerCase(), topics, data, index: Number(logIndex) }
}
