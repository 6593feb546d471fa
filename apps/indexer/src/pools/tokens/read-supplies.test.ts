import { type Address, type Hex, SUPPLY_CALL } from '@dexfeed/dex'
import { testDatabase } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'
import { addressesOf, addressOf, pairDex, pairPool, quiet, tokenOf, word } from '../../../test/scene/made-values.ts'
import { openStore } from '../../../test/scene/open-store.ts'
import { readSupplies } from './read-supplies.ts'

const [A, B, REVERTS, LIES, DISPUTED] = addressesOf('0a', '0b', '0c', '0d', '0e')
const TOKENS = [A, B, REVERTS, LIES, DISPUTED]
const NOON = Date.UTC(2026, 10, 20, 12) / 1000
const number = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
const MAX = 2n ** 256n - 1n

/** Opens a store with the tokens of a pool, and a loop that ends after some steps. */
async function scene() {
  const { database, store } = await openStore(await testDatabase())
  const pool = pairPool(addressOf('aa'), pairDex(addressOf('fa')), A, B)
  const range = { from: 1, to: 9, fromTime: NOON, toTime: NOON }
  await store.commitHistory({ ...range, trades: [], pools: [pool], tokens: TOKENS.map(tokenOf) })
  const first = new Map<Address, Hex | null>([
    [A, number(10n ** 27n)],
    [B, number(MAX)],
    [LIES, '0x01'],
    [DISPUTED, number(7n)],
  ])
  const second: ReadonlyMap<Address, Hex | null> | null = new Map([...first, [DISPUTED, number(8n)]])
  const asked: Address[][] = []
  const run = async (steps: number, other: ReadonlyMap<Address, Hex | null> | null = second) => {
    const ended = new AbortController()
    const pauses: number[] = []
    const clock = {
      sleep: async (ms: number) => {
        pauses.push(ms)
        if (pauses.length === steps) ended.abort()
      },
    }
    const chain = {
      head: async () => ({ hash: word(0x11) }),
      callMany: async (calls: readonly { to: Address; data: Hex }[]) => {
        asked.push(calls.map(({ to }) => to))
        expect(new Set(calls.map(({ data }) => data))).toEqual(new Set([SUPPLY_CALL]))
        return calls.map(({ to }) => first.get(to) ?? null)
      },
      callElsewhere: async (calls: readonly { to: Address }[]) => other && calls.map(({ to }) => other.get(to) ?? null),
    }
    await readSupplies({ chain, store, log: quiet, clock }, ended.signal)
    return pauses
  }
  const supplies = async () => {
    const rows = await database.prisma.token.findMany({ orderBy: { address: 'asc' } })
    return new Map(
      rows.map(({ address, supply }) => [`0x${Buffer.from(address).toString('hex')}`, supply?.toFixed() ?? null]),
    )
  }
  return { store, first, asked, run, supplies }
}

test('the supply of every token is read once and stored, and null if its contract or the endpoints leave it open', async () => {
  const { store, asked, run, supplies } = await scene()
  expect(await store.unreadSupplies(10)).toEqual(TOKENS)
  await run(1)
  expect(await store.unreadSupplies(10)).toEqual([])
  expect(asked).toEqual([TOKENS])
  const expected = [String(10n ** 27n), String(MAX), null, null, null]
  expect([...(await supplies())]).toEqual(TOKENS.map((token, index) => [token, expected[index]]))
})

test('a changed supply is stored at the next round, and one endpoint is enough if no other responds', async () => {
  const { first, run, supplies } = await scene()
  await run(1)
  first.set(A, number(5n))
  await run(3, null)
  const stored = await supplies()
  expect([stored.get(A), stored.get(DISPUTED)]).toEqual(['5', '7'])
})
