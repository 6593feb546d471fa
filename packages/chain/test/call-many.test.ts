import { type Hex, MINUTE } from '@dexfeed/dex'
import { NodeError } from '@dexfeed/lab/node/rpc/answer'
import { expect, it } from 'vitest'
import { type Call, MULTICALL3 } from '../src/calls/multicall.ts'
import { BlocksUnavailable, RpcUnavailable } from '../src/errors/chain-error.ts'
import { call, echo, execute, numbered } from './fixtures/scripted-evm.ts'
import { hex, memoryChain } from './memory-chain.ts'
import { client, failure, node } from './scene.ts'
import type { ScriptedNode } from './scripted-node.ts'
import { hastyClock } from './test-clock.ts'

it('makes all calls at one block, through Multicall3', async () => {
  const world = memoryChain(1, 5)
  const a = await node(world)
  execute(a)
  const { chain } = client([a.url])
  const calls = numbered(1000)
  const head = world.blocks[5]?.hash ?? '0x'
  expect(await chain.callMany(calls, head)).toEqual(calls.map(({ data }) => data))
  const requested = a.requested('eth_call')
  expect(requested).toHaveLength(4)
  expect(requested.every(({ params }) => (params[1] as { blockHash: Hex }).blockHash === head)).toBe(true)
  await chain.callMany(calls, 3)
  expect(a.requested('eth_call').at(-1)?.params[1]).toBe('0x3')
  await chain.callMany(calls, 'latest')
  expect(a.requested('eth_call').at(-1)?.params[1]).toEqual({ blockHash: head })
  expect(a.requested('eth_getCode')).toHaveLength(1)
})

it('makes single calls in batches if there is not a Multicall3', async () => {
  const a = await node(memoryChain(1, 5))
  execute(a, { multicall: false })
  const { chain } = client([a.url])
  const calls = numbered(250)
  expect(await chain.callMany(calls, 5)).toEqual(calls.map(({ data }) => data))
  expect(a.batches.filter((batch) => batch[0]?.method === 'eth_call').map(({ length }) => length)).toEqual([
    100, 100, 50,
  ])
  expect(await chain.callMany([], 5)).toEqual([])
})

it.each([true, false])('gives null for what reverts, is empty, or too large (Multicall3: %s)', async (multicall) => {
  const a = await node(memoryChain(1, 5))
  execute(a, { multicall })
  const { chain } = client([a.url])
  const calls = ['0x01', '0xdead', '0xee', '0xff', '0x02'].map((data) => call(data as Hex))
  expect(await chain.callMany(calls, 5)).toEqual(['0x01', null, null, null, '0x02'])
})

it('repeats directly what failed beside a call that burns all gas', async () => {
  const a = await node(memoryChain(1, 5))
  // After the first call, every call inside the multicall fails.
  let inside = 0
  const evm = execute(a)
  evm.contract = (data) => {
    if (inside++ < 3) throw new NodeError(-32000, 'out of gas')
    return echo(data)
  }
  expect(await client([a.url]).chain.callMany(numbered(3), 5)).toEqual(numbered(3).map(({ data }) => data))
})

it('does not read a revert message as the node’s words, and keeps the endpoint in use', async () => {
  const a = await node(memoryChain(1, 3))
  execute(a, {
    contract: (data) => {
      if (data.startsWith('0xdead')) throw new NodeError(3, 'execution reverted: rate limit exceeded', '0x')
      return echo(data)
    },
  })
  const { chain, lines } = client([a.url])
  expect(await chain.callMany([call('0x01'), call('0xdead'), call('0x02')], 3)).toEqual(['0x01', null, '0x02'])
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([])
})

it('checks for Multicall3 again after a denial', async () => {
  const a = await node(memoryChain(1, 3))
  const evm = execute(a, { multicall: false })
  const clock = hastyClock()
  const { chain } = client([a.url], {}, clock)
  const singles = () => a.requested('eth_call').filter(({ params }) => (params[0] as Call).to !== MULTICALL3).length
  await chain.callMany(numbered(3), 3)
  evm.multicall = true
  await chain.callMany(numbered(3), 3)
  expect(singles()).toBe(6)
  await clock.sleep(MINUTE)
  await chain.callMany(numbered(3), 3)
  expect(singles()).toBe(6)
})

it('makes smaller groups until the gas is enough', async () => {
  const a = await node(memoryChain(1, 5))
  execute(a, { gas: 40 })
  const calls = numbered(300)
  expect(await client([a.url]).chain.callMany(calls, 5)).toEqual(calls.map(({ data }) => data))
  const single = await node(memoryChain(1, 5))
  execute(single, { gas: 0 })
  expect(await client([single.url]).chain.callMany(numbered(4), 5)).toEqual(numbered(4).map(({ data }) => data))
})

it('makes smaller groups until the responses fit, and gives null for a single call that does not', async () => {
  const a = await node(memoryChain(1, 5))
  a.maxBytes = 30_000
  for (const multicall of [true, false]) {
    execute(a, { multicall })
    const { chain } = client([a.url])
    const calls = [...numbered(40), call('0xff'), ...numbered(3)]
    const expected = calls.map(({ data }) => (data === '0xff' ? null : data))
    expect(await chain.callMany(calls, 5)).toEqual(expected)
  }
})

it('calls by number at nodes that do not accept a hash, if it is the same block before and after', async () => {
  const world = memoryChain(1, 5)
  const a = await node(world)
  execute(a, { byHash: false })
  const { chain } = client([a.url])
  const hash = world.blocks[4]?.hash ?? '0x'
  expect(await chain.callMany(numbered(5), hash)).toEqual(numbered(5).map(({ data }) => data))
  expect(a.requested('eth_call').at(-1)?.params[1]).toBe(hex(4))
  // A reorg happens while the calls are made.
  const evm = execute(a, { byHash: false })
  evm.contract = (data) => {
    a.chain = world.fork(2)
    for (let i = 0; i < 3; i++) a.chain.mine()
    return echo(data)
  }
  expect(await failure(chain.callMany(numbered(5), hash))).toBeInstanceOf(BlocksUnavailable)
})

it('drops what was called by number while another branch was shown', async () => {
  const world = memoryChain(1, 5)
  const branch = world.fork(2)
  for (let i = 0; i < 3; i++) branch.mine()
  const a = await node(world)
  let isElsewhere = true
  execute(a, {
    byHash: false,
    contract: (data) => {
      if (!isElsewhere) return echo(data)
      a.chain = branch
      return '0x0bad'
    },
  })
  const called = a.respond
  a.respond = (request, honest) => {
    const response = called(request, honest)
    if (request.method === 'eth_getBlockByNumber' && a.chain === branch) {
      a.chain = world
      isElsewhere = false
    }
    return response
  }
  const hash = world.blocks[4]?.hash ?? '0x'
  const calls = numbered(5)
  expect(await client([a.url]).chain.callMany(calls, hash)).toEqual(calls.map(({ data }) => data))
})

it('throws if the block is missing, and if no endpoint responds', async () => {
  const a = await node(memoryChain(1, 5))
  execute(a)
  const { chain } = client([a.url])
  expect(await failure(chain.callMany(numbered(2), `0x${'99'.repeat(32)}`))).toBeInstanceOf(BlocksUnavailable)
  a.exchange = (_, response) => {
    response.destroy()
    return true
  }
  expect(await failure(chain.callMany(numbered(2), 5))).toBeInstanceOf(RpcUnavailable)
})

it('never reads a failed request as a result', async () => {
  const a = await node(memoryChain(1, 5))
  execute(a, { multicall: false })
  const honest = a.respond
  let failing = true
  a.respond = (request, next) => {
    const fails = failing && request.method === 'eth_call' && (request.params[0] as Call).data.endsWith('07')
    if (fails) {
      failing = false
      throw new NodeError(-32603, 'Internal error')
    }
    return honest(request, next)
  }
  expect(await client([a.url]).chain.callMany(numbered(10), 5)).toEqual(numbered(10).map(({ data }) => data))
})

it('treats a call that no node executes as reverted, once a call that cannot fail succeeds', async () => {
  const a = await node(memoryChain(1, 5))
  const evm = execute(a)
  evm.contract = (data) => {
    if (data === '0x07') throw new NodeError(-32000, 'execution aborted (timeout = 5s)')
    if (data === '0x08') throw new NodeError(-32603, 'the words of this node for a halted machine')
    return echo(data)
  }
  const { chain, lines } = client([a.url])
  const calls = (['0x06', '0x07', '0x08', '0x09'] as const).map(call)
  expect(await chain.callMany(calls, 5)).toEqual(['0x06', null, null, '0x09'])
  expect(lines.filter(({ text }) => text.includes('treated as reverted'))).toHaveLength(2)
  evm.contract = () => {
    throw new NodeError(-32603, 'Internal error')
  }
  expect(await failure(chain.callMany(calls, 5))).toBeInstanceOf(RpcUnavailable)
})

it('completes at another endpoint what one has started, with only the missing calls', async () => {
  const world = memoryChain(1, 5)
  const [a, b] = [await node(world), await node(world)]
  execute(a, { multicall: false })
  execute(b, { multicall: false })
  const { chain } = client([a.url, b.url])
  const honest = a.respond
  let calls = 0
  a.respond = (request, next) => {
    if (request.method === 'eth_call' && ++calls > 250) throw new NodeError(-32603, 'Internal error')
    return honest(request, next)
  }
  expect(await chain.callMany(numbered(400), 5)).toEqual(numbered(400).map(({ data }) => data))
  expect(b.requested('eth_call').length).toBeLessThan(400)
})

it('uses another host than the first one, and reports if none responds', async () => {
  const world = memoryChain(1, 3)
  const [a, b] = [await node(world), await node(world)]
  execute(a, { contract: () => '0x' })
  execute(b)
  const { chain } = client([a.url, b.url])
  expect(await chain.callMany(numbered(2), 'latest')).toEqual([null, null])
  expect(await chain.callElsewhere(numbered(2), 'latest')).toEqual(['0x00000001', '0x00000002'])
  await b.stop()
  expect(await chain.callElsewhere(numbered(2), 'latest')).toBeNull()
  expect(await client([a.url, `${a.url}/other`]).chain.callElsewhere(numbered(1), 'latest')).toBeNull()
})

it('makes calls as work at the head, however many, unless bulk is requested', async () => {
  const a = await node(memoryChain(1, 5))
  execute(a)
  const priorities: string[] = []
  const { chain } = client([a.url], { onRequest: ({ priority }) => priorities.push(priority) })
  await chain.callMany(numbered(400), 5)
  expect(new Set(priorities.splice(0))).toEqual(new Set(['live']))
  await chain.callMany(numbered(2), 5, { priority: 'bulk' })
  expect(new Set(priorities.splice(0))).toEqual(new Set(['bulk']))
  // Calls at the latest block are always bulk work. Work at the head names its own block.
  await chain.callMany(numbered(2), 'latest')
  expect(new Set(priorities)).toEqual(new Set(['bulk']))
})

it('whether a contract existed is read from a state that an endpoint keeps, else unknown', async () => {
  const world = memoryChain(1, 100)
  const [pruned, whole] = [await node(world), await node(world)]
  const keepFrom = (target: ScriptedNode, kept: number) => {
    target.respond = ({ method, params }, honest) => {
      if (method !== 'eth_getCode') return honest()
      if (Number(params[1]) < kept) throw new NodeError(-32000, 'missing trie node 1f2e: state is not available')
      return Number(params[1]) >= 60 ? '0x6080' : '0x'
    }
  }
  keepFrom(pruned, 50)
  keepFrom(whole, 0)
  const alone = client([pruned.url]).chain
  const requested = [10, 59, 60].map((number) => alone.hasCode(MULTICALL3, number))
  expect(await Promise.all(requested)).toEqual([null, false, true])
  expect(await client([pruned.url, whole.url]).chain.hasCode(MULTICALL3, 10)).toBe(false)
})
