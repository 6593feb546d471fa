import { expect, test } from 'vitest'
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

test('the same seed makes the same chain, another seed another one', () => {
  expect(makeChain(1).blocks).toEqual(makeChain(1).blocks)
  expect(makeChain(1).blocks.at(-1)?.hash).not.toBe(makeChain(2).blocks.at(-1)?.hash)
})

//  .. - 147 - 148 - 149 - 150
//          \
//           148'- 149'- 150'- 151'
test('a reorg leaves one linked chain, keeps the blocks of the other, and mines its transactions again', () => {
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
