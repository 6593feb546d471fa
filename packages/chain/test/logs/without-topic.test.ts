import type { Address, Block } from '@dexfeed/dex'
import { describe, expect, it } from 'vitest'
import type { Chain } from '../../src/chain.ts'
import { madePortal } from '../made-portal.ts'
import { hashOf, type MemoryChain, memoryChain, POOL } from '../memory-chain.ts'
import { client, node } from '../scene.ts'
import { altered } from '../scripted-node.ts'
import { hastyClock } from '../test-clock.ts'

type Shown = Record<string, unknown>

const EMITTER: Address = '0x00000000000000000000000000000000000000e1'
const FORGER: Address = '0x00000000000000000000000000000000000000e2'
const LAST = 8
const emitters = [EMITTER]

/**
 * Every block has a swap, then a log of the emitter without topics, one of another contract, and one with another
 * topic.
 */
function world(): MemoryChain {
  const chain = memoryChain(1, 0)
  for (let i = 1; i <= LAST; i++) {
    chain.mine([
      {},
      { address: EMITTER, topic: null, data: '0x02', transaction: 1 },
      { address: FORGER, topic: null, data: '0x03', transaction: 1 },
      { address: EMITTER, topic: hashOf('Other'), data: '0x04', transaction: 1 },
    ])
  }
  return chain
}

const READINGS: [string, (chain: Chain) => Promise<readonly Block[]>][] = [
  ['a range of history', async (chain) => (await chain.readRange(1, LAST)).blocks],
  ['blocks near the head', (chain) => chain.readBlocks(1, LAST)],
]
const addressesOf = (blocks: readonly Block[]) => blocks.map(({ logs }) => logs.map(({ address }) => address))
const WHOLE = Array.from({ length: LAST }, () => [POOL, EMITTER])

describe.each(READINGS)('%s', (_, read) => {
  it('reads logs without a topic of the emitters alone', async () => {
    const a = await node(world())
    const blocks = await read(client([a.url], { proveHistory: 0, emitters }).chain)
    expect(addressesOf(blocks)).toEqual(WHOLE)
    expect(blocks.map(({ logs }) => logs[1])).toEqual(
      blocks.map(() => expect.objectContaining({ topics: [], data: '0x02', transactionIndex: 1, logIndex: 1 })),
    )
    expect([...(blocks[0]?.transactions.keys() ?? [])]).toEqual([0, 1])
  })

  it('sends no request by contract if there is not an emitter', async () => {
    const a = await node(world())
    const blocks = await read(client([a.url], { proveHistory: 0 }).chain)
    expect(addressesOf(blocks)).toEqual(WHOLE.map(() => [POOL]))
    const requested = a.batches.flat().filter(({ method }) => method === 'eth_getLogs')
    expect(JSON.stringify(requested)).not.toContain('address')
  })

  const LIES: [string, (log: Shown) => Shown[]][] = [
    ['left out', (log) => (log.blockNumber === '0x3' ? [] : [log])],
    ['of another amount', (log) => (log.blockNumber === '0x3' ? [{ ...log, data: '0x09' }] : [log])],
  ]
  it.each(LIES)('is read from the other endpoint where such a log is %s', async (_lie, lie) => {
    const respond = altered<Shown[]>('eth_getLogs', (logs) =>
      logs.flatMap((log) => (log.address === EMITTER ? lie(log) : [log])),
    )
    const [liar, honest] = [await node(full(world())), await node(full(world()))]
    liar.respond = respond
    const { chain, lines } = client([liar.url, honest.url], { proveHistory: 0, emitters })
    const blocks = await read(chain)
    expect(addressesOf(blocks)).toEqual(WHOLE)
    expect(blocks.every(({ logs }) => logs[1]?.data === '0x02')).toBe(true)
    const setAside = lines.filter(({ text }) => text.includes('set aside'))
    expect(setAside.length).toBeGreaterThan(0)
    for (const { text } of setAside) expect(text).toContain(new URL(liar.url).host)
  })
})

/** Fills the blooms, so that they claim everything and explain nothing. */
function full(chain: MemoryChain): MemoryChain {
  for (const { header } of chain.blocks) header.logsBloom = `0x${'ff'.repeat(256)}`
  return chain
}

it('a block whose bloom names the emitter has its log', async () => {
  const chain = memoryChain(1, 1)
  chain.mine([{ address: EMITTER, topic: null }])
  const a = await node(chain)
  a.respond = altered('eth_getLogs', () => [])
  const { chain: read } = client([a.url], { proveHistory: 0, emitters })
  await expect(read.readBlocks(0, 2)).rejects.toThrow()
  const { chain: unaware } = client([a.url], { proveHistory: 0 })
  expect(addressesOf(await unaware.readBlocks(0, 2))).toEqual([[], [], []])
})

it('an archive returns them, too, and is compared with the node in these', async () => {
  const made = world()
  const [portal, a] = [await madePortal(made), await node(made)]
  const archive = { url: portal.url, key: null, idleMs: 40_000 }
  const { chain } = client([a.url], { proveHistory: 0, archive, emitters })
  expect(addressesOf((await chain.readRange(1, LAST)).blocks)).toEqual(WHOLE)
  expect(portal.queries[0]?.logs).toMatchObject([{ topic0: expect.any(Array) }, { address: emitters }])
  portal.lie = (lines) =>
    lines.map((line) => ({ ...line, logs: (line.logs ?? []).filter(({ address }) => address !== EMITTER) }))
  const clock = { ...hastyClock(), random: () => 0.5 }
  const again = client([a.url], { proveHistory: 1, archive, emitters }, clock)
  expect(addressesOf((await again.chain.readRange(1, LAST)).blocks)).toEqual(WHOLE)
  expect(again.lines.filter(({ level }) => level === 'warn')).toEqual([
    { level: 'warn', text: expect.stringContaining('1 logs that are not the 2 of the node') },
  ])
})
