import type { Address, Hex } from '@dexfeed/dex'
import { type BloomBits, joinBlooms } from '@dexfeed/fake-node/commitments/bloom-bits'
import type { DraftLog, DraftTransaction } from '@dexfeed/fake-node/commitments/draft'
import { type HeaderContents, HeaderHasher } from '@dexfeed/fake-node/commitments/header'
import type { Keccak } from '@dexfeed/fake-node/commitments/keccak'
import { listRoot } from '@dexfeed/fake-node/commitments/list-root'
import { encodeReceipt } from '@dexfeed/fake-node/commitments/receipt'
import type { NetworkShape } from '../../presets.ts'
import { HoledText } from './holed-text.ts'

/** What a block holds, wherever it stands in the chain. */
export interface BlockBody {
  contents: HeaderContents
  hasher: HeaderHasher
  transactionCount: number
  /** The list of transactions, as a block shows them that is asked for with them. */
  transactions: HoledText
  /** The list of receipts. */
  receipts: HoledText
  /** Where each transaction's receipt lies in that list's text. */
  receiptPlaces: readonly { start: number; end: number }[]
  /** Where each log lies in the receipts' text, and what a filter looks at. */
  logs: readonly LogPlace[]
  topics: ReadonlySet<Hex>
  addresses: ReadonlySet<Address>
}

export interface LogPlace {
  address: Address
  topic: Hex
  start: number
  end: number
}

export interface BodyTools {
  shape: NetworkShape
  chainId: number
  keccak: Keccak
  blooms: BloomBits
  /** Characters of a block's number. */
  numberWidth: number
}

/** Around what a block shows beside its transactions. */
const HEADER_BYTES = 2_100
const TRANSACTION_BYTES = 690
/** Call data begins with a selector, and goes on in words. */
const CALL = '3593564c'

/** Makes a block's texts and what its header commits to. */
export function makeBody(drafts: readonly DraftTransaction[], tools: BodyTools): BlockBody {
  const { shape, keccak, blooms, numberWidth } = tools
  const ownBlooms = drafts.map(({ logs }) => blooms.of(logs))
  let gasUsed = 0
  const cumulative = drafts.map((draft) => {
    gasUsed += draft.gasUsed
    return gasUsed
  })
  const encoded = drafts.map((draft, i) => encodeReceipt(draft, cumulative[i] ?? 0, ownBlooms[i] ?? Buffer.alloc(0)))
  const contents = { receiptsRoot: listRoot(encoded, keccak), logsBloom: joinBlooms(ownBlooms), gasUsed }
  const transactions = transactionsText(drafts, tools)
  const receipts = new HoledText(numberWidth).add('[')
  const logs: LogPlace[] = []
  const receiptPlaces = drafts.map((draft, index) => {
    if (index > 0) receipts.add(',')
    const start = receipts.length
    const of = {
      index,
      cumulativeGas: cumulative[index] ?? 0,
      bloom: ownBlooms[index] ?? Buffer.alloc(0),
      firstLog: logs.length,
    }
    logs.push(...addReceipt(receipts, draft, of))
    return { start, end: receipts.length }
  })
  receipts.add(']').close()
  return {
    contents,
    hasher: new HeaderHasher(contents, shape.appended, keccak),
    transactionCount: drafts.length,
    transactions,
    receipts,
    receiptPlaces,
    logs,
    topics: new Set(logs.map(({ topic }) => topic)),
    addresses: new Set(logs.map(({ address }) => address)),
  }
}

function transactionsText(drafts: readonly DraftTransaction[], { shape, chainId, numberWidth }: BodyTools): HoledText {
  const text = new HoledText(numberWidth).add('[')
  const spare = Math.max(0, shape.blockBytes - HEADER_BYTES - drafts.length * TRANSACTION_BYTES)
  // Plain payments carry no call data; what is left makes the block as long as the shape says.
  const called = Math.max(1, drafts.filter(({ logs }) => logs.length > 0).length)
  const words = Math.floor(spare / called / 64)
  drafts.forEach((draft, index) => {
    const input = draft.logs.length === 0 ? '0x' : `0x${CALL}${'5a'.repeat(32 * words)}`
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
        `","input":"${input}","nonce":"${quantity(index + 7)}","to":"${draft.to}","transactionIndex":"${quantity(index)}",` +
          `"value":"${quantity(draft.value)}","type":"${quantity(draft.type)}","chainId":"${quantity(chainId)}","v":"0x1",` +
          `"r":"0x${'7d'.repeat(32)}","s":"0x${'3c'.repeat(32)}"}`,
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

export function quantity(number: number | bigint): Hex {
  return `0x${number.toString(16)}`
}
