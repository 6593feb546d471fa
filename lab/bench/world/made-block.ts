import type { Random } from '@dexfeed/devnet'
import type { BlockHeader, Hex } from '@dexfeed/dex'
import { hexOf, quantity, TOPICS } from '@dexfeed/fake-node/abi'
import { type BodyTools, makeBody } from '@dexfeed/fake-node/blocks/body'
import { type AppendedFields, headerHash, headerJson } from '@dexfeed/fake-node/commitments/header'
import type { LogPlace } from '@dexfeed/fake-node/rpc/find-logs'
import type { HashedDraft } from './draft-block.ts'
import { hexDigits } from './hex-digits.ts'

/** A block as JSON, in the shape of geth. */
export interface MadeBlock extends BlockHeader {
  /** Up to the value of `transactions`. */
  head: string
  transactionHashes: readonly Hex[]
  /** The whole object with all its transactions. */
  full: Buffer
  /** The list of its receipts. */
  receipts: Buffer
  receiptPlaces: readonly { start: number; end: number }[]
  /** Where logs lie in the receipts: all of them, or those of `poolLogs`. */
  places: readonly LogPlace[]
  /** Logs of pools and factories as one text; null: receipts of whole blocks are served instead. */
  poolLogs: Buffer | null
}

const APPENDED: AppendedFields = 'all'
const TAIL = ',"uncles":[],"withdrawals":[]}'
const ROUTER_CALL = `0x3593564c${'00'.repeat(32)}${'0b000604'.padEnd(64, '0')}`
/** The topics that an indexer of trades requests; the reply to such a request is one piece. */
const { transfer: _transfer, approval: _approval, deposit: _deposit, withdrawal: _withdrawal, ...OF_POOLS } = TOPICS
const POOL_TOPICS: ReadonlySet<Hex> = new Set(Object.values(OF_POOLS))

/** Makes a block after another one. @param hasReceipts whether receipts of whole blocks are served, or logs alone */
export function makeBlock(
  { parentHash, ...place }: { number: number; parentHash: Hex; timestamp: number },
  transactions: readonly HashedDraft[],
  tools: Omit<BodyTools, 'numberWidth' | 'filler'>,
  { hasReceipts, random }: { hasReceipts: boolean; random: Random },
): MadeBlock {
  const roots = [hexDigits(random, 8), hexDigits(random, 8)].map((digits) => Buffer.from(digits, 'hex'))
  const [stateRoot = NO_ROOT, transactionsRoot = NO_ROOT] = roots
  const { number, timestamp } = place
  const body = makeBody(transactions, {
    ...tools,
    numberWidth: quantity(number).length,
    filler: () => ({
      input: `${ROUTER_CALL}${hexDigits(random, 24)}`,
      nonce: random.integer(9_999),
      r: hexDigits(random, 8),
      s: hexDigits(random, 8),
    }),
  })
  const header = { ...place, parentHash: Buffer.from(parentHash.slice(2), 'hex'), stateRoot, transactionsRoot }
  const hash = hexOf(headerHash(body.contents, header, APPENDED, tools.keccak))
  const fields = JSON.stringify({ hash, ...headerJson(body.contents, header, APPENDED), size: '0x1b2c3' })
  const head = `${fields.slice(0, -1)},"transactions":`
  const transactionHashes = transactions.map((transaction) => transaction.hash)
  const filling = { number: quantity(number), time: quantity(timestamp), hash, transactionHashes }
  const receipts = body.receipts.fill(filling)
  const places = hasReceipts ? body.logs : body.logs.filter(({ topic }) => POOL_TOPICS.has(topic))
  const texts = places.map(({ start, end }) => receipts.toString('latin1', start, end))
  return {
    ...{ number, hash, parentHash, timestamp, head, transactionHashes, receipts, places },
    full: Buffer.concat([Buffer.from(head, 'latin1'), body.transactions.fill(filling), Buffer.from(TAIL, 'latin1')]),
    receiptPlaces: body.receiptPlaces,
    poolLogs: hasReceipts ? null : Buffer.from(texts.join(','), 'latin1'),
  }
}

const NO_ROOT = Buffer.alloc(32)

/** Returns the block as a node shows it with hashes of transactions only. */
export function headerText({ head, transactionHashes }: MadeBlock): string {
  return `${head}${JSON.stringify(transactionHashes)}${TAIL}`
}
