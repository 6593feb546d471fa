import { expect, test } from 'vitest'
import { answerRequest, type NodeView } from './answer-request.ts'
import { type ScriptedChain, scriptedChain } from './scripted-chain.ts'
import { scriptedMarket } from './scripted-market.ts'

const makeChain = (seed: number): ScriptedChain => {
  const chain = scriptedChain({
    market: scriptedMarket('polygon', 24),
    chainId: 137,
    seed,
    startTime: 1_700_000_000,
    blockTimeS: 2,
  })
  chain.mine(150)
  return chain
}

const viewOf = (chain: ScriptedChain): NodeView => ({
  chain,
  blocks: chain.blocks,
  finalizedNumber: 0,
  showsStateSync: true,
})

test('the same seed makes the same chain, another seed another one', () => {
  expect(makeChain(1).blocks).toEqual(makeChain(1).blocks)
  expect(makeChain(1).blocks.at(-1)?.hash).not.toBe(makeChain(2).blocks.at(-1)?.hash)
})

//  .. - 147 - 148 - 149 - 150
//          \
//           148'- 149'- 150'- 151'
test('a reorg leaves one linked chain, knows the blocks of the other, and mines its transactions again', () => {
  const chain = makeChain(3)
  const before = chain.blocks
  chain.reorg(3, 4)
  expect(chain.blocks).toHaveLength(before.length + 1)
  expect(chain.blocks.every((block, i) => i === 0 || block.parentHash === chain.blocks[i - 1]?.hash)).toBe(true)
  expect(chain.blocks.slice(0, 148)).toEqual(before.slice(0, 148))
  expect(chain.blocks[148]?.hash).not.toBe(before[148]?.hash)
  expect(chain.byHash(before[150]?.hash ?? '0x')).toBe(before[150])
  const hashes = (blocks: typeof before) =>
    blocks.slice(148).flatMap(({ transactions }) => transactions.map((t) => t.hash))
  const again = new Set(hashes(chain.blocks))
  expect(hashes(before).some((hash) => again.has(hash))).toBe(true)
})

test('contracts answer as of any block, and a range ahead of the head is empty as on the worst nodes', () => {
  const chain = makeChain(4)
  const [pool] = chain.market.pools
  const reserves = (at: string) =>
    answerRequest(viewOf(chain), { method: 'eth_call', params: [{ to: pool?.address, data: '0x0902f1ac' }, at] })
  expect(reserves('0x0')).toBe('0x')
  expect(reserves('0x2')).not.toBe(reserves('latest'))
  const ahead = { fromBlock: '0x1000', toBlock: '0x1001' }
  expect(answerRequest(viewOf(chain), { method: 'eth_getLogs', params: [ahead] })).toEqual([])
})
