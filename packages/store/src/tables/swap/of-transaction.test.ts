import { dayOf } from '@dexfeed/dex'
import { connectTo, testDatabase } from '@dexfeed/test-setup'
import { hexNumber, seedSwaps } from '@dexfeed/test-setup/seed'
import { expect, it } from 'vitest'
import { firstDayOfTransaction } from './swap-search.ts'

it('days that are being filled are read in one statement, up to the newest that has the transaction', async () => {
  const owner = await connectTo(await testDatabase())
  const [hash, other] = [hexNumber(0x7a, 64), hexNumber(0x7b, 64)]
  const times = [28, 27, 26].map((day) => Date.UTC(2026, 10, day) / 1000)
  const hashes = [other, hash, hash]
  await seedSwaps(
    owner,
    times.flatMap((time, at) =>
      (['eth', 'bsc'] as const).map((network) => ({
        network,
        time,
        block: 500 - at,
        trader: hexNumber(1),
        sell: hexNumber(2),
        buy: hexNumber(3),
        usd: null,
        txHash: hashes[at] ?? other,
      })),
    ),
  )
  const days = times.map(dayOf)
  const { text, values } = firstDayOfTransaction(hash, days)
  const { rows } = await owner.query<{ day: number }>(text, values)
  expect(rows).toEqual([{ day: days[1] }])
})
