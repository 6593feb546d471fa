import type { Address, BlockHeader, Hex } from '@dexfeed/dex'
import type { DraftLog } from '@dexfeed/fake-node/commitments/draft'
import {
  type AppendedFields,
  type HeaderContents,
  type HeaderPlace,
  headerJson,
} from '@dexfeed/fake-node/commitments/header'
import type { HashedDraft } from './draft-block.ts'
import { TOPICS } from './events.ts'
import type { Random } from './random.ts'

/** Where a log lies in a text, and what a filter looks at. */
interface LogPlace {
  address: Address
  topic: Hex
  start: number
  end: number
}

/** A block as JSON, in the shape of geth. */
export interface MadeBlock extends BlockHeader {
  /** Up to the value of `transactions`. */
  head: string
  transactionHashes: readonly Hex[]
  /** The whole object with all its transactions. */
  full: Buffer
  /** The list of its receipts; null: it is not served. */
  receipts: Buffer | null
  /** The logs that anybody asks for by topic, separated by commas; null: they lie in the receipts. */
  logs: Buffer | null
  places: readonly LogPlace[]
  /** Single receipts by their transaction's hash, where those of the whole block are not served. */
  singleReceipts: ReadonlyMap<Hex, Buffer>
}

/** Transactions and what their receipts say, one by one. */
export interface BlockContents {
  transactions: readonly HashedDraft[]
  cumulativeGas: readonly number[]
  ownBlooms: readonly Buffer[]
}

export interface MadeHeader {
  hash: Hex
  contents: HeaderContents
  place: HeaderPlace
}

export const APPENDED: AppendedFields = 'all'
const TAIL = ',"uncles":[],"withdrawals":[]}'
const ROUTER_CALL = `0x3593564c${'00'.repeat(32)}${'0b000604'.padEnd(64, '0')}`
/** What an indexer of trades asks for, so that such a question is answered in one piece. */
const { transfer: _transfer, deposit: _deposit, withdrawal: _withdrawal, ...OF_POOLS } = TOPICS
const ASKED: ReadonlySet<Hex> = new Set(Object.values(OF_POOLS))

/** @param withReceipts whether its receipts are served beside its logs */
export function serialiseBlock(
  header: MadeHeader,
  contents: BlockContents,
  withReceipts: boolean,
  random: Random,
): MadeBlock {
  const { hash, place } = header
  const { number, timestamp } = place
  const { transactions } = contents
  const head = `${JSON.stringify({ hash, ...headerJson(header.contents, place, APPENDED), size: '0x1b2c3' }).slice(0, -1)},"transactions":`
  const at = `"blockNumber":"${quantity(number)}","blockHash":"${hash}"`
  const body = transactions.map((transaction, index) => transactionText(transaction, index, at, random))
  const texts = withReceipts ? receiptTexts(header, contents) : logTexts(header, contents)
  const text = Buffer.from(texts.text, 'latin1')
  return {
    number,
    hash,
    parentHash: `0x${Buffer.from(place.parentHash).toString('hex')}`,
    timestamp,
    head,
    transactionHashes: transactions.map((transaction) => transaction.hash),
    full: Buffer.from(`${head}[${body.join(',')}]${TAIL}`, 'latin1'),
    receipts: withReceipts ? text : null,
    logs: withReceipts ? null : text,
    places: texts.places,
    singleReceipts: withReceipts ? new Map() : singleReceipts(header, contents),
  }
}

/** The block as a node gives it when only hashes of transactions are asked for. */
export function headerText({ head, transactionHashes }: MadeBlock): string {
  return `${head}${JSON.stringify(transactionHashes)}${TAIL}`
}

interface PlacedText {
  text: string
  places: LogPlace[]
}

/** The logs that are asked for. */
function logTexts(header: MadeHeader, { transactions }: BlockContents): PlacedText {
  const texts: string[] = []
  const places: LogPlace[] = []
  let [start, logIndex] = [0, 0]
  transactions.forEach(({ hash, logs }, index) => {
    for (const log of logs) {
      const own = logIndex++
      const topic = log.topics[0] ?? '0x'
      if (!ASKED.has(topic)) continue
      const text = logText(log, { header, transactionHash: hash, index, logIndex: own })
      texts.push(text)
      places.push({ address: log.address, topic, start, end: start + text.length })
      start += text.length + 1
    }
  })
  return { text: texts.join(','), places }
}

/** The receipts, each for itself. */
function singleReceipts(header: MadeHeader, contents: BlockContents): Map<Hex, Buffer> {
  const receipts = new Map<Hex, Buffer>()
  let logIndex = 0
  contents.transactions.forEach(({ hash, logs }, index) => {
    const first = logIndex
    logIndex += logs.length
    const { opening, closing } = receiptFrame(header, contents, index)
    const texts = logs.map((log, i) => logText(log, { header, transactionHash: hash, index, logIndex: first + i }))
    receipts.set(hash, Buffer.from(`${opening}${texts.join(',')}${closing}`, 'latin1'))
  })
  return receipts
}

/** A receipt up to its logs, and from there on. */
function receiptFrame(header: MadeHeader, { transactions, cumulativeGas, ownBlooms }: BlockContents, index: number) {
  const transaction = transactions[index]
  if (transaction === undefined) throw new RangeError(`no transaction ${index}`)
  const { hash, from, to, type, gasUsed } = transaction
  const at = `"blockHash":"${header.hash}","blockNumber":"${quantity(header.place.number)}"`
  return {
    opening:
      `{${at},"contractAddress":null,"cumulativeGasUsed":"${quantity(cumulativeGas[index] ?? 0)}",` +
      `"effectiveGasPrice":"0x3b9aca00","from":"${from}","gasUsed":"${quantity(gasUsed)}","logs":[`,
    closing:
      `],"logsBloom":"0x${ownBlooms[index]?.toString('hex')}","status":"0x1","to":"${to}","transactionHash":"${hash}",` +
      `"transactionIndex":"${quantity(index)}","type":"${quantity(type)}"}`,
  }
}

/** The list of receipts, and every log in it. */
function receiptTexts(header: MadeHeader, contents: BlockContents): PlacedText {
  const places: LogPlace[] = []
  const parts: string[] = []
  let [length, logIndex] = [1, 0]
  const add = (text: string) => {
    parts.push(text)
    length += text.length
  }
  contents.transactions.forEach(({ hash, logs }, index) => {
    const { opening, closing } = receiptFrame(header, contents, index)
    add(`${index === 0 ? '' : ','}${opening}`)
    logs.forEach((log, i) => {
      if (i > 0) add(',')
      const start = length
      add(logText(log, { header, transactionHash: hash, index, logIndex: logIndex++ }))
      places.push({ address: log.address, topic: log.topics[0] ?? '0x', start, end: length })
    })
    add(closing)
  })
  return { text: `[${parts.join('')}]`, places }
}

function transactionText({ hash, from, to, value, type }: HashedDraft, index: number, at: string, random: Random) {
  return (
    `{${at},"from":"${from}","gas":"0x3d090","gasPrice":"0x2b5e3af16","maxFeePerGas":"0x4a817c800",` +
    `"maxPriorityFeePerGas":"0x59682f00","hash":"${hash}","input":"${ROUTER_CALL}${random.hex(24)}",` +
    `"nonce":"${quantity(random.below(9_999))}","to":"${to}",` +
    `"transactionIndex":"${quantity(index)}","value":"${quantity(value)}","type":"${quantity(type)}","accessList":[],"chainId":"0x1",` +
    `"v":"0x1","r":"0x${random.hex(8)}","s":"0x${random.hex(8)}","yParity":"0x1"}`
  )
}

interface LogOf {
  header: MadeHeader
  transactionHash: Hex
  index: number
  logIndex: number
}

function logText({ address, topics, data }: DraftLog, { header, transactionHash, index, logIndex }: LogOf): string {
  const { number, timestamp } = header.place
  return (
    `{"address":"${address}","topics":["${topics.join('","')}"],"data":"${data}","blockNumber":"${quantity(number)}",` +
    `"transactionHash":"${transactionHash}","transactionIndex":"${quantity(index)}","blockHash":"${header.hash}",` +
    `"blockTimestamp":"${quantity(timestamp)}","logIndex":"${quantity(logIndex)}","removed":false}`
  )
}

function quantity(number: number | bigint): Hex {
  return `0x${number.toString(16)}`
}
