import type { Address, BlockHeader, Hex } from '@dexfeed/dex'
import type { Random } from './random.ts'

export interface MadeTransaction {
  hash: Hex
  from: Address
}

export interface MadeLog {
  address: Address
  topics: readonly Hex[]
  data: string
  transactionIndex: number
  logIndex: number
}

/** Where a log lies in a block's serialised logs, and what a filter looks at. */
interface LogPlace {
  address: Address
  topic: Hex
  start: number
  end: number
}

/** A block as JSON, in the shape and field order of geth. */
export interface MadeBlock extends BlockHeader {
  /** Up to the value of `transactions`. */
  head: string
  transactionHashes: readonly Hex[]
  /** The whole object with all its transactions. */
  full: Buffer
  /** The logs, separated by commas. */
  logs: Buffer
  places: readonly LogPlace[]
}

const TAIL = ',"uncles":[],"withdrawals":[],"blobGasUsed":"0x0","excessBlobGas":"0x0"}'
const ROUTER_CALL = `0x3593564c${'00'.repeat(32)}${'0b000604'.padEnd(64, '0')}`

export function serialiseBlock(
  header: BlockHeader & { logsBloom: Hex },
  transactions: readonly MadeTransaction[],
  logs: readonly MadeLog[],
  random: Random,
): MadeBlock {
  const { number, hash, parentHash, timestamp } = header
  const head = headOf(header, random)
  const place = `"blockNumber":"${quantity(number)}","blockHash":"${hash}"`
  const body = transactions.map((transaction, index) => transactionText(transaction, index, place, random))
  const places: LogPlace[] = []
  const texts: string[] = []
  let start = 0
  for (const log of logs) {
    const text = logText(log, transactions[log.transactionIndex]?.hash ?? '0x', header)
    texts.push(text)
    places.push({ address: log.address, topic: log.topics[0] ?? '0x', start, end: start + text.length })
    start += text.length + 1
  }
  return {
    number,
    hash,
    parentHash,
    timestamp,
    head,
    transactionHashes: transactions.map((transaction) => transaction.hash),
    full: Buffer.from(`${head}[${body.join(',')}]${TAIL}`, 'latin1'),
    logs: Buffer.from(texts.join(','), 'latin1'),
    places,
  }
}

/** The block as a node gives it when only hashes of transactions are asked for. */
export function headerText({ head, transactionHashes }: MadeBlock): string {
  return `${head}${JSON.stringify(transactionHashes)}${TAIL}`
}

function headOf({ number, hash, parentHash, timestamp, logsBloom }: BlockHeader & { logsBloom: Hex }, random: Random) {
  const fields = {
    baseFeePerGas: '0x2540be400',
    difficulty: '0x0',
    extraData: '0x6265617665726275696c642e6f7267',
    gasLimit: '0x1c9c380',
    gasUsed: '0xd5a1d1',
    hash,
    logsBloom,
    miner: '0x95222290dd7278aa3ddd389cc1e1d165cc4bafe5',
    mixHash: `0x${random.hex(8)}`,
    nonce: '0x0000000000000000',
    number: quantity(number),
    parentHash,
    receiptsRoot: `0x${random.hex(8)}`,
    sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    size: '0x1b2c3',
    stateRoot: `0x${random.hex(8)}`,
    timestamp: quantity(timestamp),
    transactionsRoot: `0x${random.hex(8)}`,
  }
  return `${JSON.stringify(fields).slice(0, -1)},"transactions":`
}

function transactionText({ hash, from }: MadeTransaction, index: number, place: string, random: Random): string {
  return (
    `{${place},"from":"${from}","gas":"0x3d090","gasPrice":"0x2b5e3af16","maxFeePerGas":"0x4a817c800",` +
    `"maxPriorityFeePerGas":"0x59682f00","hash":"${hash}","input":"${ROUTER_CALL}${random.hex(24)}",` +
    `"nonce":"${quantity(random.below(9_999))}","to":"0x66a9893cc07d91d95644aedd05d03f95e1dba8af",` +
    `"transactionIndex":"${quantity(index)}","value":"0x0","type":"0x2","accessList":[],"chainId":"0x1",` +
    `"v":"0x1","r":"0x${random.hex(8)}","s":"0x${random.hex(8)}","yParity":"0x1"}`
  )
}

function logText(log: MadeLog, transactionHash: Hex, { number, hash, timestamp }: BlockHeader): string {
  const { address, topics, data, transactionIndex, logIndex } = log
  return (
    `{"address":"${address}","topics":["${topics.join('","')}"],"data":"${data}","blockNumber":"${quantity(number)}",` +
    `"transactionHash":"${transactionHash}","transactionIndex":"${quantity(transactionIndex)}","blockHash":"${hash}",` +
    `"blockTimestamp":"${quantity(timestamp)}","logIndex":"${quantity(logIndex)}","removed":false}`
  )
}

function quantity(number: number): Hex {
  return `0x${number.toString(16)}`
}
