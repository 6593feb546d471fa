import { NodeError } from '@dexfeed/lab/node/rpc/answer'
import { afterEach, expect, it, vi } from 'vitest'
import { hex, type MemoryChain, memoryChain } from './memory-chain.ts'
import { client, node } from './scene.ts'
import { refusing } from './scripted-node.ts'
import { type ManualClock, manualClock, passUntil as passBy } from './test-clock.ts'

const passUntil = (clock: ManualClock, until: () => boolean) => passBy(clock, 100, until)

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

function watch(urls: readonly string[], clock: ManualClock) {
  const { chain, lines } = client(urls, {}, clock)
  const watching = { wakes: 0, lines, chain }
  stops.push(chain.onHead(() => watching.wakes++))
  return watching
}

it('reports the head, also when it goes backwards', async () => {
  const long = memoryChain(1, 8)
  const a = await node(long)
  const { chain } = client([a.url])
  expect(await chain.head()).toEqual({
    number: 8,
    hash: long.blocks[8]?.hash,
    parentHash: long.blocks[7]?.hash,
    timestamp: 1_700_000_096,
  })
  a.chain = long.fork(3)
  expect((await chain.head()).number).toBe(3)
})

it('reports that a header is missing', async () => {
  const a = await node(memoryChain(1, 3))
  const { chain } = client([a.url])
  expect(await chain.header(9)).toBeNull()
  a.respond = refusing(null, -32000, 'header not found')
  expect(await client([a.url], {}).chain.verifyChainId()).toMatchObject({ responding: 0 })
  expect(await chain.header(3)).toBeNull()
})

it('leaves an endpoint that is stuck far below the others', async () => {
  const world = memoryChain(1, 100)
  const [a, b] = [await node(world.fork(10)), await node(world)]
  const { chain, lines } = client([a.url, b.url])
  await expect.poll(async () => (await chain.head()).number).toBe(100)
  expect((await chain.header(100))?.number).toBe(100)
  expect(lines.filter(({ level }) => level === 'warn').map(({ text }) => text)).toEqual([
    expect.stringContaining('stuck'),
  ])
})

it('a head that an endpoint cannot show sets no other one aside', async () => {
  const world = memoryChain(1, 100)
  const [a, b] = [await node(world), await node(world)]
  b.respond = ({ params }, honest) =>
    params[0] === 'latest' ? { ...(honest() as object), number: '0x1000', hash: `0x${'99'.repeat(32)}` } : honest()
  const { chain, lines } = client([a.url, b.url])
  expect((await chain.head()).number).toBe(100)
  await expect.poll(() => b.requested('eth_getBlockByNumber').length).toBeGreaterThan(1)
  expect((await chain.head()).number).toBe(100)
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([])
})

it('stays with an endpoint that is one block below another', async () => {
  const world = memoryChain(1, 100)
  const [a, b] = [await node(world.fork(99)), await node(world)]
  const { chain } = client([a.url, b.url])
  expect((await chain.head()).number).toBe(99)
  expect((await chain.head()).number).toBe(99)
})

it('clamps a finalized block above the latest, and accepts nodes without the tag', async () => {
  const a = await node(memoryChain(1, 20))
  const { chain, lines } = client([a.url])
  expect(await chain.finalized()).toBe(16)
  a.respond = ({ params }, honest) => {
    const block = honest() as object
    return params[0] === 'finalized' ? { ...block, number: hex(99) } : block
  }
  expect(await chain.finalized()).toBe(20)
  expect(lines.some(({ text }) => text.includes('clamped'))).toBe(true)
  a.respond = ({ params }, honest) => (params[0] === 'finalized' ? null : honest())
  expect(await chain.finalized()).toBeNull()
  for (const [code, message] of [
    [-39001, 'Unknown block'],
    [-32602, 'invalid argument 0: hex string without 0x prefix'],
    [-32000, 'finalized block not found'],
    [-32601, 'Method not found'],
  ] as const) {
    a.respond = ({ params }, honest) => {
      if (params[0] === 'finalized') throw new NodeError(code, message)
      return honest()
    }
    expect(await chain.finalized()).toBeNull()
  }
})

it('reads a receipt, and rejects logs of another transaction in it', async () => {
  const world = memoryChain(1, 3)
  const block = world.mine([{}, { transaction: 1 }])
  const a = await node(world)
  const { chain } = client([a.url])
  const place = { hash: block.logs[1]?.transactionHash as `0x${string}`, blockHash: block.hash }
  const logs = () => chain.transactionLogs([place])
  expect((await logs()).map((each) => each.map(({ logIndex }) => logIndex))).toEqual([[1]])
  a.respond = (_, honest) => ({ ...(honest() as object), logs: block.logs })
  await expect(logs()).rejects.toThrow('logs of another transaction')
  a.respond = (_, honest) => ({ ...(honest() as object), logs: [null] })
  await expect(logs()).rejects.toThrow('unreadable log')
  a.respond = (_, honest) => honest()
  const elsewhere = chain.transactionLogs([{ ...place, blockHash: `0x${'12'.repeat(32)}` }])
  await expect(elsewhere).rejects.toThrow('is of block')
  await expect(elsewhere).rejects.toMatchObject({ retryable: true })
  const unknown = chain.transactionLogs([{ ...place, hash: `0x${'12'.repeat(32)}` }])
  await expect(unknown).rejects.toMatchObject({ name: 'BlocksUnavailable', retryable: true })
})

it('wakes by polling without a socket, once per change', async () => {
  const world = memoryChain(1, 3)
  const clock = manualClock()
  const a = await node(world)
  const watching = watch([a.url], clock)
  await passUntil(clock, () => watching.wakes === 1)
  const polls = a.batches.length
  await passUntil(clock, () => a.batches.length > polls + 9)
  expect(watching.wakes).toBe(1)
  world.mine()
  await passUntil(clock, () => watching.wakes === 2)
})

it('wakes when a reorg keeps the height', async () => {
  const world = memoryChain(1, 3)
  const clock = manualClock()
  const a = await node(world)
  const watching = watch([a.url], clock)
  await passUntil(clock, () => watching.wakes === 1)
  await passUntil(clock, () => a.batches.length > 9)
  a.chain = world.fork(2)
  a.chain.mine()
  await passUntil(clock, () => watching.wakes === 2)
})

it.each([0, 1, 2, 3])('wakes when a reorg keeps the height before the hash was read (poll %i)', async (round) => {
  const [world, clock] = [memoryChain(1, 3), manualClock()]
  const a = await node(world)
  const watching = watch([a.url], clock)
  await passUntil(clock, () => watching.wakes === 1 && a.batches.length > 9 + round)
  world.mine()
  await passUntil(clock, () => watching.wakes === 2)
  a.chain = world.fork(3)
  a.chain.mine()
  await passUntil(clock, () => watching.wakes === 3)
})

it('continues polling at the next endpoint when one is gone', async () => {
  const world = memoryChain(1, 3)
  const clock = manualClock()
  const [a, b] = [await node(world), await node(world)]
  const watching = watch([a.url, b.url], clock)
  await passUntil(clock, () => watching.wakes === 1)
  await a.stop()
  world.mine()
  await passUntil(clock, () => watching.wakes === 2)
  expect(b.requested().length).toBeGreaterThan(0)
})

it('notices by polling that its endpoint is stuck', async () => {
  const world = memoryChain(1, 3)
  const clock = manualClock()
  const [a, b] = [await node(world.fork(3)), await node(world)]
  const watching = watch([a.url, b.url], clock)
  await passUntil(clock, () => watching.wakes === 1)
  for (let i = 0; i < 60; i++) world.mine()
  await passUntil(clock, () => watching.wakes === 2)
  expect((await watching.chain.head()).number).toBe(63)
})

/** A watch whose socket has reported `world`'s head. */
async function socketScene(world: MemoryChain) {
  const clock = manualClock()
  const a = await node(world)
  const watching = watch([a.url, a.wsUrl], clock)
  await expect.poll(() => a.sockets).toHaveLength(1)
  await vi.waitFor(() => {
    a.announce(world.blocks.length - 1)
    expect(watching.wakes).toBeGreaterThan(1)
  }, 30_000)
  // The last poll at the fast pace is over once the first long pause has passed.
  await passUntil(clock, () => a.batches.length > 1)
  return { clock, a, watching }
}

it('wakes by the socket immediately, and polls slowly meanwhile', async () => {
  const world = memoryChain(1, 3)
  const { clock, a, watching } = await socketScene(world)
  const [polls, wakes] = [a.batches.length, watching.wakes]
  world.mine()
  a.announce(4)
  await expect.poll(() => watching.wakes).toBeGreaterThan(wakes)
  for (let i = 0; i < 40; i++) {
    clock.advance(100)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  expect(a.batches.length - polls).toBeLessThanOrEqual(1)
})

it('coalesces many hints into one wake', async () => {
  const { a, watching } = await socketScene(memoryChain(1, 3))
  const before = watching.wakes
  // Sent together, these heads arrive in a few packets and a few turns of the client's event loop.
  for (let i = 0; i < 50; i++) a.announce(4 + i)
  await expect.poll(() => watching.wakes).toBeGreaterThan(before)
  expect(watching.wakes - before).toBeLessThan(25)
})

it('leaves a socket that is open but mute, and polls until another reports', async () => {
  const world = memoryChain(1, 3)
  const { clock, a, watching } = await socketScene(world)
  const mute = a.sockets[0]
  const { wakes } = watching
  const start = clock.now()
  world.mine()
  await passUntil(clock, () => watching.wakes > wakes)
  await passUntil(clock, () => a.sockets.length === 1 && a.sockets[0] !== mute)
  // This is long before the socket would count as silent.
  expect(clock.now() - start).toBeLessThan(60_000)
})

it('leaves a socket that was silent for ten block times, although no head was missed', async () => {
  const { clock, a } = await socketScene(memoryChain(1, 3))
  const silent = a.sockets[0]
  clock.advance(121_000)
  await passUntil(clock, () => a.sockets.length === 1 && a.sockets[0] !== silent)
})

it('backs off from a socket that refuses, closes, or sends nonsense, and polls at full pace', async () => {
  const world = memoryChain(1, 3)
  const clock = manualClock()
  const a = await node(world)
  let connections = 0
  a.onSocketMessage = (socket, { id }) => {
    connections++
    if (connections === 1) socket.send(JSON.stringify({ id, error: { code: -32601, message: 'no subscriptions' } }))
    else if (connections === 2) socket.close(1011)
    else {
      socket.send('nonsense')
      socket.send(JSON.stringify({ id, result: '0xfeed' }))
      const params = { subscription: '0xother', result: { number: '0x63' } }
      socket.send(JSON.stringify({ method: 'eth_subscription', params }))
    }
  }
  const watching = watch([a.url, a.wsUrl], clock)
  await passUntil(clock, () => connections === 3)
  const polls = a.batches.length
  await passUntil(clock, () => a.batches.length > polls + 5)
  world.mine()
  const wakes = watching.wakes
  await passUntil(clock, () => watching.wakes > wakes)
})

it('stops with its caller and with the client', async () => {
  const a = await node(memoryChain(1, 3))
  const { chain } = client([a.url, a.wsUrl], {}, manualClock())
  let wakes = 0
  const stop = chain.onHead(() => wakes++)
  chain.onHead(() => undefined)
  await expect.poll(() => a.sockets).toHaveLength(2)
  await expect.poll(() => wakes).toBe(1)
  stop()
  await expect.poll(() => a.sockets).toHaveLength(1)
  await chain.close()
  await expect.poll(() => a.sockets).toHaveLength(0)
})

it('blocks that the nodes do not keep are not there; one endpoint that has them is enough', async () => {
  const chain = memoryChain(1, 100)
  const [pruned, whole] = [await node(chain), await node(chain)]
  pruned.respond = ({ method, params: [number] }, honest) => {
    if (method !== 'eth_getBlockByNumber' || Number(number) >= 50) return honest()
    throw new NodeError(4444, 'pruned history unavailable')
  }
  const alone = client([pruned.url]).chain
  expect(await alone.header(0)).toBeNull()
  expect(await alone.header(49)).toBeNull()
  expect((await alone.header(50))?.number).toBe(50)
  expect((await client([pruned.url, whole.url]).chain.header(0))?.hash).toBe(chain.blocks[0]?.hash)
})
