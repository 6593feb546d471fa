import { describe, expect, it } from 'vitest'
import type { Chain } from '../src/chain.ts'
import { BlocksUnavailable, ChainInconsistent, RpcUnavailable } from '../src/errors/chain-error.ts'
import { NUMBER, recordedNode, selected, TRANSFER } from './fixtures/recorded-node.ts'
import { hashOf, hex, type MemoryChain, memoryChain, POOL, SWAP, SYNC } from './memory-chain.ts'
import { client, failure, type LogLine, node } from './scene.ts'
import { altered, type Respond, refusing } from './scripted-node.ts'
import { hastyClock } from './test-clock.ts'

type Shown = Record<string, unknown>

/** Blocks 0 to 3 without logs, then 16 with two logs each. Every bit of each bloom is set. */
function world(chainId = 1): MemoryChain {
  const chain = memoryChain(chainId, 3)
  for (let i = 0; i < 16; i++) chain.mine([{}, { transaction: 1, topic: SYNC }])
  for (const { header } of chain.blocks) header.logsBloom = `0x${'ff'.repeat(256)}`
  return chain
}

const AWAY = refusing(null, -32603, 'Internal error')
const LAST = 19
const FULL = 32

const aboutLogs = (lie: (logs: Shown[]) => unknown): Respond => altered('eth_getLogs', lie)
const nothing = aboutLogs(() => [])
const allButOne = (logs: Shown[]) =>
  logs.filter(({ blockNumber, logIndex }) => blockNumber !== '0xa' || logIndex !== '0x1')
/** Cuts the logs of a range and of receipts alike. */
const cutting =
  (cut: (logs: Shown[]) => Shown[]): Respond =>
  ({ method }, honest) => {
    if (method === 'eth_getLogs') return cut(honest() as Shown[])
    const receipt = honest() as Shown & { logs: Shown[] }
    return method === 'eth_getTransactionReceipt' ? { ...receipt, logs: cut(receipt.logs) } : receipt
  }
const changed = aboutLogs((logs) => logs.map((log) => (log.blockNumber === '0xa' ? { ...log, data: '0x02' } : log)))
const LIES: [string, Respond][] = [
  ['no logs at all', nothing],
  ['one log left out', aboutLogs(allButOne)],
  ['another amount', changed],
]

const READINGS: [string, (chain: Chain) => Promise<number>][] = [
  ['a range of history', async (chain) => (await chain.readRange(0, LAST)).blocks.flatMap(({ logs }) => logs).length],
  ['blocks near the head', async (chain) => (await chain.readBlocks(0, LAST)).flatMap(({ logs }) => logs).length],
  [
    'logs of addresses',
    async (chain) => (await chain.logsOf({ addresses: [POOL], topics: [SWAP, SYNC], from: 0, to: LAST })).length,
  ],
  [
    'logs of addresses in blocks that may still change',
    async (chain) => {
      const branch = { from: 2, hash: (await chain.header(LAST))?.hash ?? '0x' }
      return (await chain.logsOf({ addresses: [POOL], topics: [SWAP, SYNC], from: 0, to: LAST, branch })).length
    },
  ],
]

const setAside = (lines: readonly LogLine[]) => lines.filter(({ text }) => text.includes('set aside'))
const hostOf = (url: string) => new URL(url).host

describe.each(READINGS)('%s', (_reading, read) => {
  it.each(LIES)('is read from the other endpoint after %s, and the liar is named', async (_lie, lie) => {
    const [liar, honest] = [await node(world()), await node(world())]
    liar.respond = lie
    const { chain, lines } = client([liar.url, honest.url])
    expect(await read(chain)).toBe(FULL)
    expect(setAside(lines).length).toBeGreaterThan(0)
    for (const { text } of setAside(lines)) expect(text).toContain(hostOf(liar.url))
    expect(await read(chain)).toBe(FULL)
  })

  it.each(LIES)('stays as it is if the second endpoint lies: %s', async (_lie, lie) => {
    const [honest, liar] = [await node(world()), await node(world())]
    liar.respond = lie
    const { chain, lines } = client([honest.url, liar.url])
    expect(await read(chain)).toBe(FULL)
    expect(setAside(lines).length).toBeGreaterThan(0)
    for (const { text } of setAside(lines)) expect(text).toContain(hostOf(liar.url))
  })

  it('is trusted from neither if both endpoints’ receipts agree with their logs', async () => {
    const [a, b] = [await node(world()), await node(world())]
    a.respond = cutting(allButOne)
    const { chain, lines } = client([a.url, b.url])
    expect(await failure(read(chain))).toBeInstanceOf(ChainInconsistent)
    const errors = lines.filter(({ level }) => level === 'error')
    expect(errors[0]?.text).toMatch(/contradict each other about logs/)
    for (const { url } of [a, b]) expect(errors[0]?.text).toContain(hostOf(url))
    expect(setAside(lines)).toEqual([])
  })
})

//  0 - .. - 16 - .. - 19      one host counts as one endpoint, whatever its path
it('does not use a second path of one host as a second endpoint', async () => {
  const liar = await node(world(), '/one')
  liar.respond = nothing
  const { chain } = client([liar.url, liar.url.replace('/one', '/two')])
  expect((await chain.readRange(0, LAST)).blocks.flatMap(({ logs }) => logs)).toEqual([])
})

describe('with one endpoint alone', () => {
  /** 120 blocks with two logs each, all bits of each bloom set. */
  function longWorld() {
    const chain = memoryChain(1, 0)
    for (let i = 0; i < 120; i++) chain.mine([{}, { transaction: 1, topic: SYNC }])
    for (const { header } of chain.blocks) header.logsBloom = `0x${'ff'.repeat(256)}`
    return chain
  }

  it('one block in 50 is read with its receipts', async () => {
    const a = await node(longWorld())
    const { chain } = client([a.url], {}, { ...hastyClock(), random: () => 0.2 })
    for (let from = 1; from <= 120; ) from = (await chain.readRange(from, Math.min(from + 6, 120))).to + 1
    const blocks = a.requested('eth_getTransactionReceipt').map(({ params }) => params[0])
    const of = (number: number) => a.chain.blocks[number]?.transactions.map(({ hash }) => hash) ?? []
    expect(blocks).toEqual([11, 61, 111].flatMap(of))
  })

  it.each([
    ['history', (chain: Chain) => chain.readRange(1, 60)],
    ['the head', (chain: Chain) => chain.readBlocks(1, 60)],
  ])('logs that it leaves out of %s are found there', async (_, read) => {
    const a = await node(longWorld())
    a.respond = nothing
    const error = await failure(read(client([a.url]).chain))
    expect(error).toBeInstanceOf(RpcUnavailable)
    expect(error.message).toMatch(/false block .*: logs without those of 0x/)
  })

  it('logs that it makes up are found there', async () => {
    const a = await node(longWorld())
    a.respond = aboutLogs((logs) => logs.flatMap((log) => [log, { ...log, logIndex: hex(7) }]))
    expect((await failure(client([a.url]).chain.readRange(1, 60))).message).toMatch(/its receipt does not have/)
  })

  it('one that serves no receipts is read, and the missing proof is logged', async () => {
    const a = await node(longWorld())
    a.respond = refusing('eth_getTransactionReceipt', -32601, 'the method does not exist')
    const { chain, lines } = client([a.url])
    expect((await chain.readRange(1, 60)).blocks).toHaveLength(60)
    expect(lines).toContainEqual({ level: 'warn', text: expect.stringContaining('trusted without proof') })
  })
})

it('the head waits for a second endpoint that lags, and not for one that is stuck', async () => {
  const [a, b] = [await node(world()), await node(world())]
  const clock = hastyClock()
  const { chain, lines } = client([a.url, b.url], {}, clock)
  await chain.readBlocks(0, 9)
  const behind = memoryChain(1, 3)
  b.chain = behind
  // Only the time matters, however rare blocks are.
  const before = clock.now() + 60_000
  await clock.sleep(60_000)
  const sleep = clock.sleep
  clock.sleep = async (ms) => {
    b.chain = a.chain
    await sleep(ms)
  }
  expect((await chain.readBlocks(10, LAST)).flatMap(({ logs }) => logs)).toHaveLength(20)
  expect(clock.slept).toEqual([60_000, 100])
  clock.sleep = sleep
  b.chain = behind
  expect((await chain.readBlocks(10, LAST)).flatMap(({ logs }) => logs)).toHaveLength(20)
  expect(clock.now() - before).toBeGreaterThanOrEqual(10_000)
  const requested = clock.slept.length
  expect((await chain.readBlocks(10, LAST)).flatMap(({ logs }) => logs)).toHaveLength(20)
  expect(clock.slept).toHaveLength(requested)
  expect(setAside(lines)).toEqual([])
})

// started -> second endpoint away -> the first one lies -> second endpoint back
it.each(READINGS)('%s waits once for a second endpoint that has not responded yet', async (_reading, read) => {
  const [liar, honest] = [await node(world()), await node(world())]
  liar.respond = nothing
  honest.respond = AWAY
  const clock = hastyClock()
  const { chain, lines } = client([liar.url, honest.url], {}, clock)
  const sleep = clock.sleep
  clock.sleep = async (ms) => {
    if (clock.now() > 2_000) honest.respond = (_request, honest) => honest()
    await sleep(ms)
  }
  expect(await read(chain)).toBe(FULL)
  expect(setAside(lines).some(({ text }) => text.includes(hostOf(liar.url)))).toBe(true)
  const late = client([liar.url, honest.url], {}, hastyClock())
  honest.respond = AWAY
  expect(await read(late.chain)).toBe(0)
  expect(late.lines).toContainEqual({ level: 'warn', text: expect.stringContaining('trusted from one endpoint') })
})

// History waits ten minutes, or as long as the head if that is longer.
it.each([
  [10, {}],
  [30, { headPatienceMs: 30 * 60_000 }],
])('history waits %i minutes for a second endpoint that reported logs before', async (minutes, patience) => {
  const [a, b] = [await node(world()), await node(world())]
  const clock = hastyClock()
  const { chain } = client([a.url, b.url], patience, clock)
  await chain.readRange(0, 5)
  b.respond = AWAY
  const error = await failure(chain.readRange(6, LAST))
  expect(error).toBeInstanceOf(BlocksUnavailable)
  expect(String(error.cause)).toContain(hostOf(b.url))
  await clock.sleep((minutes / 3) * 60_000)
  expect(await failure(chain.readRange(6, LAST))).toBeInstanceOf(BlocksUnavailable)
  await clock.sleep(minutes * 60_000)
  expect((await chain.readRange(6, LAST)).to).toBe(LAST)
})

it('a second opinion waits for the other endpoint for a day, also if it has never responded', async () => {
  const [liar, honest] = [await node(world()), await node(world())]
  liar.respond = nothing
  honest.respond = AWAY
  const clock = hastyClock()
  const { chain } = client([liar.url, honest.url], {}, clock)
  const opinion = () => chain.readRange(0, LAST, { secondOpinion: true })
  expect(await failure(opinion())).toBeInstanceOf(BlocksUnavailable)
  await clock.sleep(23 * 60 * 60_000)
  expect(await failure(opinion())).toBeInstanceOf(BlocksUnavailable)
  await clock.sleep(60 * 60_000)
  expect((await opinion()).blocks.flatMap(({ logs }) => logs)).toEqual([])
})

it('history is trusted from neither of two endpoints on two branches', async () => {
  const trunk = world()
  const [left, right] = [trunk.fork(10), trunk.fork(10)]
  for (const fork of [left, right]) for (let i = 0; i < 9; i++) fork.mine([{}])
  const [a, b] = [await node(left), await node(right)]
  const { chain, lines } = client([a.url, b.url])
  expect(await failure(chain.readRange(5, LAST))).toBeInstanceOf(ChainInconsistent)
  expect(lines).toContainEqual({ level: 'warn', text: expect.stringContaining('different branches') })
})

it.each([0, 1])('nodes may differ about Polygon’s state-sync, whichever shows it (%i)', async (who) => {
  const nodes = [await node(world(137)), await node(world(137))]
  const each = nodes[who]
  if (each === undefined) throw new Error('no node')
  each.respond = aboutLogs((logs) => [
    ...logs,
    ...logs
      .slice(0, 1)
      .map((log) => ({ ...log, transactionHash: hashOf('bridge'), transactionIndex: hex(2), logIndex: hex(9) })),
  ])
  const { chain, lines } = client(
    nodes.map(({ url }) => url),
    { network: 'polygon' },
  )
  expect((await chain.readRange(0, LAST)).blocks.flatMap(({ logs }) => logs)).toHaveLength(FULL + 1 - who)
  expect(lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([])
})

describe('a recorded block', () => {
  const recorded = () => recordedNode('eth_getTransactionReceipt')

  it('is proven by its single receipts, against a node whose receipts are cut like its logs', async () => {
    const [liar, honest] = [await recorded(), await recorded()]
    const { transactionHash, logIndex } = selected.at(-1) as Shown
    const cut = (logs: Shown[]) =>
      logs.filter((log) => log.transactionHash !== transactionHash || log.logIndex !== logIndex)
    liar.respond = cutting(cut)
    const { chain, lines } = client([liar.url, honest.url], { topics: [TRANSFER] })
    expect((await chain.readBlocks(NUMBER, NUMBER))[0]?.logs).toHaveLength(selected.length)
    expect(setAside(lines)[0]?.text).toContain(hostOf(liar.url))
    const alone = client([liar.url], { topics: [TRANSFER] }, { ...hastyClock(), random: () => 0 })
    expect((await failure(alone.chain.readBlocks(NUMBER, NUMBER))).message).toMatch(/do not have the root/)
  })

  it('is confirmed by single receipts that number their logs anew', async () => {
    const a = await recorded()
    a.respond = altered<Shown & { logs: Shown[] }>('eth_getTransactionReceipt', (receipt) => {
      return { ...receipt, logs: receipt.logs.map((log, i) => ({ ...log, logIndex: hex(i) })) }
    })
    const { chain, lines } = client([a.url], { topics: [TRANSFER] }, { ...hastyClock(), random: () => 0 })
    expect((await chain.readBlocks(NUMBER, NUMBER))[0]?.logs).toHaveLength(selected.length)
    expect(setAside(lines)).toEqual([])
  })
})
