import type { Hex } from '@dexfeed/dex'
import { startAnvil } from '@dexfeed/dex/test/local-chain'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { ChainOptions } from '../src/chain.ts'
import { BlocksUnavailable } from '../src/errors/chain-error.ts'
import { asUnproven, client, failure } from './scene.ts'

/**
 * Emits `LOG1(calldata[32:], topic = calldata[0:32])` and returns its calldata:
 * CALLDATASIZE PUSH0 PUSH0 CALLDATACOPY, PUSH0 MLOAD PUSH1 32 CALLDATASIZE SUB PUSH1 32 LOG1, CALLDATASIZE PUSH0 RETURN
 */
const EMITTER = '365f5f375f51602036036020a1365ff3'
const DEPLOY_EMITTER = `0x6${(EMITTER.length / 2 - 1).toString(16)}${EMITTER}5f52601060${(32 - EMITTER.length / 2).toString(16)}f3`
const TOPIC: Hex = `0x${'a1'.repeat(32)}`
const OTHER_TOPIC: Hex = `0x${'b2'.repeat(32)}`

let url = ''
let stop = async (): Promise<void> => undefined

async function rpc<T>(method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } }
  if (error) throw new Error(error.message)
  return result
}

let sender: Hex
let emitter: Hex

async function emit(topic: Hex, data: string): Promise<Hex> {
  return rpc('eth_sendTransaction', { from: sender, to: emitter, data: topic + data, value: '0x0' })
}

beforeAll(async () => {
  const node = await startAnvil(['--chain-id', '137', '--no-mining', '--hardfork', 'prague'])
  url = node.url
  stop = node.stop
  expect(await rpc('web3_clientVersion')).toMatch(/^anvil/)
})
afterAll(() => stop())

beforeEach(async () => {
  const [first] = await rpc<Hex[]>('eth_accounts')
  if (!first) throw new Error('no account')
  sender = first
  const hash = await rpc<Hex>('eth_sendTransaction', { from: sender, data: DEPLOY_EMITTER })
  await rpc('anvil_mine', '0x1')
  emitter = (await rpc<{ contractAddress: Hex }>('eth_getTransactionReceipt', hash)).contractAddress
})

const reader = (options: Partial<ChainOptions> = {}) =>
  client([url, url.replace('http', 'ws')], { network: 'polygon', topics: [TOPIC], ...options }).chain

/** Mines a block with two logs of our topic and one of another, then a few empty blocks. */
async function mineEvents(): Promise<number> {
  await emit(TOPIC, '01')
  await emit(OTHER_TOPIC, '02')
  await emit(TOPIC, '03')
  await rpc('anvil_mine', '0x1')
  const number = Number(await rpc('eth_blockNumber'))
  await rpc('anvil_mine', '0x3')
  return number
}

it('reads a real node by range and, proven, block by block to the same blocks', async () => {
  const read: string[] = []
  const chain = reader({ onRead: (blocks, how) => read.push(`${blocks} ${how}`), proveHistory: 0 })
  expect(await chain.verifyChainId()).toEqual({ responding: 1, down: [] })
  const number = await mineEvents()
  const head = await chain.head()
  expect(head.number).toBe(number + 3)
  const range = await chain.readRange(number - 1, number + 2)
  const blocks = await chain.readBlocks(number - 1, number + 2)
  expect(read).toEqual(['4 unproven', '4 proven'])
  expect(range.blocks).toEqual(asUnproven(blocks.filter((block) => block.number !== number + 1)))
  let turns = 0
  const proving = reader({ bulkTurn: async () => void turns++ })
  expect(asUnproven((await proving.readRange(number - 1, number + 2)).blocks)).toEqual(range.blocks)
  // A turn is taken before each request, and between two blocks that are proven.
  expect(turns).toBeGreaterThanOrEqual(4)
  expect(blocks.map(({ logs }) => logs.map(({ data }) => data))).toEqual([[], ['0x01', '0x03'], [], []])
  const [, withLogs] = blocks
  expect([...(withLogs?.transactions.values() ?? [])].map(({ from }) => from)).toEqual([sender, sender])
  expect(await chain.header(number)).toEqual({
    number,
    hash: withLogs?.hash,
    parentHash: withLogs?.parentHash,
    timestamp: withLogs?.timestamp,
  })
  const logs = await chain.logsOf({ addresses: [emitter], topics: [OTHER_TOPIC], from: 0, to: head.number })
  expect(logs.map(({ data, blockNumber }) => [data, blockNumber])).toEqual([['0x02', number]])
  const [hash, blockHash] = [logs[0]?.transactionHash ?? '0x', logs[0]?.blockHash ?? '0x']
  const [receipt] = await chain.transactionLogs([{ hash, blockHash }])
  expect(receipt?.map(({ data }) => data)).toEqual(['0x02'])
  const [mined, unknown] = await chain.transactions([hash, `0x${'99'.repeat(32)}`])
  expect(mined).toMatchObject({
    transaction: { hash, from: sender },
    block: { number },
    succeeded: true,
    logs: receipt,
  })
  expect(unknown).toBeNull()
})

it('reports what the node does not have', async () => {
  const chain = reader()
  const { number } = await chain.head()
  expect(await chain.header(number + 5)).toBeNull()
  expect(await failure(chain.readRange(number, number + 5))).toBeInstanceOf(BlocksUnavailable)
  expect(await failure(chain.readBlocks(number, number + 5))).toBeInstanceOf(BlocksUnavailable)
  expect(await failure(chain.callMany([{ to: emitter, data: TOPIC }], `0x${'99'.repeat(32)}`))).toBeInstanceOf(
    BlocksUnavailable,
  )
  const nothing = { hash: `0x${'99'.repeat(32)}`, blockHash: `0x${'99'.repeat(32)}` } as const
  expect(await failure(chain.transactionLogs([nothing]))).toBeInstanceOf(BlocksUnavailable)
  expect(await chain.transactions([nothing.hash])).toEqual([null])
  expect(await chain.finalized()).toBeLessThanOrEqual(number)
})

it('calls by hash', async () => {
  const chain = reader()
  const head = await chain.head()
  const calls = [
    { to: emitter, data: TOPIC },
    { to: sender, data: TOPIC },
    { to: emitter, data: '0x01' as const },
  ]
  // The contract returns a word, an account nothing. The last call runs out of memory, because its data is shorter than
  // the topic.
  expect(await chain.callMany(calls, head.hash)).toEqual([TOPIC, null, null])
  expect(await chain.callMany(calls, 'latest')).toEqual([TOPIC, null, null])
})

it('reads the branch that won', async () => {
  const chain = reader()
  const number = await mineEvents()
  const before = await chain.readBlocks(number - 1, number + 3)
  await rpc('anvil_reorg', 4, [])
  const after = await chain.readBlocks(number - 1, number + 3)
  expect(after[0]?.hash).toBe(before[0]?.hash)
  expect(after[1]?.hash).not.toBe(before[1]?.hash)
  expect(after.map(({ logs }) => logs.length)).toEqual([0, 0, 0, 0, 0])
  expect(await failure(chain.callMany([{ to: emitter, data: TOPIC }], before[1]?.hash ?? '0x'))).toBeInstanceOf(
    BlocksUnavailable,
  )
})

it('is woken by the socket, and by polling alone', async () => {
  for (const urls of [[url, url.replace('http', 'ws')], [url]]) {
    const { chain } = client(urls, { network: 'polygon' })
    let wakes = 0
    chain.onHead(() => wakes++)
    await expect.poll(() => wakes).toBeGreaterThan(0)
    for (let i = 0; i < 3; i++) {
      const before = wakes
      await rpc('anvil_mine', '0x1')
      await expect.poll(() => wakes).toBeGreaterThan(before)
    }
    await chain.close()
  }
})
