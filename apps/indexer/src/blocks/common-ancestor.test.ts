import type { BlockHeader, Hex } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { commonAncestor, DeepReorgClaims } from './common-ancestor.ts'

const block = (number: number): BlockHeader => ({
  number,
  hash: `0xa${number}`,
  parentHash: `0xa${number - 1}`,
  timestamp: number,
})
const stored = [10, 11, 12, 13].map(block)
/** Returns the hashes of a chain that has our branch up to a height, and another branch above it. */
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

/**
 * Makes claims about a chain whose first endpoint reports `asked` as block 10. `all` returns what all endpoints report.
 */
function openClaims(asked: Hex, all: () => { hashes: (Hex | null)[]; silent: number }) {
  let now = 0
  const chain = {
    first: asked,
    header: async (number: number) => ({ ...block(number), hash: chain.first }),
    hashesAt: async () => all(),
  }
  const claims = new DeepReorgClaims(chain, { clock: { now: () => now }, confirmedAfterMs: 300_000 })
  const lowest = block(10)
  return {
    chain,
    async askAfter(ms: number) {
      now += ms
      return (await claims.check(lowest))?.isConfirmed ?? null
    },
  }
}

test('a final block counts as orphaned when every endpoint has reported so for minutes', async () => {
  const { askAfter } = openClaims('0xb10', () => ({ hashes: ['0xb10', '0xb10'], silent: 0 }))
  expect([await askAfter(0), await askAfter(1_000), await askAfter(298_000)]).toEqual([false, false, false])
  expect(await askAfter(1_000)).toBe(true)
})

test('one moment in which the chain has the block restarts the minutes', async () => {
  const { chain, askAfter } = openClaims('0xb10', () => ({ hashes: ['0xb10'], silent: 0 }))
  await askAfter(0)
  chain.first = '0xa10'
  expect(await askAfter(200_000)).toBeNull()
  chain.first = '0xb10'
  expect([await askAfter(200_000), await askAfter(299_000), await askAfter(1_000)]).toEqual([false, false, true])
})

test.each<[string, { hashes: (Hex | null)[]; silent: number }]>([
  ['has the block', { hashes: ['0xb10', '0xa10'], silent: 0 }],
  ['has no block there', { hashes: ['0xb10', null], silent: 0 }],
  ['is silent, or another chain', { hashes: ['0xb10'], silent: 1 }],
])('the claim is not confirmed while an endpoint %s', async (_, all) => {
  const { askAfter } = openClaims('0xb10', () => all)
  for (let i = 0; i < 5; i++) expect(await askAfter(600_000)).toBe(false)
})
