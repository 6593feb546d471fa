import fc from 'fast-check'
import { expect, test } from 'vitest'
import { at, madeHop } from '../../test/made-hop.ts'
import type { Address } from '../chain.ts'
import { collapseHops, type NetSwap, routesOf } from './routes.ts'
import type { Hop } from './trade.ts'

const TOKENS = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map(at)
const amount = fc.bigInt({ min: 1n, max: 10n ** 6n })

/** Hops of a transaction in log order; some pay into the next hop's pool. */
const transaction = fc
  .array(fc.tuple(fc.nat(5), fc.nat(4), amount, amount, fc.boolean()), { minLength: 1, maxLength: 8 })
  .map((drawn) =>
    drawn.map(([from, step, amountIn, amountOut, paysOn], index) => {
      const [tokenIn, tokenOut] = [TOKENS[from] ?? at('a1'), TOKENS[(from + step + 1) % 6] ?? at('a2')]
      const recipient = paysOn ? at(`b${index + 1}`) : null
      return madeHop(index, [tokenIn, amountIn], [tokenOut, amountOut], { recipient })
    }),
  )

const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n)
const receivedOf = (hops: readonly Hop[], token: Address) =>
  sum(hops.filter(({ tokenOut }) => tokenOut === token).map(({ amountOut }) => amountOut)) -
  sum(hops.filter(({ tokenIn }) => tokenIn === token).map(({ amountIn }) => amountIn))
const boughtOf = (swaps: readonly NetSwap[], token: Address) =>
  sum(swaps.filter(({ bought }) => bought === token).map(({ boughtAmount }) => boughtAmount)) -
  sum(swaps.filter(({ sold }) => sold === token).map(({ soldAmount }) => soldAmount))

test('of every token that a row names, the rows add up to what the hops moved', () => {
  fc.assert(
    fc.property(transaction, (hops) => {
      const swaps = collapseHops(hops)
      for (const token of new Set(swaps.flatMap(({ sold, bought }) => [sold, bought]))) {
        expect(boughtOf(swaps, token)).toBe(receivedOf(hops, token))
      }
    }),
  )
})

test('every hop belongs to exactly one row, and a row names two tokens with positive amounts', () => {
  fc.assert(
    fc.property(transaction, (hops) => {
      const swaps = collapseHops(hops)
      expect(swaps.flatMap((swap) => swap.hops).sort((a, b) => a.logIndex - b.logIndex)).toEqual(hops)
      for (const { sold, bought, soldAmount, boughtAmount } of swaps) {
        expect(sold).not.toBe(bought)
        expect(soldAmount > 0n && boughtAmount > 0n).toBe(true)
      }
    }),
  )
})

test('the order in which the hops are given does not matter', () => {
  const shuffled = transaction.chain((hops) =>
    fc.tuple(fc.constant(hops), fc.shuffledSubarray(hops, { minLength: hops.length, maxLength: hops.length })),
  )
  fc.assert(
    fc.property(shuffled, ([hops, other]) => {
      expect(collapseHops(other)).toEqual(collapseHops(hops))
    }),
  )
})

test('routes share no token', () => {
  fc.assert(
    fc.property(transaction, (hops) => {
      const routes = routesOf(hops).map(
        (route) => new Set(route.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut])),
      )
      const tokens = routes.flatMap((route) => [...route])
      expect(new Set(tokens).size).toBe(tokens.length)
    }),
  )
})
