import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { openChain } from '@dexfeed/chain'
import { type Address, builtInDeployments, emittersOf, type Hex, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { openExplainer } from '@dexfeed/indexer/explain-transactions'
import { openNetworkContext } from '@dexfeed/indexer/network-context'
import { watchedTopics } from '@dexfeed/indexer/process-blocks'
import { answer, NodeError } from '@dexfeed/lab/node/rpc/answer'
import { listView } from '@dexfeed/lab/node/rpc/list-view'
import { bodyOf, sendJson, serveRpc } from '@dexfeed/lab/node/rpc/serve'
import { onTestFinished } from 'vitest'
import type { RecordedBlock, RecordedTransaction, Recording } from './recording.ts'

export function readRecording(network: NetworkName): Recording {
  const file = fileURLToPath(new URL(`recorded/${network}.json.gz`, import.meta.url))
  return JSON.parse(gunzipSync(readFileSync(file)).toString()) as Recording
}

/** Returns the URL of a node that serves only this recording. */
export async function serveRecording(recording: Recording): Promise<string> {
  const server = await serveRpc({
    onRequest(messages, isBatch, response) {
      const pieces = bodyOf(messages, isBatch, ({ method, params = [] }) => [
        JSON.stringify(resultOf(recording, method, params)),
      ])
      sendJson(response, pieces)
    },
    onMessage: () => null,
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

function resultOf({ network, blocks, calls }: Recording, method: string, params: readonly unknown[]): unknown {
  const [first] = params
  if (method === 'eth_call') {
    const { to, data } = first as { to: Address; data: Hex }
    const result = calls[to]?.[data]
    if (result === undefined) throw new NodeError(3, 'execution reverted')
    return result
  }
  if (method === 'eth_getTransactionByHash') {
    const isAsked = ({ hash }: RecordedTransaction) => hash === first
    const block = blocks.find(({ transactions }) => transactions.some(isAsked))
    const transaction = block?.transactions.find(isAsked)
    return block === undefined || transaction === undefined ? null : shownTransaction(transaction, block)
  }
  const view = listView<RecordedBlock, RecordedTransaction>({
    chainId: NETWORKS[network].chainId,
    blocks,
    finalized: Number.NaN,
    showBlock: shownBlock,
    showReceipt: (block, transaction) => shownReceipt(transaction, block),
    logsOf: (block) => block.transactions.flatMap((transaction) => shownLogs(transaction, block)),
  })
  return answer(view, method, params)
}

function shownBlock(block: RecordedBlock, full: boolean) {
  const { number, hash, parentHash, timestamp, transactions, appended } = block
  return {
    number: quantity(number),
    hash,
    parentHash,
    timestamp: quantity(timestamp),
    ...appended,
    transactions: full
      ? transactions.map((each) => shownTransaction(each, block))
      : transactions.map((each) => each.hash),
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

function quantity(value: number): Hex {
  return `0x${value.toString(16)}`
}
