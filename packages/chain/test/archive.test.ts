import type { ServerResponse } from 'node:http'
import type { Log } from '@dexfeed/dex'
import { describe, expect, it } from 'vitest'
import type { ChainOptions } from '../src/chain.ts'
import { type MadePortal, madePortal, type PortalLine, textOf } from './made-portal.ts'
import { hashOf, type MemoryChain, memoryChain, SWAP } from './memory-chain.ts'
import { client, node } from './scene.ts'
import { altered } from './scripted-node.ts'
import { hastyClock } from './test-clock.ts'

const BLOCKS = 60
const OTHER = hashOf('Other')

/** Every third block has logs: two of our topic in two transactions, and one of another topic. */
function world(): MemoryChain {
  const chain = memoryChain(1, 0)
  for (let i = 1; i <= BLOCKS; i++) {
    chain.mine(i % 3 === 0 ? [{}, { topic: OTHER }, { transaction: 2, data: '0x02' }] : [])
  }
  return chain
}

async function scene({ idleMs = 40_000, ...options }: Partial<ChainOptions> & { idleMs?: number } = {}) {
  const made = world()
  const [portal, a] = [await madePortal(made), await node(made)]
  const read: [number, string][] = []
  const onRead: ChainOptions['onRead'] = (...each) => read.push(each)
  const archive = { url: portal.url, key: null, idleMs }
  const { chain, lines } = client(
    [a.url],
    { topics: [SWAP], proveHistory: 0, archive, onRead, ...options },
    { ...hastyClock(), random: () => 0.5 },
  )
  const warnings = () => lines.filter(({ level }) => level === 'warn').map(({ text }) => text)
  return { made, portal, node: a, chain, read, warnings }
}

type Scene = Awaited<ReturnType<typeof scene>>

async function readAll({ chain }: Scene, from = 1, to = BLOCKS) {
  const blocks = []
  for (let next = from; next <= to; ) {
    const part = await chain.readRange(next, to)
    blocks.push(...part.blocks)
    next = part.to + 1
  }
  return blocks.filter(({ logs }) => logs.length > 0).map(({ receipts: _, ...block }) => block)
}

async function blocksOfNode({ node: { url } }: Scene) {
  const { chain } = client([url], { topics: [SWAP], proveHistory: 0 })
  const { blocks } = await chain.readRange(1, BLOCKS)
  return blocks
    .filter(({ logs }) => logs.length > 0)
    .map((block) => ({ ...block, logs: block.logs.map((log) => expect.objectContaining(shape(log))) }))
}

const shape = ({ address, topics, data, transactionIndex, logIndex }: Log) => ({
  address,
  topics,
  data,
  transactionIndex,
  logIndex,
})

/** Makes each line so long that it takes a turn of its own. */
const padded: MadePortal['lie'] = (lines) => lines.map((line) => ({ ...line, pad: 'x'.repeat(2 ** 20) }))

it('history from the archive equals the node’s, for one request to the node per part', async () => {
  const each = await scene({ proveHistory: 0, archive: null })
  each.portal.lie = padded
  const archive = { url: each.portal.url, key: 'secret' }
  const read: unknown[] = []
  const onRead: ChainOptions['onRead'] = (...how) => read.push(how)
  let turns = 0
  const bulkTurn = async () => void turns++
  const { chain } = client([each.node.url], { topics: [SWAP], proveHistory: 0, archive, onRead, bulkTurn })
  expect(await readAll({ ...each, chain })).toEqual(await blocksOfNode(each))
  expect(read).toEqual([[BLOCKS, 'archived']])
  expect(turns).toBeGreaterThanOrEqual(BLOCKS)
  expect(each.portal.headers[0]?.authorization).toBe('Bearer secret')
  expect(each.portal.queries.map(({ fromBlock, toBlock }) => [fromBlock, toBlock])).toEqual([
    [1, 60],
    [21, 60],
    [41, 60],
  ])
  // This is the request for the last header; the comparison above made the others.
  expect(each.node.requested().filter(({ method }) => method === 'eth_getBlockByNumber')[0]?.params).toEqual([
    '0x3c',
    false,
  ])
})

it('a short range does not make the next ones short', async () => {
  const each = await scene()
  await each.chain.readRange(1, 2)
  await each.chain.readRange(3, BLOCKS)
  expect(each.portal.queries[1]).toMatchObject({ fromBlock: 3, toBlock: BLOCKS })
})

it('a response that ends within a block is continued', async () => {
  const each = await scene()
  let torn = 0
  each.portal.exchange = (response, lines) => {
    if (torn++ > 0) return false
    response.end(textOf(lines).slice(0, -30))
    return true
  }
  expect(await readAll(each)).toEqual(await blocksOfNode(each))
  expect(each.portal.queries[1]?.fromBlock).toBe(20)
  expect(each.read).toEqual([[BLOCKS, 'archived']])
})

it('a block that arrives in pieces is read whole', async () => {
  const each = await scene()
  each.portal.exchange = (response, lines) => {
    const text = textOf(lines.splice(0))
    const pieces = [text.slice(0, 150), text.slice(150)]
    return drip(response, 10, () => pieces.shift())
  }
  expect(await readAll(each)).toEqual(await blocksOfNode(each))
  expect(each.read).toEqual([[BLOCKS, 'archived']])
})

describe.each<[string, number, Record<string, string>]>([
  ['too many requests', 429, { 'retry-after': '2' }],
  ['too busy', 529, { 'retry-after': '1' }],
  ['down', 503, {}],
  ['a replica that lags', 204, {}],
])('%s', (_name, status, headers) => {
  const refusing = (portal: MadePortal, times: number) => {
    let refused = 0
    portal.exchange = (response) => {
      if (refused++ >= times) return false
      response.writeHead(status, headers).end()
      return true
    }
  }

  it('is waited for', async () => {
    const each = await scene()
    refusing(each.portal, 2)
    expect(await readAll(each)).toEqual(await blocksOfNode(each))
    expect(each.read).toEqual([[BLOCKS, 'archived']])
    expect(each.warnings()).toEqual([])
  })

  it('that lasts is read from the node, and logged once', async () => {
    const each = await scene()
    refusing(each.portal, Number.POSITIVE_INFINITY)
    expect(await readAll(each)).toEqual(await blocksOfNode(each))
    expect(each.read.every(([, how]) => how === 'unproven')).toBe(true)
    expect(each.warnings()).toEqual([expect.stringMatching(/temporarily read from the node/)])
  })
})

it('the wait for an archive is limited, even if it requests a pause of years', async () => {
  const clock = { ...hastyClock(), random: () => 0.5 }
  const each = await scene()
  each.portal.exchange = (response) => {
    response.writeHead(503, { 'retry-after': '100000000' })
    const page = () =>
      response.write('<p>come back later</p>'.repeat(1_000), () => response.destroyed || setImmediate(page))
    page()
    return true
  }
  const archive = { url: each.portal.url, key: null }
  const { chain, lines } = client([each.node.url], { topics: [SWAP], proveHistory: 0, archive }, clock)
  expect(await readAll({ ...each, chain })).toEqual(await blocksOfNode(each))
  expect(Math.max(...clock.slept)).toBeLessThanOrEqual(60_000)
  expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
})

function drip(response: ServerResponse, everyMs: number, next: () => string | undefined) {
  const dripping = setInterval(() => {
    const bit = next()
    void (bit === undefined ? response.end() : response.write(bit))
  }, everyMs)
  response.once('close', () => clearInterval(dripping))
  return true
}

it.each([
  ['line ends', '\n', 200],
  ['a line without end', '9', 200],
  ['a refusal without end', 'n', 503],
])('an archive that streams %s in single bytes is replaced by the node', async (_name, bit, status) => {
  const each = await scene({ idleMs: 100 })
  each.portal.exchange = (response, lines) => {
    const whole = each.portal.queries.length === 1 && status === 200 ? lines : []
    return drip(response.writeHead(status), 10, () => textOf(whole.splice(0)) + bit)
  }
  expect(await readAll(each)).toEqual(await blocksOfNode(each))
  expect(each.warnings()).toHaveLength(1)
})

//  lines     1 2 3 ... 18          19 20      each takes less than the limit of one line, all take more
//  the head               long turn           longer than that limit
it('a response that comes line by line is read to its end, however long each line takes to process', async () => {
  let turns = 0
  const bulkTurn = async () => {
    if (++turns === 18) await new Promise((resolve) => setTimeout(resolve, 1_800))
  }
  const each = await scene({ idleMs: 1_500, bulkTurn })
  each.portal.lie = padded
  each.portal.exchange = (response, lines) => drip(response, 100, () => textOf(lines.splice(0, 1)) || undefined)
  await readAll(each, 1, 20)
  expect(each.portal.queries).toHaveLength(1)
})

it.each([400, 401, 403, 404])('HTTP %i is not tried again', async (status) => {
  const each = await scene()
  each.portal.exchange = (response) => {
    response.writeHead(status).end('no such plan')
    return true
  }
  expect(await readAll(each)).toEqual(await blocksOfNode(each))
  expect(each.portal.queries).toHaveLength(1)
  expect(each.warnings()).toEqual([expect.stringContaining(`HTTP ${status} no such plan`)])
})

const at = (number: number, change: (line: PortalLine) => PortalLine | PortalLine[]) => (lines: PortalLine[]) =>
  lines.flatMap((line) => (line.header.number === number ? change(line) : [line]))

const LIES: [string, MadePortal['lie']][] = [
  ['a block left out', at(9, () => [])],
  ['a response without a block', () => []],
  ['another branch', at(9, (line) => ({ ...line, header: { ...line.header, hash: hashOf('another') } }))],
  ['a log of a transaction that is not there', at(9, (line) => ({ ...line, transactions: [] }))],
  ['a log twice', at(9, (line) => ({ ...line, logs: [...(line.logs ?? []), ...(line.logs ?? [])] }))],
  [
    'a log of another transaction',
    at(9, (line) => ({ ...line, logs: (line.logs ?? []).map((log) => ({ ...log, transactionHash: hashOf('x') })) })),
  ],
  ['another time', at(BLOCKS, (line) => ({ ...line, header: { ...line.header, timestamp: 2 ** 31 } }))],
  ['an invalid number', at(9, (line) => ({ ...line, header: { ...line.header, number: '9 blocks' as never } }))],
]

it.each(LIES)('%s is read from the node', async (_name, lie) => {
  const each = await scene()
  each.portal.lie = lie
  expect(await readAll(each)).toEqual(await blocksOfNode(each))
  expect(each.warnings()).toHaveLength(1)
})

it('a block that comes twice is taken once', async () => {
  const each = await scene()
  each.portal.lie = at(9, (line) => [line, line])
  expect(await readAll(each)).toEqual(await blocksOfNode(each))
  expect(each.read).toEqual([[BLOCKS, 'archived']])
})

it('a different whole branch is refused by the hash of its last block', async () => {
  const each = await scene()
  const branch = each.made.fork(4)
  while (branch.blocks.length <= BLOCKS) branch.mine([{}])
  each.portal.exchange = (response, lines) => {
    const [first, last] = [lines[0]?.header.number ?? 0, lines.at(-1)?.header.number ?? 0]
    response.end(
      textOf(
        branch.blocks.slice(first, last + 1).map(({ number, hash, header }) => ({
          header: { number, hash, parentHash: String(header.parentHash), timestamp: Number(header.timestamp) },
        })),
      ),
    )
    return true
  }
  expect(await readAll(each)).toEqual(await blocksOfNode(each))
  expect(each.warnings()).toEqual([expect.stringMatching(/shows a false block 60: its hash is/)])
})

it('every log of a transaction that has one of ours is read', async () => {
  const each = await scene()
  const { blocks } = await each.chain.readRange(1, BLOCKS)
  const [block] = blocks.filter(({ logs }) => logs.length > 0)
  const [transactions, receipts] = [[...(block?.transactions.keys() ?? [])], block?.receipts]
  // The first transaction has another topic and ours, the second one ours.
  expect(transactions.map((index) => receipts?.logsOf(index)?.map(({ topics }) => topics[0]))).toEqual([
    [SWAP, OTHER],
    [SWAP],
  ])
  expect(receipts?.logsOf(77)).toBeNull()
})

describe('missing logs', () => {
  const missing: MadePortal['lie'] = at(9, (line) => ({ ...line, logs: line.logs?.slice(1) ?? [] }))

  it('are found if the block is compared with the node', async () => {
    const each = await scene({ proveHistory: 1 })
    each.portal.lie = missing
    expect(await readAll(each)).toEqual(await blocksOfNode(each))
    expect(each.warnings()).toEqual([
      expect.stringMatching(/shows a false block 9: 1 logs that are not the 2 of the node/),
    ])
  })

  it('are not found if no block is compared', async () => {
    const each = await scene({ proveHistory: 0 })
    each.portal.lie = missing
    expect((await readAll(each)).find(({ number }) => number === 9)?.logs).toHaveLength(1)
  })
})

it('logs that archive and node both leave out are found by a second node', async () => {
  const made = world()
  const [portal, liar, honest] = [await madePortal(made), await node(made), await node(made)]
  portal.lie = (lines) => lines.map(({ header }) => ({ header }))
  liar.respond = altered('eth_getLogs', () => [])
  const options = { topics: [SWAP], proveHistory: 1, archive: { url: portal.url, key: null } }
  const { chain } = client([liar.url, honest.url], options, { ...hastyClock(), random: () => 0.5 })
  const { blocks } = await chain.readRange(1, BLOCKS)
  expect(blocks.flatMap(({ logs }) => logs)).toHaveLength((2 * BLOCKS) / 3)
})

it('a second opinion is the node’s', async () => {
  const each = await scene()
  await each.chain.readRange(1, BLOCKS, { secondOpinion: true })
  expect(each.portal.queries).toEqual([])
})
