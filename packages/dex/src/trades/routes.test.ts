import { expect, test } from 'vitest'
import { madeHop } from '../../test/made-hop.ts'
import type { Address } from '../chain.ts'
import { collapseHops } from './routes.ts'
import type { Hop } from './trade.ts'

let logIndex = 0
const hop = (tokenIn: string, amountIn: bigint, tokenOut: string, amountOut: bigint) =>
  madeHop(logIndex++, [tokenIn as Address, amountIn], [tokenOut as Address, amountOut])
const rows = (...hops: Hop[]) =>
  collapseHops(hops).map(
    ({ sold, soldAmount, bought, boughtAmount }) => `${soldAmount} ${sold} -> ${boughtAmount} ${bought}`,
  )

test('a single hop is a row', () => {
  expect(rows(hop('A', 10n, 'B', 20n))).toEqual(['10 A -> 20 B'])
})

test('A -> B -> C is one row of A for C', () => {
  expect(rows(hop('A', 10n, 'B', 20n), hop('B', 20n, 'C', 30n))).toEqual(['10 A -> 30 C'])
})

//      .-> B -.
//  A -<        >-> C
//      '------'
test('branches of a split route add up', () => {
  expect(rows(hop('A', 10n, 'B', 20n), hop('A', 5n, 'C', 14n), hop('B', 20n, 'C', 30n))).toEqual(['15 A -> 44 C'])
})

test('a route of more than there can be is a row per hop', () => {
  const max = 2n ** 256n - 1n
  const [first, second] = [hop('A', max, 'B', 20n), hop('A', 1n, 'B', 20n)]
  expect(rows(first, second)).toEqual([`${max} A -> 20 B`, '1 A -> 20 B'])
})

test('hops in any order form the same route', () => {
  expect(rows(hop('B', 20n, 'C', 30n), hop('A', 10n, 'B', 20n))).toEqual(['10 A -> 30 C'])
})

test.each([
  ['at most 5 % of what passed through is a fee between the hops', 95n, ['10 A -> 30 C']],
  [
    'more than 5 % makes the intermediate a bought token too, so each hop is a row',
    94n,
    ['10 A -> 100 B', '94 B -> 30 C'],
  ],
])('a rest of %s', (_, passedOn, expected) => {
  expect(rows(hop('A', 10n, 'B', 100n), hop('B', passedOn, 'C', 30n))).toEqual(expected)
})

test('a cycle that returns to its token is a row per hop', () => {
  expect(rows(hop('A', 100n, 'B', 20n), hop('B', 20n, 'A', 101n))).toEqual(['100 A -> 20 B', '20 B -> 101 A'])
})

test('a cycle with a large profit is a row per hop as well', () => {
  expect(rows(hop('A', 100n, 'B', 20n), hop('B', 20n, 'A', 150n))).toHaveLength(2)
})

test('unconnected routes are a row each, in the order of their first hops', () => {
  const first = hop('A', 1n, 'B', 2n)
  const second = hop('X', 3n, 'Y', 4n)
  const third = hop('B', 2n, 'C', 5n)
  expect(rows(first, second, third)).toEqual(['1 A -> 5 C', '3 X -> 4 Y'])
})

test('one token sold for two bought is a row per hop', () => {
  expect(rows(hop('A', 1n, 'B', 2n), hop('A', 1n, 'C', 3n))).toHaveLength(2)
})

test('two routes that a later hop connects are one', () => {
  expect(rows(hop('A', 1n, 'B', 2n), hop('C', 3n, 'D', 4n), hop('B', 2n, 'C', 3n))).toEqual(['1 A -> 4 D'])
})

// A -> T: 100 leave the first pool for the second one, and only 80 arrive; T -> B
test('a transfer tax between two pools that pay each other leaves no remainder', () => {
  const [first, second] = [hop('A', 10n, 'T', 100n), hop('T', 80n, 'B', 30n)]
  const taker = { ...second, pool: { ...second.pool, address: '0x0b' as const } }
  expect(rows({ ...first, recipient: '0x0b' }, taker)).toEqual(['10 A -> 30 B'])
  expect(rows({ ...first, recipient: '0x0c' }, taker)).toHaveLength(2)
})

// The second pool is the attacker's: its payment is taken out of the pool, and dust is swapped.
test('more than a half that is missing between two pools that pay each other is no tax', () => {
  const [first, second] = [hop('A', 10n, 'B', 100n), hop('B', 49n, 'C', 30n)]
  const straight = { ...first, recipient: second.pool.address }
  expect(rows(straight, second)).toEqual(['10 A -> 100 B', '49 B -> 30 C'])
  expect(rows(straight, { ...second, amountIn: 50n })).toEqual(['10 A -> 30 C'])
})
