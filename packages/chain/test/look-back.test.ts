import { expect, it } from 'vitest'
import { memoryChain, NodeError, POOL, SWAP, SYNC } from './memory-chain.ts'
import { client, node } from './scene.ts'

const OTHER = '0x00000000000000000000000000000000000000cc'

it('finds all logs of the addresses, over as many questions as it takes', async () => {
  const world = memoryChain(1, 3)
  for (let i = 0; i < 20; i++) world.mine([{}, { address: OTHER }, { topic: SYNC }])
  const a = await node(world)
  a.answer = ({ method, params }, honest) => {
    const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock?: string; toBlock?: string }
    if (method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= 4)
      throw new NodeError(-32000, 'Max range: 4')
    return honest()
  }
  const { chain } = client([a.url])
  const logs = await chain.logsOf({ addresses: [POOL], topics: [SWAP], from: 0, to: 20 })
  expect(logs.map(({ blockNumber, logIndex }) => [blockNumber, logIndex])).toEqual(
    Array.from({ length: 17 }, (_, i) => [i + 4, 0]),
  )
  expect(logs[0]?.blockHash).toBe(world.blocks[4]?.hash)
  expect(await chain.logsOf({ addresses: [POOL], topics: [], from: 4, to: 5 })).toHaveLength(4)
  expect(await chain.logsOf({ addresses: [], topics: [SWAP], from: 0, to: 20 })).toEqual([])
})

it('asks for long lists of addresses in parts and puts the logs in order', async () => {
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
  expect(a.asked('eth_getLogs')).toHaveLength(2)
})
