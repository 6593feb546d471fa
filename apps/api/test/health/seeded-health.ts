import { hexNumber, type SeedNetwork, seedNetwork } from '@dexfeed/test-setup/seed'
import { beforeAll, beforeEach } from 'vitest'
import { type ApiFixture, NOON, openFixture } from '../api-fixture.ts'

const WRAPPED = hexNumber(1)

/** Opens an API for the tests of a file. Its database is empty before each test. */
export function openHealth() {
  let opened: ApiFixture
  beforeAll(async () => {
    opened = await openFixture()
  })
  beforeEach(async () => {
    await opened.owner.query(
      'TRUNCATE network, covered_range, unread_pool, awaited_key, venue_coverage, unread_venue, network_activity',
    )
    opened.setTime(NOON)
  })
  return {
    api: () => opened,
    /** Returns the reply after the API has noticed the seeded rows. */
    async get(path: string) {
      await opened.committed()
      return opened.get(path)
    },
    query: (sql: string, values?: unknown[]) => opened.owner.query(sql, values),
    seed: (network: SeedNetwork) => seedNetwork(opened.owner, network),
  }
}

/** A network with a block every 15 minutes. Block 1000 is at NOON, so block 328 is seven days old. */
const timeOf = (block: number) => NOON - (1000 - block) * 900

/** Returns a network that covers ranges of blocks, such as `300-500 502-1000`. */
export const network = (name: SeedNetwork['network'], covered: string, start = 300): SeedNetwork => ({
  network: name,
  wrapped: WRAPPED,
  start: { number: start, time: timeOf(start) },
  head: { number: 1000, time: timeOf(1000) },
  final: 990,
  covered: [...covered.matchAll(/(\d+)-(\d+)/g)].map(([, first, last]) => {
    const [from, to] = [Number(first), Number(last)]
    return [from, to, timeOf(from), timeOf(to)] as const
  }),
})
