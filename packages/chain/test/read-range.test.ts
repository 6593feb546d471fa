import { NodeError } from '@dexfeed/lab/node/rpc/answer'
import { expect, it } from 'vitest'
import { ChainInconsistent } from '../src/errors/chain-error.ts'
import { hashOf, hex, type MemoryChain, memoryChain, POOL, SENDER, SYNC } from './memory-chain.ts'
import { client as anyClient, failure, node } from './scene.ts'
import { altered, limited, type Respond, refusing } from './scripted-node.ts'

/** A client that reads history by its logs. */
const client: typeof anyClient = (urls, options, clock) => anyClient(urls, { proveHistory: 0, ...options }, clock)

/**
 * 0 ── 1 ── 2 ──── 3 ── 4 ──── 5 ── 6
 *           │           │
 *        2 logs in     1 log, and one of
 *        2 transactions another topic
 */
function world(chainId = 1): MemoryChain {
  const chain = memoryChain(chainId, 1)
  chain.mine([{ transaction: 0 }, { transaction: 2, topic: SYNC }])
  chain.mine()
  chain.mine([{ transaction: 1 }, { topic: hashOf('Other') }])
  chain.mine()
  chain.mine()
  return chain
}

const alteredLogs = (change: (logs: Record<string, unknown>[]) => unknown): Respond => altered('eth_getLogs', change)

it('returns the blocks with logs, the boundaries, and the senders of the transactions', async () => {
  const chain = world()
  const a = await node(chain)
  const range = await client([a.url]).chain.readRange(1, 5)
  expect(range).toMatchObject({ from: 1, to: 5 })
  expect(range.blocks.map(({ number, logs }) => `${number}: ${logs.length}`)).toEqual(['1: 0', '2: 2', '4: 1', '5: 0'])
  const [, second] = range.blocks
  const made = chain.blocks[2]
  expect(second).toMatchObject({ hash: made?.hash, parentHash: chain.blocks[1]?.hash, timestamp: 1_700_000_024 })
  expect(second?.logs[1]).toMatchObject({
    address: POOL,
    topics: [SYNC],
    data: '0x01',
    transactionIndex: 2,
    logIndex: 1,
  })
  expect([...(second?.transactions ?? [])]).toEqual([
    [0, { hash: made?.transactions[0]?.hash, from: SENDER, value: 1000n }],
    [2, { hash: made?.transactions[2]?.hash, from: SENDER, value: 1002n }],
  ])
  // One batch requests the logs and the boundary headers, another the full blocks.
  expect(a.batches.map((batch) => batch.map(({ method }) => method))).toEqual([
    ['eth_chainId'],
    ['eth_getLogs', 'eth_getBlockByNumber', 'eth_getBlockByNumber'],
    ['eth_getBlockByNumber', 'eth_getBlockByNumber'],
  ])
})

it('reads a single block', async () => {
  const a = await node(world())
  const { chain } = client([a.url])
  expect((await chain.readRange(2, 2)).blocks.map(({ logs }) => logs.length)).toEqual([2])
  expect((await chain.readRange(3, 3)).blocks.map(({ logs }) => logs.length)).toEqual([0])
})

it.each<[string, Respond]>([
  ['a log of an orphaned block', alteredLogs((logs) => logs.map((log) => ({ ...log, blockHash: hashOf('orphan') })))],
  ['a log outside the range', alteredLogs((logs) => [...logs, { ...logs[0], blockNumber: hex(99) }])],
  ['a removed log', alteredLogs((logs) => logs.map((log) => ({ ...log, removed: true })))],
  [
    'a log of a transaction that is not in the block',
    alteredLogs((logs) => [{ ...logs[0], transactionHash: hashOf('?') }]),
  ],
  [
    'a log of another transaction than its index says',
    alteredLogs((logs) => [{ ...logs[0], transactionIndex: hex(1) }]),
  ],
  [
    'another block than the requested one at its ends',
    altered('eth_getBlockByNumber', (block, [, full]) => (full ? block : { ...block, number: hex(3) })),
  ],
  [
    'another block than the requested one',
    altered('eth_getBlockByNumber', (block, [, full]) => (full ? { ...block, number: hex(3) } : block)),
  ],
])('rejects all of it for %s', async (_, lie) => {
  const a = await node(world())
  a.respond = lie
  const error = await failure(client([a.url]).chain.readRange(1, 5))
  expect(error).toBeInstanceOf(ChainInconsistent)
  expect(error).toMatchObject({ retryable: true })
})

it.each<[string, Respond]>([
  ['a null log', alteredLogs((logs) => [null, ...logs])],
  ['a quantity without digits', alteredLogs((logs) => logs.map((log) => ({ ...log, logIndex: '0x' })))],
  ['no list of logs', alteredLogs(() => ({}))],
  [
    'a block without transactions',
    altered('eth_getBlockByNumber', (block, [, full]) => (full ? { ...block, transactions: null } : block)),
  ],
])('goes to an honest endpoint for %s', async (_, lie) => {
  const [a, b] = [await node(world()), await node(world())]
  a.respond = lie
  expect((await client([a.url, b.url]).chain.readRange(1, 5)).blocks).toHaveLength(4)
})

it('does not mix up two blocks of one number, with or without logs', async () => {
  for (const number of [3, 4]) {
    const a = await node(world())
    let requested = 0
    a.respond = ({ method, params }, honest) => {
      const shown = honest()
      if (method !== 'eth_getBlockByNumber' || params[1] === true) return shown
      return requested++ % 2 === 0 ? shown : { ...(shown as object), hash: hashOf('another') }
    }
    expect(await failure(client([a.url]).chain.readRange(number, number))).toBeInstanceOf(ChainInconsistent)
  }
})

it.each([2, 4])('does not mix up two blocks %i at an end of a range', async (end) => {
  const a = await node(world())
  a.respond = altered('eth_getBlockByNumber', (block, [at, full]) =>
    full || at !== hex(end) ? block : { ...block, hash: hashOf('another') },
  )
  expect(await failure(client([a.url]).chain.readRange(2, 4))).toBeInstanceOf(ChainInconsistent)
})

it('reads nothing of a range with a log that states two numbers', async () => {
  const a = await node(world())
  a.exchange = (requests, response) => {
    const replies = requests.map(({ id, method, params }) => ({ id, result: a.chain.respond(method, params) }))
    const reported = JSON.stringify(replies).replace('"blockNumber":"0x4"', '"blockNumber":"0x4","blockNumber":"0x3"')
    return requests.length > 1 && response.end(reported) === response
  }
  expect(await failure(client([a.url]).chain.readRange(1, 5))).toBeInstanceOf(ChainInconsistent)
})

it('reports that a header is of another block than the requested one', async () => {
  const a = await node(world())
  a.respond = altered('eth_getBlockByNumber', (block) => ({ ...block, number: hex(3) }))
  expect((await failure(client([a.url]).chain.header(2))).message).toContain('requested block 2, got 3')
})

it('normalises upper case, leading zeros and checksums', async () => {
  const a = await node(world())
  const { chain } = client([a.url])
  const plain = await chain.readRange(1, 5)
  const shout = (value: unknown): unknown =>
    typeof value === 'string' && value.startsWith('0x')
      ? `0x${value.slice(2).toUpperCase()}`
      : Array.isArray(value)
        ? value.map(shout)
        : value
  a.respond = alteredLogs((logs) =>
    logs.map((log) => {
      const upper = Object.fromEntries(Object.entries(log).map(([key, value]) => [key, shout(value)]))
      return { ...upper, blockNumber: `0x000${String(log.blockNumber).slice(2)}`, removed: undefined }
    }),
  )
  expect(await chain.readRange(1, 5)).toEqual(plain)
})

it('reads a log that was delivered twice once', async () => {
  const a = await node(world())
  a.respond = alteredLogs((logs) => [...logs].reverse().concat(logs))
  const range = await client([a.url]).chain.readRange(1, 5)
  expect(range.blocks.flatMap(({ logs }) => logs)).toHaveLength(3)
})

it('keeps different logs under one index', async () => {
  const a = await node(world())
  a.respond = alteredLogs((logs) => logs.flatMap((log) => [log, { ...log, data: '0x02' }]))
  const range = await client([a.url]).chain.readRange(1, 5)
  expect(range.blocks.flatMap(({ logs }) => logs.map(({ data }) => data))).toEqual([
    '0x01',
    '0x02',
    '0x01',
    '0x02',
    '0x01',
    '0x02',
  ])
})

it('keeps a log of Polygon’s state sync without its transaction', async () => {
  const hash = hashOf('matic-bor-receipt')
  const lie = alteredLogs((logs) => [
    ...logs,
    { ...logs[0], transactionHash: hash, transactionIndex: hex(0), logIndex: hex(9) },
  ])
  const a = await node(world(137))
  a.respond = lie
  const range = await client([a.url], { network: 'polygon' }).chain.readRange(1, 5)
  expect(range.blocks[1]?.transactions.get(3)).toEqual({ hash, from: null, value: 0n })
  expect(range.blocks[1]?.logs.at(-1)).toMatchObject({ transactionIndex: 3, logIndex: 9 })
})

it('requests as much as the endpoint serves, and remembers its limit', async () => {
  const a = await node(memoryChain(1, 200))
  a.respond = limited(30, -32602, 'eth_getLogs is limited to 0 - 30 blocks range')
  const { chain, lines } = client([a.url])
  let next = 0
  const ranges: string[] = []
  while (next <= 200) {
    const { from, to } = await chain.readRange(next, 200)
    ranges.push(`${from}-${to}`)
    next = to + 1
  }
  expect(ranges).toEqual(['0-29', '30-59', '60-89', '90-119', '120-149', '150-179', '180-200'])
  expect(a.requested('eth_getLogs')).toHaveLength(8)
  expect(lines.filter(({ level }) => level !== 'debug')).toEqual([])
})

it('shrinks to one block for a node that caps its results, and fails there', async () => {
  const a = await node(memoryChain(1, 64))
  a.respond = refusing('eth_getLogs', -32005, 'query returned more than 10000 results')
  const error = await failure(client([a.url]).chain.readRange(1, 64))
  expect(error.message).toContain('query returned more than 10000 results')
  const requested = a.requested('eth_getLogs').map(({ params }) => Number((params[0] as { toBlock: string }).toBlock))
  expect(requested).toEqual([64, 32, 16, 8, 4, 2, 1])
})

it('narrows the range when the response is over the size limit', async () => {
  const chain = memoryChain(1, 0)
  for (let i = 0; i < 16; i++)
    chain.mine(Array.from({ length: 4 }, () => ({ data: `0x${'ab'.repeat(2000)}` as const })))
  const a = await node(chain)
  a.maxBytes = 50_000
  const { chain: reader } = client([a.url])
  let next = 0
  let logs = 0
  while (next <= 16) {
    const { to, blocks } = await reader.readRange(next, 16)
    logs += blocks.reduce((sum, block) => sum + block.logs.length, 0)
    next = to + 1
  }
  expect(logs).toBe(64)
})

it('learns a limit that the node states only in the data of its error', async () => {
  const chain = memoryChain(1, 40)
  const a = await node(chain)
  const spans: number[] = []
  a.respond = ({ method, params }, honest) => {
    if (method !== 'eth_getLogs') return honest()
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string }
    const span = Number(toBlock) - Number(fromBlock) + 1
    spans.push(span)
    if (span <= 7) return honest()
    const data = { error_id: '4ed94073-0317', payload: `range ${span - 1} is bigger than range limit 7` }
    throw new NodeError(-32602, 'invalid params', data)
  }
  const { chain: reader } = client([a.url])
  for (let next = 0; next <= 40; ) next = (await reader.readRange(next, 40)).to + 1
  expect(spans.filter((span) => span > 7)).toHaveLength(1)
  expect(spans[1]).toBe(7)
})

it('does not trust a range that a lagging backend left without its end', async () => {
  // One URL, two backends: headers are current, logs lag by 3 blocks.
  const chain = memoryChain(1, 5)
  chain.mine([{}])
  chain.mine([{}])
  const a = await node(chain)
  let lagging = 2
  a.respond = ({ method, params }, honest) => {
    const filter = (params[0] ?? {}) as { fromBlock?: string; toBlock?: string }
    if (method !== 'eth_getLogs' || !filter.toBlock || lagging-- <= 0) return honest()
    return (honest() as { blockNumber: string }[]).filter(({ blockNumber }) => Number(blockNumber) <= 4)
  }
  const range = await client([a.url]).chain.readRange(1, 7)
  expect(range.blocks.map(({ number, logs }) => `${number}: ${logs.length}`)).toEqual(['1: 0', '6: 1', '7: 1'])
})

it('reads everything of one operation from one of two endpoints on different forks', async () => {
  const trunk = memoryChain(1, 3)
  const [left, right] = [trunk.fork(3), trunk.fork(3)]
  for (const fork of [left, right]) for (let i = 0; i < 3; i++) fork.mine([{}])
  const [a, b] = [await node(left), await node(right)]
  const { chain } = client([a.url, b.url])
  let failing = false
  a.respond = (_, honest) => {
    failing = !failing
    if (failing) throw new NodeError(-32603, 'Internal error')
    return honest()
  }
  for (let i = 0; i < 5; i++) {
    const { blocks } = await chain.readRange(4, 6)
    const hashes = blocks.map(({ hash }) => hash)
    const forks = [left, right].filter(({ blocks: own }) =>
      hashes.every((hash) => own.some((block) => block.hash === hash)),
    )
    expect(forks).toHaveLength(1)
  }
})
