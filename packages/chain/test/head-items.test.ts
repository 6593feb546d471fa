import { NodeError } from '@dexfeed/lab/node/rpc/answer'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { ChainOptions } from '../src/chain.ts'
import { hashOf, type MemoryChain, memoryChain } from './memory-chain.ts'
import { client, failure, node } from './scene.ts'
import { manualClock, passUntil } from './test-clock.ts'

const POLL_MS = 500

/** A client that watches the head of a chain and has read it once. Time passes only when the test moves it. */
async function scene(world: MemoryChain, { socket, ...options }: Partial<ChainOptions> & { socket: boolean }) {
  const clock = manualClock()
  const a = await node(world)
  const { chain } = client(socket ? [a.url, a.wsUrl] : [a.url], { pollMs: POLL_MS, ...options }, clock)
  const watched = { wakes: 0 }
  onTestFinished(chain.onHead(() => watched.wakes++))
  const woken = (before: number) => expect.poll(() => watched.wakes).toBeGreaterThan(before)
  /** Waits for one pause of the poll loop. */
  const poll = async (ms = POLL_MS) => {
    const polls = a.requested().length
    await expect.poll(() => clock.waiting()).toBeGreaterThan(0)
    clock.advance(ms)
    await expect.poll(() => a.requested().length).toBeGreaterThan(polls)
  }
  /** Does what a follower does with a head, and looks for another one. */
  const follow = async () => {
    const { number } = await chain.head()
    await chain.finalized()
    await chain.readBlocks(number, number)
    await chain.finalized()
    expect((await chain.head()).number).toBe(number)
    return number
  }
  const mine = async () => {
    const before = watched.wakes
    const { number } = world.mine([{}])
    if (socket) a.announce(number)
    else await poll()
    await woken(before)
    return number
  }
  await woken(0)
  if (socket) {
    await expect.poll(() => a.sockets).toHaveLength(1)
    await vi.waitFor(() => {
      a.announce(world.blocks.length - 1)
      expect(watched.wakes).toBeGreaterThan(1)
    }, 30_000)
  }
  await follow()
  /** Returns how many items were requested after the first `since` ones, by method or by the block's tag. */
  const requested = (since: number) => {
    const counts: Record<string, number> = {}
    for (const { method, params } of a.requested().slice(since)) {
      // The chain id is requested once for the socket.
      if (method === 'eth_chainId') continue
      const [first] = params
      const subject = first === 'latest' || first === 'finalized' ? first : method
      counts[subject] = (counts[subject] ?? 0) + 1
    }
    return counts
  }
  return { a, chain, clock, watched, mine, follow, poll, requested, items: () => a.requested().length }
}

const TWO_A_BLOCK = { eth_getBlockByNumber: 20, eth_getLogs: 20 }

it('the head takes two items per block if a socket announces it', async () => {
  const { mine, follow, requested, items } = await scene(memoryChain(1, 30), { socket: true })
  const since = items()
  for (let i = 0; i < 20; i++) {
    const number = await mine()
    expect(await follow()).toBe(number)
  }
  expect(requested(since)).toEqual(TWO_A_BLOCK)
})

it('calls at the latest block do not request it if it is known, unless the endpoint lacks it', async () => {
  const world = memoryChain(1, 30)
  const { a, chain, clock, requested, items } = await scene(world, { socket: true })
  const known = world.blocks.at(-1)?.hash
  const at: unknown[] = []
  const lacking = new Set<unknown>()
  a.respond = ({ method, params }, honest) => {
    if (method !== 'eth_call') return honest()
    const { blockHash } = params[1] as { blockHash: string }
    at.push(blockHash)
    if (lacking.has(blockHash)) throw new NodeError(-32000, 'header not found')
    return '0x01'
  }
  const request = () => chain.callMany([{ to: '0x00000000000000000000000000000000000000aa', data: '0x01' }], 'latest')
  const since = items()
  expect(await request()).toEqual(['0x01'])
  expect(at).toEqual([known])
  expect(requested(since)).toEqual({ eth_call: 1 })
  lacking.add(known)
  const { hash } = world.mine([{}])
  const response = request()
  await expect.poll(() => at).toHaveLength(2)
  await vi.waitFor(() => {
    clock.advance(100)
    expect(at).toEqual([known, known, hash])
  }, 30_000)
  expect(await response).toEqual(['0x01'])
})

it('the head takes three items per block if polls find it', async () => {
  const { mine, follow, requested, items } = await scene(memoryChain(56, 30), { socket: false, network: 'bsc' })
  const since = items()
  for (let i = 0; i < 20; i++) {
    const number = await mine()
    expect(await follow()).toBe(number)
  }
  // Ten seconds have passed.
  expect(requested(since)).toEqual({ ...TWO_A_BLOCK, latest: 20, finalized: 1 })
})

it('if blocks are rare, polls read only the number, and the head is requested once', async () => {
  const { mine, follow, poll, requested, items } = await scene(memoryChain(1, 30), { socket: false })
  for (let i = 0; i < 4; i++) await poll()
  const since = items()
  await mine()
  await follow()
  for (let i = 0; i < 3; i++) await poll()
  expect(requested(since)).toEqual({ eth_getBlockByNumber: 1, eth_getLogs: 1, latest: 2, eth_blockNumber: 3 })
})

it('finality is requested every six seconds', async () => {
  const { a, chain, clock, mine, follow, poll, requested, items } = await scene(memoryChain(1, 30), { socket: true })
  await poll()
  const since = items()
  clock.advance(4_400)
  await mine()
  await follow()
  expect(requested(since)).toEqual({ eth_getBlockByNumber: 1, eth_getLogs: 1 })
  clock.advance(1_100)
  await mine()
  await follow()
  expect(requested(since).finalized).toBe(1)
  expect(await chain.finalized()).toBe(a.chain.blocks.length - 5)
})

it('an announcement without a readable header is only a hint: the head is requested', async () => {
  for (const header of [{}, { hash: '0x12' }, { hash: null, timestamp: 'now' }]) {
    const { a, chain, watched, requested, items } = await scene(memoryChain(1, 30), { socket: true })
    const [since, before] = [items(), watched.wakes]
    const { number, hash } = a.chain.mine([{}])
    a.announce(number, header)
    await expect.poll(() => watched.wakes).toBeGreaterThan(before)
    expect(await chain.head()).toMatchObject({ number, hash })
    expect(requested(since)).toEqual({ latest: 1 })
  }
})

//  .. - 30            what the endpoint has
//        \
//         31 .. 40    what is announced, and does not exist
it('an announced head that no endpoint has is forgotten when its blocks cannot be read', async () => {
  const { a, chain, clock, watched } = await scene(memoryChain(1, 30), { socket: true })
  const before = watched.wakes
  a.announce(40, { ...a.chain.blocks[30]?.header, number: '0x28', hash: hashOf('made up') })
  await expect.poll(() => watched.wakes).toBeGreaterThan(before)
  expect((await chain.head()).number).toBe(40)
  const failed = failure(chain.readBlocks(31, 40))
  let isOver = false
  void failed.then(() => {
    isOver = true
  })
  await passUntil(clock, 100, () => isOver)
  expect(await failed).toMatchObject({ name: 'BlocksUnavailable' })
  expect((await chain.head()).number).toBe(30)
})

it('what is stored is the block that is read, whatever was announced', async () => {
  const { a, chain, watched } = await scene(memoryChain(1, 30), { socket: true })
  const before = watched.wakes
  const { number, hash, header } = a.chain.mine([{}])
  a.announce(number, { ...header, hash: hashOf('made up'), timestamp: '0x1' })
  await expect.poll(() => watched.wakes).toBeGreaterThan(before)
  expect((await chain.head()).hash).toBe(hashOf('made up'))
  expect((await chain.readBlocks(number, number))[0]).toMatchObject({ hash, timestamp: Number(header.timestamp) })
})

it('nothing is remembered while heads are not watched', async () => {
  const a = await node(memoryChain(1, 30))
  const { chain } = client([a.url, a.wsUrl], {}, manualClock())
  chain.onHead(() => undefined)()
  for (let i = 0; i < 2; i++) expect([(await chain.head()).number, await chain.finalized()]).toEqual([30, 26])
  a.chain.mine()
  expect([(await chain.head()).number, await chain.finalized()]).toEqual([31, 27])
})
