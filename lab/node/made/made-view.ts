import { type Address, type Hex, NETWORKS } from '@dexfeed/dex'
import { headerJson } from '../../chain/commitments/header.ts'
import { MULTICALL3 } from '../../chain/contracts/aggregate3.ts'
import { type ContractSource, callOrRun } from '../../chain/contracts/call-contract.ts'
import type { MadeChain, MadeHeader } from '../../chain/made/made-chain.ts'
import { lookupKey, type MadePool, type MadeToken, pairKey } from '../../chain/made/market.ts'
import { type ChainView, type LogFilter, NodeError } from '../rpc/answer.ts'
import type { Piece } from '../rpc/serve.ts'

export type MadeView = ChainView<MadeHeader, readonly Piece[]>

export function madeView(chain: MadeChain, hasReceipts: boolean): MadeView {
  const { plan } = chain
  const contracts = contractsOf(chain)
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
    call: (call, block) => callOrRun(contracts, call, block),
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

function contractsOf(chain: MadeChain): ContractSource<MadePool, MadeHeader> {
  const { market } = chain
  const pools = new Map<Address, { pool: MadePool; born: number }>()
  const tokens = new Map<Address, MadeToken>()
  const created = new Map<string, Address>()
  const factories = new Set<Address>(Object.values(market.factories))
  const add = (pool: MadePool, born: number) => {
    const { address, token0, token1 } = pool
    pools.set(address, { pool, born })
    for (const token of [token0, token1]) tokens.set(token.address, token)
    created.set(lookupKey(pool), address)
  }
  for (const token of [market.wrappedNative, ...market.stablecoins]) tokens.set(token.address, token)
  for (const pool of market.pools) add(pool, 0)
  let added = 0
  const addLater = () => {
    const later = chain.later.until(chain.head)
    for (const { pool, born } of later.slice(added)) add(pool, born)
    added = later.length
  }
  const poolAt = (address: Address, { number }: MadeHeader) => {
    addLater()
    const found = pools.get(address)
    return found === undefined || found.born > number ? null : found.pool
  }
  return {
    pool: poolAt,
    token: (address) => {
      addLater()
      return tokens.get(address) ?? null
    },
    isFactory: (address) => factories.has(address),
    created: (factory, [a, b], fee, block) => {
      addLater()
      const address = created.get(pairKey(factory, a, b, fee))
      return address === undefined || poolAt(address, block) === null ? null : address
    },
    state: (pool, { number }) => chain.stateAt(pool, pools.get(pool.address)?.born ?? 0, number),
    ticks: ({ tickSpacing, ticks }) => (tickSpacing === null ? null : ticks),
  }
}
