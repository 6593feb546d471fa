import type { BlockHeader, Hex } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { commonAncestor } from './common-ancestor.ts'

const block = (number: number): BlockHeader => ({
  number,
  hash: `0xa${number}`,
  parentHash: `0xa${number - 1}`,
  timestamp: number,
})
const stored = [10, 11, 12, 13].map(block)
/** The chain holds our branch up to a height and another one above. */
const chainUpTo =
  (height: number) =>
  async (number: number): Promise<Hex | null> => {
    if (number > 14) return null
    return number <= height ? `0xa${number}` : `0xb${number}`
  }

//  ours   10 - 11 - 12 - 13
//               \
//  chain         12'- 13'- 14'
test.each([
  [13, 13],
  [12, 12],
  [11, 11],
  [10, 10],
])('a chain that left after block %i has it as common ancestor', async (height, ancestor) => {
  expect((await commonAncestor(stored, chainUpTo(height)))?.number).toBe(ancestor)
})

test('a chain that left every stored block has no common ancestor', async () => {
  expect(await commonAncestor(stored, chainUpTo(9))).toBeNull()
})

test('a chain that is shorter than the stored blocks ends at its own head', async () => {
  const hashAt = async (number: number): Promise<Hex | null> => (number <= 11 ? `0xa${number}` : null)
  expect((await commonAncestor(stored, hashAt))?.number).toBe(11)
})
