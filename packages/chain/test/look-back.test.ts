import { expect, it } from 'vitest'
import { hashOf, hex, memoryChain, POOL, SWAP, SYNC } from './memory-chain.ts'
import { client, failure, node } from './scene.ts'
import { altered, limited } from './scripted-node.ts'

const OTHER = '0x00000000000000000000000000000000000000cc'

it('finds all logs of the addresses, over as many requests as needed', async () => {
  const world = memoryChain(1, 3)
  for (let i = 0; i < 20; i++) world.mine([{}, { address: OTHER }, { topic: SYNC }])
  const a = await node(world)
  a.respond = limited(4, -32000, 'Max range: 4')
  const { chain } = client([a.url])
  const logs = await chain.logsOf({ addresses: [POOL], topics: [SWAP], from: 0, to: 20 })
  expect(logs.map(({ blockNumber, logIndex }) => [blockNumber, logIndex])).toEqual(
    Array.from({ length: 17 }, (_, i) => [i + 4, 0]),
  )
  expect(logs[0]?.blockHash).toBe(world.blocks[4]?.hash)
  expect(await chain.logsOf({ addresses: [POOL], topics: [], from: 4, to: 5 })).toHaveLength(4)
  expect(await chain.logsOf({ addresses: [], topics: [SWAP], from: 0, to: 20 })).toEqual([])
})

it('requests long lists of addresses in parts and puts the logs in order', async () => {
  const world = memoryChain(1, 1)
  for (let i = 0; i < 3; i++) world.mine([{ address: OTHER }, {}])
  const a = await node(world)
  const strangers = Array.from({ length: 600 }, (_, i) => `0x${(i + 1).toString(16).padStart(40, '9')}` as const)
  const { chain } = client([a.url])
  const logs = await chain.logsOf({ addresses: [POOL, ...strangers, OTHER], topics: [SWAP], from: 0, to: 4 })
  expect(logs.map(({ blockNumber, logIndex }) => [blockNumber, logIndex])).toEqual(
    [2, 3, 4].flatMap((n) => [
      [n, 0],
      [n, 1],
    ]),
  )
  expect(a.requested('eth_getLogs')).toHaveLength(2)
})

//  0 - 1 - .. - 12        logs that one node hides are read from the other
it('does not trust that a block that may still change has no logs, against its bloom', async () => {
  const world = memoryChain(1, 3)
  for (let i = 0; i < 9; i++) world.mine([{}, { address: OTHER }])
  const [a, b] = [await node(world), await node(world)]
  a.respond = altered('eth_getLogs', (logs) => logs.filter(({ blockNumber }) => blockNumber !== '0xa'))
  const { chain } = client([a.url, b.url])
  const branch = { from: 8, hash: world.blocks.at(-1)?.hash ?? '0x' }
  const logs = await chain.logsOf({ addresses: [POOL], topics: [SWAP], from: 0, to: 12, branch })
  expect(logs.map(({ blockNumber }) => blockNumber)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12])
  expect(b.requested('eth_getLogs').length).toBeGreaterThan(0)
})

//  0 - .. - 6 - 7 - .. - 12
//            \
//             7'- .. - 12'     what one node returns for a while
it('reads logs of the named branch alone', async () => {
  const world = memoryChain(1, 3)
  for (let i = 0; i < 3; i++) world.mine([{}])
  const other = world.fork(6)
  for (let i = 0; i < 6; i++) world.mine([{ data: '0xaa' }])
  for (let i = 0; i < 6; i++) other.mine([{ data: '0xbb' }])
  const [a, b] = [await node(other), await node(world)]
  const { chain } = client([a.url, b.url])
  const filter = { addresses: [POOL], topics: [SWAP], from: 0, to: 12 }
  const branch = { from: 5, hash: world.blocks.at(-1)?.hash ?? '0x' } as const
  const logs = await chain.logsOf({ ...filter, branch })
  expect(logs.slice(3).map(({ data }) => data)).toEqual(Array.from({ length: 6 }, () => '0xaa'))
  b.chain = other
  const gone = await failure(chain.logsOf({ ...filter, branch }))
  expect(gone).toMatchObject({ name: 'ChainInconsistent', retryable: true })
})

it.each([
  ['of another hash', { blockHash: hashOf('another') }],
  ['of a block that was not requested', { blockNumber: hex(2) }],
])('reads nothing of a branch with a log %s', async (_, lie) => {
  const world = memoryChain(1, 3)
  for (let i = 0; i < 3; i++) world.mine([{}])
  const a = await node(world)
  a.respond = altered('eth_getLogs', (logs) => [...logs, { ...logs[0], ...lie }])
  const branch = { from: 4, hash: world.blocks.at(-1)?.hash ?? '0x' }
  const filter = { addresses: [POOL], topics: [SWAP], from: 4, to: 6, branch }
  expect(await failure(client([a.url]).chain.logsOf(filter))).toMatchObject({ name: 'ChainInconsistent' })
})

//  .. - 4 - 5 - 6      the header of one end is of another branch than its log
it.each([4, 6])(
  'reads nothing of a range whose block %i has one hash in its header and another in its log',
  async (end) => {
    const world = memoryChain(1, 3)
    for (let i = 0; i < 3; i++) world.mine([{}])
    const a = await node(world)
    a.respond = altered('eth_getBlockByNumber', (block, [number]) =>
      number === hex(end) ? { ...block, hash: hashOf('another') } : block,
    )
    const filter = { addresses: [POOL], topics: [SWAP], from: 4, to: 6 }
    expect(await failure(client([a.url]).chain.logsOf(filter))).toMatchObject({ name: 'ChainInconsistent' })
  },
)

it('reads blocks that may still change in parts, from nodes that refuse wide ranges', async () => {
  const world = memoryChain(1, 3)
  for (let i = 0; i < 70; i++) world.mine(i % 7 === 0 ? [{}] : [{ address: OTHER }])
  const a = await node(world)
  a.respond = limited(4, -32000, 'Max range: 4')
  const branch = { from: 11, hash: world.blocks.at(-1)?.hash ?? '0x' } as const
  const logs = await client([a.url]).chain.logsOf({ addresses: [POOL], topics: [SWAP], from: 4, to: 73, branch })
  expect(logs.map(({ blockNumber }) => blockNumber)).toEqual([4, 11, 18, 25, 32, 39, 46, 53, 60, 67])
})

it('starts with the least preferred endpoint for a second opinion', async () => {
  const world = memoryChain(1, 3)
  world.mine([{}])
  const [a, b] = [await node(world), await node(world)]
  const { chain } = client([a.url, b.url])
  const filter = { addresses: [POOL], topics: [SWAP], from: 0, to: 4 }
  const requested: string[] = []
  for (const [name, one] of Object.entries({ a, b })) {
    one.respond = ({ method }, honest) => {
      if (method === 'eth_getLogs') requested.push(name)
      return honest()
    }
  }
  // The other endpoint is used afterwards, to compare its logs.
  await chain.logsOf(filter)
  expect(requested.splice(0)).toEqual(['a', 'b'])
  await chain.logsOf({ ...filter, secondOpinion: true })
  expect(requested).toEqual(['b', 'a'])
})
