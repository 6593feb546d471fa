import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { at, madeHop } from '../../../test/made-hop.ts'
import type { Hop } from '../trade.ts'
import { type Order, shareHops, splitAmount } from './share-hops.ts'

const [USDC, WETH, FOO, BAR, DAI] = [at('c'), at('e1'), at('f00'), at('ba1'), at('da1')]
type Token = typeof FOO
const hop = (logIndex: number, tokenIn: Token, amountIn: bigint, tokenOut: Token, amountOut: bigint) =>
  madeHop(logIndex, [tokenIn, amountIn], [tokenOut, amountOut])
const order = (sell: Token, sellAmount: bigint, buy: Token, buyAmount: bigint): Order => {
  return { sell: { token: sell, amount: sellAmount }, buy: { token: buy, amount: buyAmount } }
}
/** Returns the parts of each order as texts: log index and amounts. */
const sharesOf = (hops: Hop[], ...orders: Order[]) => {
  const { parts, rest } = shareHops(hops, orders)
  const short = ({ logIndex, amountIn, amountOut }: Hop) => `${logIndex}: ${amountIn} -> ${amountOut}`
  return { parts: parts.map((ofOrder) => ofOrder.map(short)), rest: rest.map(short) }
}

describe('a hop', () => {
  it('is of the order on whose way it lies', () => {
    const hops = [hop(1, USDC, 100n, WETH, 5n), hop(2, WETH, 9n, FOO, 90n)]
    expect(sharesOf(hops, order(USDC, 100n, WETH, 5n), order(WETH, 9n, FOO, 90n))).toEqual({
      parts: [['1: 100 -> 5'], ['2: 9 -> 90']],
      rest: [],
    })
  })

  it('is of none where it lies on no way', () => {
    const hops = [hop(1, USDC, 100n, WETH, 5n), hop(2, DAI, 7n, BAR, 70n), hop(3, WETH, 1n, USDC, 19n)]
    expect(sharesOf(hops, order(USDC, 100n, WETH, 5n))).toEqual({
      parts: [['1: 100 -> 5']],
      rest: ['2: 7 -> 70', '3: 1 -> 19'],
    })
  })

  it('of several orders is shared by what they hold of what it takes', () => {
    const hops = [hop(1, USDC, 300n, WETH, 16n), hop(2, WETH, 10n, FOO, 101n)]
    expect(sharesOf(hops, order(USDC, 100n, WETH, 5n), order(USDC, 200n, FOO, 101n))).toEqual({
      parts: [['1: 100 -> 5'], ['1: 200 -> 11', '2: 10 -> 101']],
      rest: [],
    })
  })

  it('of several orders further on goes with what the hops before gave them', () => {
    const hops = [hop(1, USDC, 300n, WETH, 30n), hop(2, WETH, 30n, FOO, 3n)]
    expect(sharesOf(hops, order(USDC, 100n, FOO, 1n), order(USDC, 200n, FOO, 2n)).parts).toEqual([
      ['1: 100 -> 10', '2: 10 -> 1'],
      ['1: 200 -> 20', '2: 20 -> 2'],
    ])
  })

  it('after the token that an order bought is not on its path', () => {
    const hops = [hop(1, USDC, 100n, WETH, 5n), hop(2, WETH, 5n, DAI, 9n), hop(3, DAI, 9n, WETH, 6n)]
    expect(sharesOf(hops, order(USDC, 100n, WETH, 5n))).toEqual({
      parts: [['1: 100 -> 5']],
      rest: ['2: 5 -> 9', '3: 9 -> 6'],
    })
  })

  it('is of those that have something left', () => {
    const hops = [
      ...[hop(1, USDC, 150n, DAI, 15n), hop(2, DAI, 15n, WETH, 3n), hop(3, USDC, 80n, FOO, 8n)],
      ...[hop(4, FOO, 1n, WETH, 1n), hop(5, FOO, 7n, BAR, 70n)],
    ]
    const { parts } = sharesOf(hops, order(USDC, 100n, WETH, 4n), order(USDC, 100n, BAR, 70n))
    expect(parts[1]).toEqual(['3: 80 -> 8', '5: 7 -> 70'])
  })

  it('goes with the sold amounts where orders of the other way took a part of them', () => {
    const hops = [hop(1, USDC, 60n, WETH, 3n)]
    const orders = [order(USDC, 60n, WETH, 3n), order(USDC, 40n, WETH, 2n), order(WETH, 2n, USDC, 40n)]
    expect(sharesOf(hops, ...orders).parts).toEqual([['1: 36 -> 1'], ['1: 24 -> 2'], []])
  })

  it('that comes before the hops which pay for it is shared by what the orders want of it', () => {
    const hops = [hop(1, WETH, 30n, FOO, 300n), hop(2, USDC, 600n, WETH, 30n)]
    const orders = [order(USDC, 200n, FOO, 100n), order(USDC, 400n, FOO, 200n)]
    expect(sharesOf(hops, ...orders).parts).toEqual([
      ['1: 10 -> 100', '2: 200 -> 10'],
      ['1: 20 -> 200', '2: 400 -> 20'],
    ])
  })

  it('without any evidence is shared in equal parts', () => {
    const hops = [hop(1, WETH, 30n, DAI, 300n), hop(2, USDC, 600n, WETH, 30n), hop(3, DAI, 300n, FOO, 10n)]
    const orders = [order(USDC, 200n, FOO, 3n), order(USDC, 400n, FOO, 7n)]
    expect(sharesOf(hops, ...orders).parts.map((parts) => parts[0])).toEqual(['1: 15 -> 150', '1: 15 -> 150'])
  })
})

describe('an order without a whole way', () => {
  it('has the hops that begin or end it', () => {
    const hops = [hop(1, USDC, 100n, WETH, 5n), hop(2, DAI, 7n, BAR, 70n)]
    expect(sharesOf(hops, order(USDC, 100n, FOO, 3n), order(WETH, 9n, BAR, 70n))).toEqual({
      parts: [['1: 100 -> 5'], ['2: 7 -> 70']],
      rest: [],
    })
  })

  it('has none that another order has', () => {
    const hops = [hop(1, USDC, 100n, WETH, 5n)]
    expect(sharesOf(hops, order(USDC, 100n, WETH, 5n), order(USDC, 7n, FOO, 3n))).toEqual({
      parts: [['1: 100 -> 5'], []],
      rest: [],
    })
  })

  it('has no hop that takes what it bought, or gives what it sold', () => {
    const round = [
      hop(1, FOO, 9n, WETH, 5n),
      hop(2, WETH, 5n, FOO, 8n),
      hop(3, USDC, 7n, DAI, 6n),
      hop(4, DAI, 6n, USDC, 7n),
    ]
    expect(sharesOf(round, order(USDC, 100n, FOO, 3n))).toEqual({
      parts: [['2: 5 -> 8', '3: 7 -> 6']],
      rest: ['1: 9 -> 5', '4: 6 -> 7'],
    })
  })

  it('does not take what it sold, nor give what it bought', () => {
    const hops = [hop(1, FOO, 100n, WETH, 5n), hop(2, DAI, 7n, USDC, 70n)]
    expect(sharesOf(hops, order(USDC, 100n, FOO, 3n))).toEqual({
      parts: [[]],
      rest: ['1: 100 -> 5', '2: 7 -> 70'],
    })
  })
})

test.each<[bigint, bigint[], bigint[]]>([
  [10n, [1n, 1n, 1n], [3n, 3n, 4n]],
  [10n, [1n, 0n, 2n, 0n], [3n, 0n, 7n, 0n]],
  [1n, [5n, 5n], [0n, 1n]],
  [7n, [0n, 3n], [0n, 7n]],
])('%s by %s is %s', (amount, weights, parts) => {
  expect(splitAmount(amount, weights)).toEqual(parts)
})

const token = fc.constantFrom(USDC, WETH, FOO, BAR, DAI)
const amount = fc.bigInt({ min: 1n, max: 10n ** 6n })
const pair = fc.tuple(token, token).filter(([a, b]) => a !== b)
const drawnHops = fc.array(fc.tuple(pair, amount, amount), { minLength: 1, maxLength: 8 })
const drawnOrders = fc.array(fc.tuple(pair, amount, amount), { minLength: 1, maxLength: 5 })

test('for any orders, all parts of a hop add up to the hop, to the unit', () => {
  fc.assert(
    fc.property(drawnHops, drawnOrders, (hops, orders) => {
      const made = hops.map(([[tokenIn, tokenOut], a, b], index) => hop(index, tokenIn, a, tokenOut, b))
      const { parts, rest } = shareHops(
        made,
        orders.map(([[sell, buy], sold, bought]) => order(sell, sold, buy, bought)),
      )
      for (const hop of made) {
        const all = [...parts.flat(), ...rest].filter(({ logIndex }) => logIndex === hop.logIndex)
        expect(all.reduce((sum, { amountIn }) => sum + amountIn, 0n)).toBe(hop.amountIn)
        expect(all.reduce((sum, { amountOut }) => sum + amountOut, 0n)).toBe(hop.amountOut)
      }
    }),
  )
})
