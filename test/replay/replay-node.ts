import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { openChain } from '@dexfeed/chain'
import { type Address, builtInDeployments, emittersOf, type Hex, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { openExplainer } from '@dexfeed/indexer/explain-transactions'
import { openNetworkContext } from '@dexfeed/indexer/network-context'
import { watchedTopics } from '@dexfeed/indexer/process-blocks'
import { serveHttp } from '@dexfeed/lab/node/rpc/serve'
import { onTestFinished } from 'vitest'
import { derivedCalls } from './derived-calls.ts'
import type { RecordedBlock, RecordedTransaction, Recording } from './recording.ts'

export function readRecording(network: NetworkName): Recording {
  const file = fileURLToPath(new URL(`recorded/${network}.json.gz`, import.meta.url))
  const recording = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Recording
  return { ...recording, calls: mergeCalls(derivedCalls(recording), recording.calls) }
}

function mergeCalls(first: Recording['calls'], second: Recording['calls']): Recording['calls'] {
  const of = new Set([...Object.keys(first), ...Object.keys(second)] as Address[])
  return Object.fromEntries([...of].map((to) => [to, { ...first[to], ...second[to] }]))
}

/** Returns the URL of a node that serves only this recording. */
export async function serveRecording(recording: Recording): Promise<string> {
  const server = await serveHttp((text, _, response) => {
    const body = JSON.parse(text) as RpcRequest | RpcRequest[]
    const reply = Array.isArray(body)
      ? body.map((rpcRequest) => replyTo(recording, rpcRequest))
      : replyTo(recording, body)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  })
  onTestFinished(() => server.close())
  return server.url
}

const none = () => undefined
const SILENT = { trace: none, debug: none, info: none, warn: none, error: none, fatal: none }
const NO_STORE = { loadPools: async () => [], loadTokens: async () => [] }

export async function openReplay(recording: Recording) {
  const { network, blocks } = recording
  const deployment = builtInDeployments[network]
  const watched = { topics: watchedTopics(deployment), emitters: emittersOf(deployment.dexes) }
  const chain = openChain({ network, urls: [await serveRecording(recording)], pollMs: 1_000, log: SILENT, ...watched })
  onTestFinished(() => chain.close())
  return {
    /** Explains transactions, by default all. Those without an explanation are left out. */
    async explain(hashes = blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash))) {
      const explained = []
      const explainer = await openExplainer(chain, deployment)
      for await (const each of explainer.explain(hashes)) if ('trades' in each) explained.push(each)
      return explained
    },
    /** Indexes blocks, by default all. Trades have no prices, because the day before is not recorded. */
    async index(numbers = blocks.map(({ number }) => number)) {
      const { processor, emptyBook } = await openNetworkContext(chain, NO_STORE, deployment)
      const trades = []
      for (const number of numbers) {
        const read = await chain.readBlocks(number, number)
        trades.push(...(await processor.process(read, emptyBook(), 'latest')).trades)
      }
      return trades
    },
  }
}

interface RpcRequest {
  id: number
  method: string
  params: [never, never]
}

const NOT_SERVED = Symbol('no such method')

function replyTo(recording: Recording, { id, method, params }: RpcRequest): unknown {
  const result = resultOf(recording, method, params)
  if (result === NOT_SERVED) {
    return { jsonrpc: '2.0', id, error: { code: -32601, message: `the method ${method} does not exist` } }
  }
  return result === undefined
    ? { jsonrpc: '2.0', id, error: { code: 3, message: 'execution reverted' } }
    : { jsonrpc: '2.0', id, result }
}

function resultOf({ network, blocks, calls }: Recording, method: string, params: readonly unknown[]): unknown {
  const [first, second] = params
  switch (method) {
    case 'eth_chainId':
      return quantity(NETWORKS[network].chainId)
    case 'eth_getCode':
      return '0x'
    case 'eth_getBlockByNumber':
      return shownBlock(
        first === 'latest' ? blocks.at(-1) : blocks.find(({ number }) => number === Number(first)),
        second,
      )
    case 'eth_getTransactionByHash':
      return found(blocks, first, (transaction, block) => shownTransaction(transaction, block))
    case 'eth_getTransactionReceipt':
      return found(blocks, first, shownReceipt)
    case 'eth_getLogs':
      return findLogs(blocks, first as LogsFilter)
    case 'eth_call': {
      const { to, data } = first as { to: Address; data: Hex }
      return calls[to]?.[data]
    }
    default:
      return NOT_SERVED
  }
}

function found<T>(
  blocks: readonly RecordedBlock[],
  hash: unknown,
  show: (transaction: RecordedTransaction, block: RecordedBlock) => T,
): T | null {
  for (const block of blocks) {
    const transaction = block.transactions.find((recordedTransaction) => recordedTransaction.hash === hash)
    if (transaction) return show(transaction, block)
  }
  return null
}

function shownBlock(block: RecordedBlock | undefined, full: unknown): unknown {
  if (block === undefined) return null
  const { number, hash, parentHash, timestamp, transactions, appended } = block
  return {
    number: quantity(number),
    hash,
    parentHash,
    timestamp: quantity(timestamp),
    ...appended,
    transactions: transactions.map((recordedTransaction) =>
      full === true ? shownTransaction(recordedTransaction, block) : recordedTransaction.hash,
    ),
  }
}

function shownTransaction({ hash, from, to, value, index }: RecordedTransaction, block: RecordedBlock) {
  const place = { blockHash: block.hash, blockNumber: quantity(block.number), transactionIndex: quantity(index) }
  return { hash, from, to, value, ...place, type: '0x2' }
}

function shownReceipt(transaction: RecordedTransaction, block: RecordedBlock) {
  const { hash, index, status } = transaction
  return {
    transactionHash: hash,
    transactionIndex: quantity(index),
    blockHash: block.hash,
    blockNumber: quantity(block.number),
    status: quantity(status),
    logs: shownLogs(transaction, block),
  }
}

function shownLogs({ hash, index: transactionIndex, logs }: RecordedTransaction, block: RecordedBlock) {
  return logs.map(({ address, topics, data, index }) => ({
    address,
    topics,
    data,
    blockHash: block.hash,
    blockNumber: quantity(block.number),
    transactionHash: hash,
    transactionIndex: quantity(transactionIndex),
    logIndex: quantity(index),
    removed: false,
  }))
}

interface LogsFilter {
  fromBlock?: Hex
  toBlock?: Hex
  blockHash?: Hex
  topics?: readonly (readonly Hex[])[]
  address?: readonly Address[]
}

function findLogs(blocks: readonly RecordedBlock[], { fromBlock, toBlock, blockHash, topics, address }: LogsFilter) {
  return blocks
    .filter(({ number, hash }) =>
      blockHash === undefined ? number >= Number(fromBlock) && number <= Number(toBlock) : hash === blockHash,
    )
    .flatMap((block) => block.transactions.flatMap((transaction) => shownLogs(transaction, block)))
    .filter((log) => address === undefined || address.includes(log.address))
    .filter((log) => topics?.[0] === undefined || topics[0].includes(log.topics[0] ?? '0x'))
}

function quantity(value: number): Hex {
  return `0x${value.toString(16)}`
}
