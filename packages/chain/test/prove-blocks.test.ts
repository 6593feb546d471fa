import { NodeError } from '@dexfeed/lab/node/rpc/answer'
import { describe, expect, it } from 'vitest'
import type { ChainOptions } from '../src/chain.ts'
import { BlocksUnavailable, ChainInconsistent, RpcUnavailable } from '../src/errors/chain-error.ts'
import {
  block,
  type Json,
  lyingNode,
  NUMBER,
  type Receipt,
  receipts,
  recordedNode,
  selected,
  TRANSFER,
} from './fixtures/recorded-node.ts'
import { madePortal, type PortalLine } from './made-portal.ts'
import type { MemoryChain } from './memory-chain.ts'
import { asUnproven, client, failure } from './scene.ts'
import { altered, refusing } from './scripted-node.ts'
import { hastyClock } from './test-clock.ts'

const open = (urls: string[], options: Partial<ChainOptions> = {}) => client(urls, { topics: [TRANSFER], ...options })
const methods = (batches: readonly { method: string }[][]) => batches.flat().map(({ method }) => method)

it('a block is two requests, and has the same logs as from a node without receipts', async () => {
  const a = await recordedNode()
  const read: string[] = []
  const proofs: number[] = []
  const onProof = (seconds: number) => proofs.push(seconds)
  const { chain } = open([a.url], { onRead: (blocks, how) => read.push(`${blocks} ${how}`), onProof })
  const proven = await chain.readBlocks(NUMBER, NUMBER)
  expect(proven[0]?.logs).toHaveLength(selected.length)
  expect(methods(a.batches)).toEqual(['eth_chainId', 'eth_getBlockByNumber', 'eth_getBlockReceipts'])
  expect(proofs).toHaveLength(1)
  const b = await recordedNode()
  b.respond = refusing(
    'eth_getBlockReceipts',
    -32601,
    'the method eth_getBlockReceipts does not exist/is not available',
  )
  const other = open([b.url], { onRead: (blocks, how) => read.push(`${blocks} ${how}`) })
  expect(await other.chain.readBlocks(NUMBER, NUMBER)).toEqual(asUnproven(proven))
  await other.chain.readBlocks(NUMBER, NUMBER)
  expect(methods(b.batches).filter((method) => method === 'eth_getBlockReceipts')).toHaveLength(1)
  expect(other.lines.filter(({ text }) => text.includes('without proof'))).toHaveLength(1)
  expect(read).toEqual(['1 proven', '1 unproven', '1 unproven'])
})

const first = (list: Receipt[]) => list.find((receipt) => receipt.logs.length > 1) as Receipt
const changeLog = (list: Receipt[], change: Json) => void Object.assign(first(list).logs[0] ?? {}, change)
const swapHashes = (a: Receipt, b: Receipt) => {
  const { transactionHash } = a
  a.transactionHash = b.transactionHash
  b.transactionHash = transactionHash
}

const LIES: [string, (receipts: Receipt[]) => unknown][] = [
  ['a log left out', (list) => void first(list).logs.pop()],
  ['all logs of a receipt left out', (list) => void first(list).logs.splice(0)],
  ['another amount', (list) => changeLog(list, { data: `0x${'11'.repeat(32)}` })],
  ['a log of another transaction', (list) => changeLog(list, { transactionHash: block.hash })],
  ['a log with the number of another block', (list) => changeLog(list, { blockNumber: '0x1' })],
  ['hashes that changed places', (list) => swapHashes(list[0] as Receipt, list[1] as Receipt)],
  ['the last receipt left out', (list) => list.slice(0, -1)],
  ['no receipt at all', () => []],
]

describe.each(LIES)('%s', (_name, lie) => {
  it('is found, and the endpoint named and set aside for another one', async () => {
    const [liar, honest] = [await lyingNode(lie), await recordedNode()]
    const { chain, lines } = open([liar.url, honest.url])
    const [read] = await chain.readBlocks(NUMBER, NUMBER)
    expect(read?.logs).toHaveLength(selected.length)
    expect(lines).toContainEqual({ level: 'warn', text: expect.stringMatching(/set aside.*shows a false block/) })
    const requested = liar.batches.length
    await chain.readBlocks(NUMBER, NUMBER)
    expect(liar.batches).toHaveLength(requested)
  })

  it('is trusted from no endpoint', async () => {
    const { chain } = open([(await lyingNode(lie)).url])
    const error = await failure(chain.readBlocks(NUMBER, NUMBER))
    expect(error).toBeInstanceOf(RpcUnavailable)
    expect(error.message).toMatch(/shows a false block/)
  })
})

const eachLog = (list: Receipt[], change: (log: Json, at: number) => object) => {
  for (const { logs } of list) logs.forEach((log, at) => void Object.assign(log, change(log, at)))
}
const upperCase = ({ address }: Json) => ({ address: String(address).replace(/[a-f]/, (digit) => digit.toUpperCase()) })

// The root proves which logs a receipt has and in which order, so what they say about their place is redundant.
it.each<[string, (list: Receipt[]) => void]>([
  ['begin anew in each receipt', (list) => eachLog(list, (_, at) => ({ logIndex: `0x${at.toString(16)}` }))],
  ['are all the same', (list) => eachLog(list, () => ({ logIndex: '0xfff', transactionIndex: '0xfff' }))],
  ['are missing', (list) => eachLog(list, () => ({ logIndex: null, transactionIndex: undefined }))],
  ['are missing in unusual text', (list) => eachLog(list, (log) => ({ logIndex: null, ...upperCase(log) }))],
])('logs of a proven block count in their order if their indices %s', async (_, change) => {
  const [a, honest] = [await lyingNode((list) => change(list)), await recordedNode()]
  const { chain, lines } = open([a.url])
  const [[read], [expected]] = await Promise.all([
    chain.readBlocks(NUMBER, NUMBER),
    open([honest.url]).chain.readBlocks(NUMBER, NUMBER),
  ])
  expect(read?.logs).toEqual(expected?.logs)
  expect(read?.isProven).toBe(true)
  const indices = receipts.map((_, index) => index)
  expect(indices.map((index) => read?.receipts?.logsOf(index))).toEqual(
    indices.map((index) => expected?.receipts?.logsOf(index)),
  )
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([])
})

it('receipts of another branch are not a lie, and are requested again', async () => {
  let requested = 0
  const a = await lyingNode((list) =>
    requested++ > 0 ? list : list.map((receipt) => ({ ...receipt, blockHash: `0x${'99'.repeat(32)}` })),
  )
  const { chain, lines } = open([a.url])
  expect((await chain.readBlocks(NUMBER, NUMBER))[0]?.logs).toHaveLength(selected.length)
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([])
  const never = await lyingNode((list) => list.map((receipt) => ({ ...receipt, blockHash: `0x${'99'.repeat(32)}` })))
  expect(await failure(open([never.url]).chain.readBlocks(NUMBER, NUMBER))).toBeInstanceOf(ChainInconsistent)
})

// header of a branch -> reorg to an empty block -> its receipts: none
it('missing receipts are not a lie if the node has moved to another branch', async () => {
  let [headers, lists] = [0, 0]
  const a = await recordedNode()
  a.respond = ({ method }, honest) => {
    if (method === 'eth_getBlockReceipts' && lists++ === 0) return []
    if (method === 'eth_getBlockByNumber' && headers++ === 1) return { ...block, hash: `0x${'99'.repeat(32)}` }
    return honest()
  }
  const { chain, lines } = open([a.url])
  expect((await chain.readBlocks(NUMBER, NUMBER))[0]?.logs).toHaveLength(selected.length)
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([])
})

it('receipts that are not there yet are waited for', async () => {
  let requested = 0
  const a = await lyingNode((list) => (requested++ > 0 ? list : null))
  expect(await open([a.url]).chain.readBlocks(NUMBER, NUMBER)).toHaveLength(1)
  const never = await lyingNode(() => null)
  expect(await failure(open([never.url]).chain.readBlocks(NUMBER, NUMBER))).toBeInstanceOf(BlocksUnavailable)
})

it('a header with a field of a later fork is read without proof', async () => {
  const a = await recordedNode()
  a.respond = altered<Json>('eth_getBlockByNumber', (header) => ({ ...header, timestamp: '0x61', laterField: '0x1' }))
  const read: string[] = []
  const { chain, lines } = open([a.url], { onRead: (blocks, how) => read.push(`${blocks} ${how}`) })
  expect((await chain.readBlocks(NUMBER, NUMBER))[0]?.logs).toHaveLength(selected.length)
  expect(read).toEqual(['1 unproven'])
  expect(lines).toContainEqual({ level: 'info', text: expect.stringContaining('without proof') })
})

it('a part of a block proves nothing, and is read by its logs', async () => {
  const number = receipts.findIndex((receipt) => receipt.logs.some(({ topics }) => topics[0] === TRANSFER))
  const [kept, body] = [receipts.slice(number, number + 1), (block.transactions as Json[]).slice(number, number + 1)]
  const a = await recordedNode()
  a.respond = ({ method }, honest) => {
    if (method === 'eth_getBlockByNumber') return { ...(honest() as Json), transactions: body }
    if (method === 'eth_getBlockReceipts') return kept
    return method === 'eth_getLogs'
      ? kept.flatMap((receipt) => receipt.logs).filter((log) => log.topics[0] === TRANSFER)
      : honest()
  }
  const { chain, lines } = open([a.url])
  expect((await chain.readBlocks(NUMBER, NUMBER))[0]?.transactions.size).toBe(1)
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([])
})

describe('history', () => {
  /** A node that has the recorded block and reports some of its logs. */
  async function nodeWithLogs(first: number, end?: number) {
    const a = await recordedNode()
    a.respond = altered('eth_getLogs', (logs) => logs.slice(first, end))
    return a
  }

  it('is proven block by block, and has the rows that its logs have', async () => {
    const a = await recordedNode()
    const read: string[] = []
    const { chain } = open([a.url], { onRead: (blocks, how) => read.push(`${blocks} ${how}`) })
    const proven = await chain.readRange(NUMBER, NUMBER)
    expect(methods(a.batches)).toEqual(['eth_chainId', 'eth_getBlockByNumber', 'eth_getBlockReceipts'])
    const { blocks } = await open([a.url], { proveHistory: 0 }).chain.readRange(NUMBER, NUMBER)
    expect(blocks).toEqual(asUnproven(proven.blocks))
    expect(proven.blocks[0]?.logs).toHaveLength(selected.length)
    expect(read).toEqual(['1 proven'])
  })

  it('whose receipts the endpoint does not keep is read by its logs, and later blocks are still proven', async () => {
    let isKept = false
    const a = await recordedNode()
    a.respond = ({ method }, honest) => {
      if (method !== 'eth_getBlockReceipts' || isKept) return honest()
      throw new NodeError(4444, 'pruned history unavailable')
    }
    const read: string[] = []
    const { chain } = open([a.url], { onRead: (blocks, how) => read.push(`${blocks} ${how}`) })
    await chain.readRange(NUMBER, NUMBER)
    isKept = true
    await chain.readRange(NUMBER, NUMBER)
    expect(read).toEqual(['1 unproven', '1 proven'])
  })

  it('is not requested by its logs if it can be proven, so that none can be left out', async () => {
    const a = await nodeWithLogs(1)
    const [read] = (await open([a.url]).chain.readRange(NUMBER, NUMBER)).blocks
    expect(read?.logs).toHaveLength(selected.length)
  })

  it('that is proven in part is compared with the receipts of some of its blocks', async () => {
    const [liar, honest] = [await nodeWithLogs(1), await recordedNode()]
    const clock = { ...hastyClock(), random: () => 0.4 }
    const { chain, lines } = client([liar.url, honest.url], { topics: [TRANSFER], proveHistory: 0.5 }, clock)
    expect((await chain.readRange(NUMBER, NUMBER)).blocks[0]?.logs).toHaveLength(selected.length)
    expect(lines).toContainEqual({ level: 'warn', text: expect.stringMatching(/set aside.*logs of a range for/) })
    const unseen = client([liar.url], { topics: [TRANSFER], proveHistory: 0.3 }, clock)
    expect((await unseen.chain.readRange(NUMBER, NUMBER)).blocks[0]?.logs).toHaveLength(selected.length - 1)
  })

  it.each([
    ['of many transactions is read whole after its first part', 32, 'proven'],
    ['of one transaction is read by its logs', 1, 'unproven'],
  ])('that need not be proven, %s', async (_, logs, then) => {
    const a = await nodeWithLogs(0, logs)
    const read: string[] = []
    const { chain } = open([a.url], { proveHistory: 0, onRead: (_blocks, how) => read.push(how) })
    for (const _part of [1, 2, 3]) await chain.readRange(NUMBER, NUMBER)
    expect(read).toEqual(['unproven', then, then])
  })
})

it('reports whether unproven blocks were read recently', async () => {
  const clock = hastyClock()
  const a = await recordedNode()
  const { chain } = client([a.url], { topics: [TRANSFER] }, clock)
  expect(chain.readsUnproven()).toBeNull()
  await chain.readBlocks(NUMBER, NUMBER)
  expect(chain.readsUnproven()).toBe(false)
  const honest = a.respond
  a.respond = refusing('eth_getBlockReceipts', -32601, 'the method does not exist')
  await chain.readBlocks(NUMBER, NUMBER)
  expect(chain.readsUnproven()).toBe(true)
  a.respond = honest
  await clock.sleep(10 * 60_000)
  expect(chain.readsUnproven()).toBe(false)
})

describe('an archive', () => {
  const isTransfer = ({ topics }: Json) => (topics as string[])[0] === TRANSFER
  const SYNC = '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1'

  /** The block as an archive returns it: the transactions that have a SYNC log, and all their logs. */
  function archived(): PortalLine {
    const ours = receipts.filter((receipt) => receipt.logs.some(({ topics }) => topics[0] === SYNC))
    const hashes = new Set(ours.map(({ transactionHash }) => transactionHash))
    const transactions = (block.transactions as Json[])
      .filter(({ hash }) => hashes.has(hash))
      .map((json) => ({ ...json, transactionIndex: Number(json.transactionIndex), type: Number(json.type) }))
    const logs = ours.flatMap((receipt) =>
      receipt.logs.map((log) => ({
        ...log,
        logIndex: Number(log.logIndex),
        transactionIndex: Number(log.transactionIndex),
      })),
    )
    const header = { number: NUMBER, hash: block.hash, parentHash: String(block.parentHash) }
    return { header: { ...header, timestamp: Number(block.timestamp) }, transactions, logs }
  }

  /** Returns how the block was read if an archive returns `line`. */
  async function readOf(line: PortalLine) {
    const portal = await madePortal({ blocks: [] as MemoryChain['blocks'] } as MemoryChain)
    portal.lie = () => [line]
    const read: string[] = []
    const archive = { url: portal.url, key: null }
    const onRead: ChainOptions['onRead'] = (_, how) => read.push(how)
    const { chain, lines } = client(
      [(await recordedNode()).url],
      { topics: [SYNC], proveHistory: 1, archive, onRead },
      { ...hastyClock(), random: () => 0.5 },
    )
    await chain.readRange(NUMBER, NUMBER)
    return { read, warnings: lines.filter(({ level }) => level === 'warn').map(({ text }) => text) }
  }

  it('that returns the receipts that the node proves is trusted', async () => {
    expect(await readOf(archived())).toEqual({ read: ['archived'], warnings: [] })
  })

  it.each<[string, (line: PortalLine) => PortalLine['logs']]>([
    ['leaves out', ({ logs = [] }) => logs.filter((_, at) => at !== logs.findIndex(isTransfer))],
    [
      'changes',
      ({ logs = [] }) => logs.map((log) => (isTransfer(log) ? { ...log, data: `0x${'11'.repeat(32)}` } : log)),
    ],
  ])('that %s a log of a topic that was not requested is kept in use', async (_, lie) => {
    const line = archived()
    const { read, warnings } = await readOf({ ...line, logs: lie(line) ?? [] })
    expect(read).toEqual(['proven'])
    expect(warnings).toEqual([expect.stringMatching(/shows a false block \d+: another receipt of 0x/)])
  })
})
