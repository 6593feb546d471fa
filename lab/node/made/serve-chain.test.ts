import { expect, it, onTestFinished } from 'vitest'
import { quantity, TOPICS } from '../../chain/abi.ts'
import { loadKeccak } from '../../chain/commitments/keccak.ts'
import { MadeChain } from '../../chain/made/made-chain.ts'
import { PRESETS } from '../../chain/made/shapes.ts'
import { NO_LIMIT } from '../rpc/budget.ts'
import { serveChain } from './serve-chain.ts'

const SHAPE = {
  ...PRESETS.polygon,
  transactions: 8,
  swaps: 5,
  logs: 30,
  pools: 16,
  cycle: 16,
  logCap: 100,
  rangeCap: 40,
}

async function startNode({ budget = NO_LIMIT } = {}) {
  const plan = { network: 'polygon', seed: 1, shape: SHAPE, history: 60 } as const
  const network = new MadeChain(plan, await loadKeccak())
  network.link(1_790_000_000)
  const node = await serveChain(network, { budget, latencyMs: 0, receipts: true })
  onTestFinished(() => node.close())
  const post = (body: unknown) => fetch(node.httpUrl, { method: 'POST', body: JSON.stringify(body) })
  const request = async (method: string, ...params: unknown[]) =>
    (await post({ jsonrpc: '2.0', id: 1, method, params })).json() as Promise<{
      result?: unknown
      error?: { message: string }
    }>
  return { network, node, post, request }
}

const REQUEST = { jsonrpc: '2.0', id: 7, method: 'eth_blockNumber', params: [] }

it('refuses a batch of too many items as a whole, with a time to retry, and counts the refused items', async () => {
  const { node, post } = await startNode({ budget: { rate: 0.001, burst: 3, refusal: 'http' } })
  const refused = await post(Array(4).fill(REQUEST))
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  expect((await post(Array(3).fill(REQUEST))).status).toBe(200)
  expect((await post(REQUEST)).status).toBe(429)
  expect(node.usage.head).toMatchObject({ methods: { eth_blockNumber: 3 }, refused: 5 })
})

it('refuses item by item if the budget says so', async () => {
  const { node, post } = await startNode({ budget: { rate: 0.001, burst: 3, refusal: 'item' } })
  const response = await post(Array(5).fill(REQUEST))
  expect(response.status).toBe(200)
  const replies = (await response.json()) as { id: number; error?: { code: number } }[]
  expect(replies.map(({ id, error }) => [id, error?.code])).toEqual([
    ...Array(3).fill([7, undefined]),
    ...Array(2).fill([7, 429]),
  ])
  expect(node.usage.head.refused).toBe(2)
})

it('counts requests by their purpose', async () => {
  const { network, node, request } = await startNode()
  network.extend()
  const { head, firstHead } = network
  await request('eth_getBlockByNumber', 'latest', false)
  await request('eth_getBlockReceipts', quantity(head))
  await request('eth_getBlockByNumber', quantity(firstHead), true)
  await request('eth_getLogs', {
    fromBlock: quantity(firstHead - 3),
    toBlock: quantity(firstHead),
    topics: [[TOPICS.sync]],
  })
  await request('eth_call', { to: network.market.pools[0]?.address, data: '0xc45a0155' }, 'latest')
  await request('eth_chainId')
  expect(node.usage.head.methods).toEqual({ eth_getBlockByNumber: 1, eth_getBlockReceipts: 1 })
  expect(node.usage.history.methods).toEqual({ eth_getBlockByNumber: 1, eth_getLogs: 1 })
  expect(node.usage.state.methods).toEqual({ eth_call: 1 })
  expect(node.usage.other.methods).toEqual({ eth_chainId: 1 })
  expect(node.usage.head.bytes).toBeGreaterThan(10_000)
})

it('refuses too many blocks and too many logs in one request, and names a range that works', async () => {
  const { network, request } = await startNode()
  const { firstHead } = network
  const logs = (from: number, to: number) =>
    request('eth_getLogs', { fromBlock: quantity(from), toBlock: quantity(to) })
  expect((await logs(firstHead - 40, firstHead)).error?.message).toContain('block range: 40')
  const message = (await logs(firstHead - 10, firstHead)).error?.message ?? ''
  const [, from, to] = /\[(0x\w+), (0x\w+)\]/.exec(message) ?? []
  expect((await logs(Number(from), Number(to))).result).toHaveLength(90)
})

it('returns only logs of the requested topics and addresses', async () => {
  const { network, request } = await startNode()
  const block = { fromBlock: quantity(network.firstHead - 2), toBlock: quantity(network.firstHead) }
  const all = (await request('eth_getLogs', block)).result as { address: string; topics: string[] }[]
  const swap = all.find(({ topics }) => topics[0] === TOPICS.swapV2 || topics[0] === TOPICS.swapV3)
  const [topic, address] = [swap?.topics[0] ?? '', swap?.address ?? '']
  const of = async (filter: object) => (await request('eth_getLogs', { ...block, ...filter })).result
  expect(await of({ topics: [[topic]] })).toEqual(all.filter(({ topics }) => topics[0] === topic))
  expect(await of({ address: [address] })).toEqual(all.filter((log) => log.address === address))
  expect(await of({ address: [`0x${'1'.repeat(40)}`] })).toEqual([])
})
