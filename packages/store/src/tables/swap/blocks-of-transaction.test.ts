import { dayOf } from '@dexfeed/dex'
import { connectTo, testDatabase } from '@dexfeed/test-setup'
import { hexNumber, seedSwaps } from '@dexfeed/test-setup/seed'
import { expect, it } from 'vitest'
import { open } from '../../../test/rows/sample.ts'
import type { Db } from '../../database/transaction.ts'
import { Prisma } from '../../generated/client.ts'
import { blocksOfTransaction } from './swap-search.ts'

it('days that are being filled are read in one statement, up to the newest that has the transaction', async () => {
  const url = await testDatabase()
  const [owner, database] = [await connectTo(url), await open(url, { max: 1 })]
  const [hash, other] = [hexNumber(0x7a, 64), hexNumber(0x7b, 64)]
  const times = [28, 27, 26].map((day) => Date.UTC(2026, 10, day) / 1000)
  const hashes = [other, hash, hash]
  await seedSwaps(
    owner,
    times.flatMap((time, at) =>
      (['eth', 'bsc'] as const).map((network) => ({
        ...{ network, time, block: 500 - at, trader: hexNumber(1), sell: hexNumber(2), buy: hexNumber(3) },
        ...{ usd: null, txHash: hashes[at] ?? other },
      })),
    ),
  )
  const statements: string[] = []
  const $queryRaw = (query: TemplateStringsArray, ...values: unknown[]) => {
    statements.push(Prisma.sql(query, ...values).sql)
    return database.prisma.$queryRaw(query, ...values)
  }
  const found = await blocksOfTransaction({ $queryRaw } as unknown as Db, hash, times.map(dayOf))
  const block = { block: 499, day: dayOf(times[1] ?? 0) }
  expect(found.sort((a, b) => a.chainId - b.chainId)).toEqual([
    { chainId: 1, ...block },
    { chainId: 56, ...block },
  ])
  expect(statements).toHaveLength(2)
})
