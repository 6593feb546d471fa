import type { BlockRange } from '@dexfeed/dex'
import { expect, it } from 'vitest'
import type { Session } from '../../endpoints/endpoint-pool.ts'
import { type ReadHistoryOptions, readHistory } from './read-history.ts'

/** Returns how many blocks of a range are requested together if a batch should have ten. */
async function blocksRequested(range: number): Promise<number> {
  let requested = 0
  const readProven = async (_: Session, { from, to }: BlockRange) => {
    requested = to - from + 1
    throw new Error('seen')
  }
  const session = { endpoint: { blocksPerBatch: 10 } } as unknown as Session
  const options = { share: 1, readProven } as unknown as ReadHistoryOptions
  await expect(readHistory(session, { from: 100, to: 100 + range - 1 }, options)).rejects.toThrow('seen')
  return requested
}

it('reads a few blocks more than the aim instead of leaving them to another request', async () => {
  expect(await Promise.all([7, 10, 13, 14, 30].map(blocksRequested))).toEqual([7, 10, 13, 10, 10])
})
