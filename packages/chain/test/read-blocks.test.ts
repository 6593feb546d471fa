import type { Hex } from '@dexfeed/dex'
import { NodeError } from '@dexfeed/lab/node/rpc/answer'
import { expect, it } from 'vitest'
import { BlocksUnavailable, ChainInconsistent } from '../src/errors/chain-error.ts'
import { bloomOf, hashOf, hex, memoryChain, SWAP } from './memory-chain.ts'
import { client, failure, node } from './scene.ts'
import { altered, limited, refusing } from './scripted-node.ts'

type Filter = { fromBlock?: string; toBlock?: string; blockHash?: string }

/** Blocks 0 to 3 without logs, then one with a log, one without, one with two. */
function world() {
  const chain = memoryChain(1, 3)
  chain.mine([{}])
  chain.mine()
  chain.mine([{}, { transaction: 1 }])
  return chain
}

it('returns every block, linked, in one round trip if all have logs', async () => {
  const made = world()
  const a = await node(made)
  const { chain } = client([a.url])
  const blocks = await chain.readBlocks(2, 6)
  expect(blocks.map(({ number, logs }) => [number, logs.length])).toEqual([
    [2, 0],
    [3, 0],
    [4, 1],
    [5, 0],
    [6, 2],
  ])
  expect(blocks.map(({ hash }) => hash)).toEqual(made.blocks.slice(2).map(({ hash }) => hash))
  const before = a.batches.length
  await chain.readBlocks(6, 6)
  expect(a.batches.slice(before).map((batch) => batch.map(({ method }) => method))).toEqual([
    ['eth_getLogs', 'eth_getBlockByNumber'],
  ])
})

it('reads ranges longer than a batch, without unnecessary requests', async () => {
  const a = await node(memoryChain(1, 120))
  const { chain } = client([a.url])
  expect((await chain.readBlocks(1, 120)).map(({ number }) => number)).toEqual(
    Array.from({ length: 120 }, (_, i) => i + 1),
  )
  expect(await chain.readBlocks(5, 4)).toEqual([])
})

it.each([
  ['does not respond in time', true],
  ['reports that it took too long', false],
])('requests fewer blocks at a time from a node that %s', async (_, isSilent) => {
  const a = await node(memoryChain(1, 12))
  const tooMany = (requests: readonly { method: string }[]) =>
    requests.filter(({ method }) => method === 'eth_getBlockByNumber').length > 2
  a.exchange = (requests, response) => {
    if (!tooMany(requests)) return false
    const error = { code: -32000, message: 'request timed out' }
    if (!isSilent) response.end(JSON.stringify(requests.map(({ id }) => ({ jsonrpc: '2.0', id, error }))))
    return true
  }
  const { chain } = client([a.url], { requestTimeoutMs: 200 })
  expect((await chain.readBlocks(1, 12)).map(({ number }) => number)).toEqual(
    Array.from({ length: 12 }, (_, i) => i + 1),
  )
})

it('requests logs by hash for blocks without any, and so detects a lagging backend', async () => {
  // By number, the lagging backend returns []. By hash it cannot: it does not know the block.
  const a = await node(world())
  let lagging = true
  a.respond = ({ method, params }, honest) => {
    const filter = (params[0] ?? {}) as Filter
    if (method !== 'eth_getLogs' || !lagging) return honest()
    if (filter.blockHash) {
      lagging = false
      throw new NodeError(-32000, 'unknown block')
    }
    return []
  }
  const blocks = await client([a.url]).chain.readBlocks(4, 6)
  expect(blocks.map(({ logs }) => logs.length)).toEqual([1, 0, 2])
})

it('uses another endpoint if logs are missing, also by hash, against a credible bloom', async () => {
  const [a, b] = [await node(world()), await node(world())]
  a.respond = altered('eth_getLogs', () => [])
  const blocks = await client([a.url, b.url]).chain.readBlocks(4, 6)
  expect(blocks.map(({ logs }) => logs.length)).toEqual([1, 0, 2])
})

it('trusts that a bloom claims our topics by chance if the block’s other logs set all of its bits', async () => {
  const chain = memoryChain(1, 3)
  chain.mine(topicsLike(SWAP).map((topic) => ({ topic })))
  const a = await node(chain)
  expect((await client([a.url]).chain.readBlocks(4, 4)).map(({ logs }) => logs)).toEqual([[]])
  expect(a.requested('eth_getLogs')).toHaveLength(3)
})

it('does not trust a node that shows our logs only if all are requested', async () => {
  const [a, b] = [await node(world()), await node(world())]
  a.respond = altered('eth_getLogs', (logs, [filter]) => ('topics' in (filter as object) ? [] : logs))
  const blocks = await client([a.url, b.url]).chain.readBlocks(4, 6)
  expect(blocks.map(({ logs }) => logs.length)).toEqual([1, 0, 2])
})

it('never trusts a node that shows no logs for a credible bloom, even if it repeats that', async () => {
  const a = await node(world())
  a.respond = altered('eth_getLogs', () => [])
  const error = await failure(client([a.url]).chain.readBlocks(4, 5))
  expect(error).toMatchObject({ name: 'ChainInconsistent', retryable: true })
  expect(error.message).toContain('no logs of block 4, but its bloom has them')
})

it('immediately trusts that a bloom full of other logs claims nothing', async () => {
  const a = await node(world())
  a.respond = ({ method }, honest) => {
    const result = honest()
    if (method === 'eth_getLogs') return []
    return method === 'eth_getBlockByNumber' ? { ...(result as object), logsBloom: `0x${'ff'.repeat(256)}` } : result
  }
  const { chain, lines } = client([a.url])
  await chain.readBlocks(4, 4)
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([])
})

it('keeps logs that the bloom denies, with a warning', async () => {
  const a = await node(world())
  a.respond = altered('eth_getBlockByNumber', (block) => ({ ...block, logsBloom: `0x${'00'.repeat(256)}` }))
  const { chain, lines } = client([a.url])
  expect((await chain.readBlocks(4, 4))[0]?.logs).toHaveLength(1)
  expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
})

it('requests again when the chain is reorganised between its requests', async () => {
  //            ┌─ 4' ── 5' ── 6'
  // 2 ── 3 ────┴─ 4 ─── 5
  const before = world()
  const after = before.fork(3)
  for (let i = 0; i < 4; i++) after.mine([{}])
  const a = await node(before)
  // The node returns headers of the old branch up to block 4, then it has switched.
  a.respond = altered('eth_getBlockByNumber', (block, [number]) => {
    if (number === hex(4)) a.chain = after
    return block
  })
  const blocks = await client([a.url]).chain.readBlocks(3, 6)
  expect(blocks.map(({ hash }) => hash)).toEqual(after.blocks.slice(3, 7).map(({ hash }) => hash))
})

it('fails on blocks that never link', async () => {
  const a = await node(world())
  a.respond = altered('eth_getBlockByNumber', (block, [number]) =>
    number === hex(5) ? { ...block, parentHash: `0x${'77'.repeat(32)}` } : block,
  )
  const error = await failure(client([a.url]).chain.readBlocks(4, 6))
  expect(error).toBeInstanceOf(ChainInconsistent)
  expect(error.message).toContain('block 5 does not build on block 4')
})

it('does not take one block for another', async () => {
  const a = await node(world())
  a.respond = altered('eth_getBlockByNumber', (_, [, full]) => a.chain.respond('eth_getBlockByNumber', [hex(5), full]))
  const error = await failure(client([a.url]).chain.readBlocks(3, 3))
  expect(error).toBeInstanceOf(ChainInconsistent)
  expect(error.message).toContain('requested block 3, got 5')
})

it('reports that a block is missing after a while', async () => {
  const a = await node(world())
  expect(await failure(client([a.url]).chain.readBlocks(5, 9))).toBeInstanceOf(BlocksUnavailable)
})

it('rejects logs of other blocks', async () => {
  const a = await node(world())
  const others = a.chain.blocks[6]?.logs ?? []
  a.respond = altered('eth_getLogs', (logs, [filter]) => ((filter as Filter).blockHash ? others : logs))
  expect(await failure(client([a.url]).chain.readBlocks(5, 5))).toBeInstanceOf(ChainInconsistent)
  a.respond = altered('eth_getLogs', () => others)
  expect(await failure(client([a.url]).chain.readBlocks(4, 5))).toBeInstanceOf(ChainInconsistent)
})

it('rejects a log of another block among those of a range', async () => {
  const a = await node(world())
  a.respond = altered('eth_getLogs', (logs) => [...logs, ...(a.chain.blocks[6]?.logs ?? [])])
  const error = await failure(client([a.url]).chain.readBlocks(4, 4))
  expect(error).toBeInstanceOf(ChainInconsistent)
  expect(error.message).toContain('a log of block 6, requested 4 to 4')
})

it('rejects a log that has the hash of a block and the number of another', async () => {
  const a = await node(world())
  a.respond = altered('eth_getLogs', (logs, [filter]) =>
    (filter as Filter).blockHash ? logs.map((log) => ({ ...log, blockNumber: hex(6) })) : [],
  )
  expect(await failure(client([a.url]).chain.readBlocks(4, 4))).toBeInstanceOf(ChainInconsistent)
})

it('reads fewer blocks at a time from an endpoint with a small limit', async () => {
  const a = await node(memoryChain(1, 30))
  a.respond = limited(2, -32614, 'eth_getLogs is limited to a 2 range')
  const { chain } = client([a.url])
  expect(await chain.readBlocks(1, 20)).toHaveLength(20)
  const refused = a.requested('eth_getLogs').filter(({ params }) => {
    const { fromBlock, toBlock } = params[0] as Filter
    return Number(toBlock) - Number(fromBlock) >= 2
  })
  expect(refused).toHaveLength(1)
})

/** Returns other topics that together set all bits of a topic in a bloom. */
function topicsLike(selected: Hex): Hex[] {
  const found: Hex[] = []
  let open = BigInt(bloomOf([selected]))
  for (let n = 0; open > 0n; n++) {
    const topic = hashOf('like', n)
    const bits = BigInt(bloomOf([topic]))
    if ((bits & open) === 0n) continue
    found.push(topic)
    open &= ~bits
  }
  return found
}

it('a header that the preferred endpoint lacks comes from another one if any may serve it', async () => {
  const [a, b] = [await node(memoryChain(1, 5)), await node(memoryChain(1, 5))]
  a.respond = altered('eth_getBlockByNumber', () => null)
  const { chain } = client([a.url, b.url])
  expect(await chain.header(3)).toBeNull()
  expect((await chain.header(3, { anyEndpoint: true }))?.number).toBe(3)
  expect(await chain.header(6, { anyEndpoint: true })).toBeNull()
  b.respond = refusing(null, -32603, 'Internal error')
  expect(await chain.header(3, { anyEndpoint: true })).toBeNull()
})
