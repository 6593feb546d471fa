import { type Hex, NETWORKS } from '@dexfeed/dex'
import { headerJson } from '../../chain/commitments/header.ts'
import { callOrRun, MULTICALL3 } from '../../chain/contracts/call-contract.ts'
import type { MadeChain, MadeHeader } from '../../chain/made/made-chain.ts'
import { type ChainView, type LogFilter, NodeError } from '../rpc/answer.ts'
import type { Piece } from '../rpc/serve.ts'

export type MadeView = ChainView<MadeHeader, readonly Piece[]>

export function madeView(chain: MadeChain, hasReceipts: boolean): MadeView {
  const { plan } = chain
  const { market } = chain
  return {
    chainId: NETWORKS[plan.network].chainId,
    get head() {
      return chain.head
    },
    get finalized() {
      return chain.head - plan.shape.finalityLag
    },
    at: (number) => (Number.isInteger(number) ? chain.headerAt(number) : null),
    byHash: (hash) => {
      const number = chain.numberOf(hash)
      return number === null ? null : chain.headerAt(number)
    },
    json: (value) => [JSON.stringify(value)],
    block: (block, full) => blockPieces(chain, block, full),
    receipts: hasReceipts ? (block) => [listOf(chain, block, 'receipt')] : null,
    receipt: (hash) => {
      const found = chain.placeOfTransaction(hash)
      const block = found === null ? null : chain.headerAt(found.number)
      if (found === null || block === null) return ['null']
      return [block.body.transactions[found.index]?.receipt.fill(chain.placesIn(block)(found.index)) ?? 'null']
    },
    logs: (filter) => findLogs(chain, filter),
    code: (address) => (address === MULTICALL3 ? '0x60' : '0x'),
    call: (call, { number }) => callOrRun({ market, stateOf: (pool) => chain.stateOf(pool, number) }, call),
  }
}

function blockPieces(chain: MadeChain, block: MadeHeader, full: boolean): readonly Piece[] {
  const head = headText(chain, block).slice(0, -1)
  const hashes = block.body.transactions.map((_, index) => chain.transactionHash(block.number, index))
  const transactions = full ? listOf(chain, block, 'transaction') : JSON.stringify(hashes)
  const withdrawals = chain.plan.shape.appended === 'all' ? ',"withdrawals":[]' : ''
  return [`${head},"size":"0x2b2c3","uncles":[]${withdrawals},"transactions":`, transactions, '}']
}

/** Fills one buffer, because one for each transaction would cost several times the CPU time. */
function listOf(chain: MadeChain, block: MadeHeader, what: 'transaction' | 'receipt'): Piece {
  const texts = block.body.transactions.map((transaction) => transaction[what])
  if (texts.length === 0) return '[]'
  const placeOf = chain.placesIn(block)
  const list = Buffer.allocUnsafe(texts.reduce((sum, { length }) => sum + length + 1, 1))
  let end = 0
  for (const [index, text] of texts.entries()) {
    list.write(index === 0 ? '[' : ',', end)
    text.fillInto(list, end + 1, placeOf(index))
    end += text.length + 1
  }
  list.write(']', end)
  return list
}

export function headText(chain: MadeChain, { hash, body, ...place }: MadeHeader): string {
  return JSON.stringify({ hash, ...headerJson(body.contents, place, chain.plan.shape.appended) })
}

/** @throws NodeError if the range or the number of logs exceeds its limit */
function findLogs(chain: MadeChain, filter: LogFilter): Piece[] {
  const { rangeCap, logCap } = chain.plan.shape
  const topics = setOf(filter.topics?.[0])
  const addresses = setOf(filter.address)
  const [from, to] = rangeOf(chain, filter)
  if (to - from >= rangeCap) throw new NodeError(-32000, `exceed maximum block range: ${rangeCap}`)
  const found: Piece[] = []
  for (let number = from; number <= to; number++) {
    const body = chain.bodyAt(number)
    if (!occurs(topics, body.topics) || !occurs(addresses, body.addresses)) continue
    const block = chain.headerAt(number)
    if (block === null) continue
    const placeOf = chain.placesIn(block)
    for (const [index, { receipt, logs }] of body.transactions.entries()) {
      const wanted = logs.filter(
        ({ topic, address }) => topics?.has(topic) !== false && addresses?.has(address) !== false,
      )
      if (wanted.length === 0) continue
      const text = receipt.fill(placeOf(index))
      found.push(...wanted.map(({ start, end }) => text.subarray(start, end)))
    }
    if (found.length > logCap) {
      const range = `[0x${from.toString(16)}, 0x${Math.max(from, number - 1).toString(16)}]`
      throw new NodeError(-32005, `query returned more than ${logCap} results. Try with this block range ${range}.`)
    }
  }
  return ['[', ...found.flatMap((log, i) => (i === 0 ? [log] : [',', log])), ']']
}

function rangeOf(chain: MadeChain, { fromBlock, toBlock, blockHash }: LogFilter): [from: number, to: number] {
  if (blockHash === undefined) return [Number(fromBlock), Math.min(Number(toBlock), chain.head)]
  const number = chain.numberOf(blockHash)
  if (number === null) throw new NodeError(-32000, 'unknown block')
  return [number, number]
}

function setOf<T extends Hex>(values: readonly T[] | T | null | undefined): ReadonlySet<Hex> | null {
  if (values === undefined || values === null || values.length === 0) return null
  return new Set((typeof values === 'string' ? [values] : values).map((value) => value.toLowerCase() as Hex))
}

function occurs(wanted: ReadonlySet<Hex> | null, occurring: ReadonlySet<Hex>): boolean {
  return wanted === null || [...wanted].some((value) => occurring.has(value))
}
