import { type Log, MINUTE } from '@dexfeed/dex'
import { describe, expect, it } from 'vitest'
import { ChainInconsistent } from '../src/errors/chain-error.ts'
import { bloomOf, hashOf, memoryChain, POOL, SWAP, SYNC } from './memory-chain.ts'
import { client, failure, node } from './scene.ts'
import { altered, type Respond } from './scripted-node.ts'
import { hastyClock } from './test-clock.ts'

type Shown = Record<string, unknown> & { logs: Record<string, unknown>[] }

/** A block whose first transaction has three logs, and whose second has one. */
function world() {
  const chain = memoryChain(1, 3)
  const block = chain.mine([{}, { topic: SYNC }, { data: '0x02' }, { transaction: 1 }])
  return { chain, hash: block.transactions[0]?.hash as `0x${string}`, blockHash: block.hash }
}

const receiptsWith = (change: (receipt: Shown) => object) =>
  altered<Shown>('eth_getTransactionReceipt', (receipt) => ({ ...receipt, ...change(receipt) }))

const CUTS: [string, Respond][] = [
  ['no logs', receiptsWith(() => ({ logs: [] }))],
  ['the last log left out', receiptsWith(({ logs }) => ({ logs: logs.slice(0, -1) }))],
  ['other amounts', receiptsWith(({ logs }) => ({ logs: logs.map((log) => ({ ...log, data: '0x09' })) }))],
]

describe.each(CUTS)('a receipt with %s', (_, cut) => {
  it('is not a receipt of a transaction whose logs are known, and is requested elsewhere', async () => {
    const { chain: made, hash, blockHash } = world()
    const [a, b] = [await node(made), await node(made)]
    const [block] = await client([b.url]).chain.readBlocks(4, 4)
    const logs = (block?.logs ?? []).filter(({ transactionIndex }) => transactionIndex === 0) as Log[]
    expect(logs).toHaveLength(3)
    a.respond = cut
    const places = [{ hash, blockHash, logs }]
    expect(await failure(client([a.url]).chain.transactionLogs(places))).toBeInstanceOf(ChainInconsistent)
    expect(await client([a.url, b.url]).chain.transactionLogs(places)).toMatchObject([
      logs.map(({ logIndex, data }) => ({ logIndex, data })),
    ])
  })
})

/** Numbers the logs of each receipt from `first` on, as some nodes do. */
const numberedFrom = (first: number) =>
  receiptsWith(({ logs }) => ({
    logs: logs.map((log, at) => ({ ...log, logIndex: `0x${(first + at).toString(16)}` })),
  }))

it('a receipt that numbers its logs anew has the indices of the known ones', async () => {
  const { chain: made, blockHash } = world()
  const hash = made.blocks[4]?.transactions[1]?.hash as `0x${string}`
  const [a, b] = [await node(made), await node(made)]
  const logs = ((await client([b.url]).chain.readBlocks(4, 4))[0]?.logs ?? []).filter((log) => log.logIndex === 3)
  a.respond = numberedFrom(0)
  const places = [{ hash, blockHash, logs }]
  for (const urls of [[a.url], [a.url, b.url], [b.url, a.url]]) {
    expect(await client(urls).chain.transactionLogs(places)).toMatchObject([[{ logIndex: 3, transactionIndex: 1 }]])
  }
})

it('a receipt that numbers its logs anew is not trusted if known logs could be at several of its places', async () => {
  const chain = memoryChain(1, 3)
  const block = chain.mine([{}, { transaction: 1 }, { transaction: 1 }])
  const { hash } = block.transactions[1] as { hash: `0x${string}` }
  const a = await node(chain)
  const [read] = await client([a.url]).chain.readBlocks(4, 4)
  const logs = (read?.logs ?? []).filter((log) => log.logIndex === 2)
  expect(logs).toHaveLength(1)
  a.respond = numberedFrom(0)
  const places = [{ hash, blockHash: block.hash, logs }]
  expect(await failure(client([a.url]).chain.transactionLogs(places))).toBeInstanceOf(ChainInconsistent)
})

it('a receipt of an explained transaction contains every log that its bloom claims', async () => {
  const { chain: made, hash } = world()
  const a = await node(made)
  const logsBloom = bloomOf([POOL, SWAP, SYNC])
  a.respond = receiptsWith(() => ({ logsBloom, transactionIndex: '0x0', status: '0x1' }))
  const transactions: Respond = ({ method }, honest) =>
    method === 'eth_getTransactionByHash'
      ? { ...made.blocks[4]?.transactions[0], blockHash: made.blocks[4]?.hash }
      : honest()
  const whole = a.respond
  a.respond = (request, honest) => transactions(request, () => whole(request, honest))
  const { chain } = client([a.url])
  expect((await chain.transactions([hash]))[0]?.logs).toHaveLength(3)
  const cut = receiptsWith(({ logs }) => ({ logs: logs.slice(0, 1) }))
  a.respond = (request, honest) => transactions(request, () => cut(request, () => whole(request, honest)))
  expect((await failure(chain.transactions([hash]))).message).toContain('lacks logs that its bloom has')
})

it.each<[string, object, object]>([
  ['its receipt states another number', {}, { blockNumber: '0x3' }],
  ['it states another hash itself', { blockHash: hashOf('another') }, {}],
])('a transaction is not explained by a block that is not its own, if %s', async (_, inBody, inReceipt) => {
  const { chain: made, hash, blockHash } = world()
  const a = await node(made)
  const whole = receiptsWith(() => ({ transactionIndex: '0x0', status: '0x1', ...inReceipt }))
  a.respond = (request, honest) =>
    request.method === 'eth_getTransactionByHash'
      ? { ...made.blocks[4]?.transactions[0], blockHash, ...inBody }
      : whole(request, honest)
  expect(await failure(client([a.url]).chain.transactions([hash]))).toBeInstanceOf(ChainInconsistent)
})

/*
 *  a  the first log alone      the order of the two makes no difference
 *  b  the first and the others
 */
describe('the unknown logs of a receipt', () => {
  const onlyFirst = receiptsWith(({ logs }) => ({ logs: logs.slice(0, 1) }))
  const known = async (url: string) => {
    const [block] = await client([url]).chain.readBlocks(4, 4)
    return (block?.logs ?? []).slice(0, 1) as Log[]
  }

  it.each([
    ['the first', 0],
    ['the second', 1],
  ])('count if %s of two endpoints leaves them out', async (_, liar) => {
    const { chain: made, hash, blockHash } = world()
    const nodes = [await node(made), await node(made)]
    const places = [{ hash, blockHash, logs: await known(nodes[0]?.url ?? '') }]
    const each = nodes[liar]
    if (each !== undefined) each.respond = onlyFirst
    const [logs] = await client(nodes.map(({ url }) => url)).chain.transactionLogs(places)
    expect(logs).toHaveLength(3)
  })

  it('are untrusted if two endpoints contradict each other', async () => {
    const { chain: made, hash, blockHash } = world()
    const [a, b] = [await node(made), await node(made)]
    const places = [{ hash, blockHash, logs: await known(a.url) }]
    b.respond = receiptsWith(({ logs }) => ({ logs: [logs[0], { ...logs[1], data: '0x77' }] }))
    a.respond = receiptsWith(({ logs }) => ({ logs: [logs[0], { ...logs[1], data: '0x78' }] }))
    expect(await failure(client([a.url, b.url]).chain.transactionLogs(places))).toBeInstanceOf(ChainInconsistent)
  })

  it('are those of the only endpoint that responds, after one wait for the other', async () => {
    const { chain: made, hash, blockHash } = world()
    const [a, b] = [await node(made), await node(made)]
    const places = [{ hash, blockHash, logs: await known(a.url) }]
    a.respond = onlyFirst
    b.respond = ({ method }, honest) => {
      if (method === 'eth_getTransactionReceipt') throw new Error('out of order')
      return honest()
    }
    const { chain } = client([a.url, b.url], { headPatienceMs: 300 })
    const requested = () => b.batches.flat().filter(({ method }) => method === 'eth_getTransactionReceipt').length
    expect((await chain.transactionLogs(places))[0]).toHaveLength(1)
    const first = requested()
    expect(first).toBeGreaterThan(0)
    expect((await chain.transactionLogs(places))[0]).toHaveLength(1)
    expect(requested()).toBe(first)
  })

  it('count again as soon as the other endpoint responds again', async () => {
    const { chain: made, hash, blockHash } = world()
    const [a, b] = [await node(made), await node(made)]
    const places = [{ hash, blockHash, logs: await known(a.url) }]
    a.respond = onlyFirst
    b.respond = () => new Promise(() => undefined)
    const clock = hastyClock()
    const { chain } = client([a.url, b.url], { headPatienceMs: 100, requestTimeoutMs: 200 }, clock)
    expect((await chain.transactionLogs(places))[0]).toHaveLength(1)
    b.respond = (_, honest) => honest()
    // Wait until the endpoint is no longer set aside.
    await clock.sleep(MINUTE)
    expect((await chain.transactionLogs(places))[0]).toHaveLength(3)
  })

  it('count if only the third endpoint reports them', async () => {
    const { chain: made, hash, blockHash } = world()
    const [a, b, c] = [await node(made), await node(made), await node(made)]
    const places = [{ hash, blockHash, logs: await known(a.url) }]
    a.respond = onlyFirst
    b.respond = altered('eth_getTransactionReceipt', () => null)
    const { chain } = client([a.url, b.url, c.url], { headPatienceMs: 100 })
    expect((await chain.transactionLogs(places))[0]).toHaveLength(3)
  })
})
