import { expect, it } from 'vitest'
import type { Session } from '../../endpoints/session.ts'
import { BlockProver } from '../../proof/block-prover.ts'
import { type ReadHistoryOptions, readHistory } from './read-history.ts'

/** How many blocks are asked for at once, of a range of so many, where answers of ten are aimed at. */
async function blocksAsked(range: number): Promise<number> {
  let asked = 0
  const session = {
    endpoint: { blocksPerBatch: 10, provesFrom: 0 },
    ask: async (requests: readonly unknown[]) => {
      asked = requests.length / 2
      throw new Error('seen')
    },
  } as unknown as Session
  const options = { proveHistory: 1, now: () => 0, prover: () => BlockProver.load() } as unknown as ReadHistoryOptions
  await expect(readHistory(session, { from: 100, to: 100 + range - 1 }, options)).rejects.toThrow('seen')
  return asked
}

it('reads somewhat more than is aimed at as one answer, where another one would bring but the rest', async () => {
  expect(await Promise.all([7, 10, 13, 14, 30].map(blocksAsked))).toEqual([7, 10, 13, 10, 10])
})
