import type { PoolAddress } from '@dexfeed/dex'
import type { InvalidatedPool } from '@dexfeed/store'
import { expect, test } from 'vitest'
import { verifyStates } from './verify-states.ts'

const POOLS = Array.from({ length: 450 }, (_, i): PoolAddress => `0x${i.toString(16).padStart(40, '0')}`)

/** Verifies pools of which at most one differs. */
async function verified(repair: boolean, wrong: PoolAddress | null) {
  const compared: PoolAddress[] = []
  const invalidated: InvalidatedPool[] = []
  const isRight = await verifyStates(
    {
      chain: { head: async () => ({ number: 100 }) as never },
      store: {
        networkRow: async () => ({ head: { number: 90 } }) as never,
        poolsWithState: async (after, limit) => {
          const first = after === null ? 0 : Number(after) + 1
          return POOLS.slice(first, first + limit)
        },
        invalidate: async (pools) => void invalidated.push(...pools),
      },
      checker: {
        async *check(pools) {
          compared.push(...pools)
          const differences = pools.flatMap((pool) => (pool === wrong ? [{ pool, blockNumber: 90, columns: [] }] : []))
          yield { compared: pools.length, differences }
        },
      },
      report: { onStates: () => undefined, note: () => undefined },
    },
    repair,
    new AbortController().signal,
  )
  return { isRight, compared, invalidated }
}

test('all pools are compared, each once, however many there are', async () => {
  expect(await verified(false, null)).toEqual({ isRight: true, compared: POOLS, invalidated: [] })
})

test('a differing pool is reported, and invalidated if repairs are requested', async () => {
  const [wrong] = POOLS
  expect(await verified(false, wrong ?? '0x')).toMatchObject({ isRight: false, invalidated: [] })
  const found = [{ pool: wrong, blockNumber: 90 }]
  expect(await verified(true, wrong ?? '0x')).toMatchObject({ isRight: true, invalidated: found })
})
