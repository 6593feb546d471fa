import type { Address, Hex } from '@dexfeed/dex'
import { quantity } from '../abi.ts'
import { type BloomBits, joinBlooms } from '../commitments/bloom-bits.ts'
import type { DraftLog, DraftTransaction } from '../commitments/draft.ts'
import type { HeaderContents } from '../commitments/header.ts'
import type { Keccak } from '../commitments/keccak.ts'
import { listRoot } from '../commitments/list-root.ts'
import { encodeReceipt } from '../commitments/receipt.ts'
import { HoledText } from './holed-text.ts'

/** The place of a log in a text, and what a filter compares. */
export interface LogPlace {
  address: Address
  topic: Hex
  start: number
  end: number
}

/** The contents of a block as JSON, in the shape of geth. They do not depend on the block's place in the chain. */
export interface BlockBody {
  contents: HeaderContents
  transactionCount: number
  transactions: HoledText
  receipts: HoledText
  /** Where each transaction's receipt lies in that list's text. */
  receiptPlaces: readonly { start: number; end: number }[]
  /** Where each log lies in the receipts' text. */
  logs: readonly LogPlace[]
}

/** Fields of a transaction that nothing reads. They give a block its size. */
export interface Filler {
  input: string
  nonce: number
  r: string
  s: string
}

export interface BodyTools {
  chainId: number
  keccak: Keccak
  blooms: BloomBits
  /** Characters of a block's number. */
  numberWidth: number
  filler(draft: DraftTransaction, index: number, drafts: readonly DraftTransaction[]): Filler
}

/** Makes a block's texts and what its header commits to. */
export function makeBody(drafts: readonly DraftTransaction[], tools: BodyTools): BlockBody {
  const { keccak, blooms, numberWidth } = tools
  const ownBlooms = drafts.map(({ logs }) => blooms.of(logs))
  let gasUsed = 0
  const cumulative = drafts.map((draft) => {
    gasUsed += draft.gasUsed
    return gasUsed
  })
  const encoded = drafts.map((draft, i) => encodeReceipt(draft, cumulative[i] ?? 0, ownBlooms[i] ?? Buffer.alloc(0)))
  const contents = { receiptsRoot: listRoot(encoded, keccak), logsBloom: joinBlooms(ownBlooms), gasUsed }
  const receipts = new HoledText(numberWidth).add('[')
  const logs: LogPlace[] = []
  const receiptPlaces = drafts.map((draft, index) => {
    if (index > 0) receipts.add(',')
    const start = receipts.length
    const place = {
      index,
      cumulativeGas: cumulative[index] ?? 0,
      bloom: ownBlooms[index] ?? Buffer.alloc(0),
      firstLog: logs.length,
    }
    logs.push(...addReceipt(receipts, draft, place))
    return { start, end: receipts.length }
  })
  receipts.add(']').close()
  const transactions = transactionsText(drafts, tools)
  return { contents, transactionCount: drafts.length, transactions, receipts, receiptPlaces, logs }
}

function transactionsText(drafts: readonly DraftTransaction[], { chainId, numberWidth, filler }: BodyTools): HoledText {
  const text = new HoledText(numberWidth).add('[')
  drafts.forEach((draft, index) => {
    const { input, nonce, r, s } = filler(draft, index, drafts)
    const price =
      draft.type === 0
        ? '"gasPrice":"0x3b9aca00"'
        : '"gasPrice":"0x3b9aca00","maxFeePerGas":"0x77359400","maxPriorityFeePerGas":"0x3b9aca00","accessList":[],"yParity":"0x1"'
    text
      .add(`${index === 0 ? '' : ','}{"blockHash":"`)
      .hole('hash')
      .add('","blockNumber":"')
      .hole('number')
      .add(`","from":"${draft.from}","gas":"${quantity(2 * draft.gasUsed)}",${price},"hash":"`)
      .transactionHash(index)
      .add(
        `","input":"${input}","nonce":"${quantity(nonce)}","to":"${draft.to}","transactionIndex":"${quantity(index)}",` +
          `"value":"${quantity(draft.value)}","type":"${quantity(draft.type)}","chainId":"${quantity(chainId)}","v":"0x1",` +
          `"r":"0x${r}","s":"0x${s}"}`,
      )
  })
  return text.add(']').close()
}

interface ReceiptPlace {
  index: number
  cumulativeGas: number
  bloom: Buffer
  /** Index in the block of the transaction's first log. */
  firstLog: number
}

function addReceipt(
  text: HoledText,
  { from, to, type, gasUsed, succeeded, logs }: DraftTransaction,
  { index, cumulativeGas, bloom, firstLog }: ReceiptPlace,
): LogPlace[] {
  text.add('{"blockHash":"').hole('hash').add('","blockNumber":"').hole('number')
  text.add(
    `","contractAddress":null,"cumulativeGasUsed":"${quantity(cumulativeGas)}","effectiveGasPrice":"0x3b9aca00",` +
      `"from":"${from}","gasUsed":"${quantity(gasUsed)}","logs":[`,
  )
  const places = logs.map((log, i) => {
    if (i > 0) text.add(',')
    const start = text.length
    addLog(text, log, index, firstLog + i)
    return { address: log.address, topic: log.topics[0] ?? '0x', start, end: text.length }
  })
  text.add(
    `],"logsBloom":"0x${bloom.toString('hex')}","status":"${succeeded ? '0x1' : '0x0'}","to":"${to}","transactionHash":"`,
  )
  text.transactionHash(index).add(`","transactionIndex":"${quantity(index)}","type":"${quantity(type)}"}`)
  return places
}

function addLog(text: HoledText, { address, topics, data }: DraftLog, transaction: number, logIndex: number): void {
  text
    .add(`{"address":"${address}","topics":["${topics.join('","')}"],"data":"${data}","blockNumber":"`)
    .hole('number')
    .add('","transactionHash":"')
    .transactionHash(transaction)
    .add(`","transactionIndex":"${quantity(transaction)}","blockHash":"`)
    .hole('hash')
    .add('","blockTimestamp":"')
    .hole('time')
    .add(`","logIndex":"${quantity(logIndex)}","removed":false}`)
}

/** Returns the topics and addresses of a block's logs. */
export function occurringIn(logs: readonly LogPlace[]): { topics: ReadonlySet<Hex>; addresses: ReadonlySet<Address> } {
  return { topics: new Set(logs.map(({ topic }) => topic)), addresses: new Set(logs.map(({ address }) => address)) }
}
