import { expect, test } from 'vitest'
import { at } from '../../test/made-hop.ts'
import { amountsDiffer } from './trade-value.ts'

const [FOO, BAR, BAZ] = [at('f00'), at('ba1'), at('ba2')]
const leg = (token: typeof FOO, amount: bigint) => ({ token, amount, native: false })
const through = { sell: leg(FOO, 1_000n), buy: leg(BAR, 500n) }

test.each([
  ['the same', 1_000n, 500n, false],
  ['a fifth more sold', 1_200n, 500n, false],
  ['more than a fifth more sold', 1_201n, 500n, true],
  ['a sixth less sold', 834n, 500n, false],
  ['more than a sixth less sold', 833n, 500n, true],
  ['a fifth more bought', 1_000n, 600n, false],
  ['more than a fifth more bought', 1_000n, 601n, true],
  ['a sixth less bought', 1_000n, 417n, false],
  ['more than a sixth less bought', 1_000n, 416n, true],
  ['a tenth either way: one fifth of the price', 1_100n, 455n, true],
  ['half of both: the same price, of half of the amounts', 500n, 250n, true],
  ['all but nothing bought', 1_000n, 1n, true],
])('%s', (_, sold, bought, differ) => {
  expect(amountsDiffer({ sell: leg(FOO, sold), buy: leg(BAR, bought), throughPools: through })).toBe(differ)
})

test('an end in another token than the pools’ is not compared', () => {
  expect(amountsDiffer({ sell: leg(BAZ, 1n), buy: leg(BAR, 500n), throughPools: through })).toBe(false)
  expect(amountsDiffer({ sell: leg(BAZ, 1n), buy: leg(BAR, 601n), throughPools: through })).toBe(true)
  expect(amountsDiffer({ sell: leg(FOO, 1_000n), buy: leg(BAZ, 1n), throughPools: through })).toBe(false)
})

test('amounts that are the pools’ do not differ', () =>
  expect(amountsDiffer({ sell: leg(FOO, 1_000n), buy: leg(BAR, 500n) })).toBe(false))

test('a trade of which nothing went through pools differs', () => {
  const none = { sell: leg(FOO, 0n), buy: leg(BAR, 0n) }
  expect(amountsDiffer({ sell: leg(FOO, 1_000n), buy: leg(BAR, 500n), throughPools: none })).toBe(true)
})
