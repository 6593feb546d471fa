import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import type { QuotablePool } from '../../src/pool.ts'
import { quoteAmount } from '../../src/quote/amounts/quote-amount.ts'
import { createMarket, type MarketSeed } from '../../src/quote/market.ts'
import { randomMarket, TWO_PATHS, tokenAddress } from '../random/market.ts'
import { leastOfAllPaths } from '../random/paths.ts'
import { anyMagnitude } from '../random/pool.ts'

const SELL = tokenAddress(0)
const BUY = tokenAddress(1)
const RUNS = 20 * inject('scale')

const passables = fc.option(
  fc.subarray([2, 3, 4, 5, 6]).map((some) => new Set(some.map(tokenAddress))),
  { freq: 2 },
)
const hops = fc.constantFrom<1 | 2 | 3>(1, 2, 3, 3, 3)

test.each([
  ['dense', 4, 14],
  ['sparse', 7, 16],
])('the least input in a %s market equals that of trying every path', (_, tokens, pools) => {
  const compared = (...[seeds, amount, maxHops, passable]: Parameters<typeof leastOfAllPaths>) => {
    const market = createMarket(seeds, passable)
    const quote = quoteAmount(market, { sell: SELL, buy: BUY, amount, side: 'out', maxHops, maxSplits: 1 })
    const [part] = quote?.parts ?? []
    const found = part && { amountIn: part.amountIn, hops: part.hops.length }
    expect(found ?? null).toEqual(leastOfAllPaths(seeds, amount, maxHops, passable))
    return part
  }
  expect(compared(TWO_PATHS, 10n ** 18n, 3, null)?.hops).toHaveLength(2)
  fc.assert(
    fc.property(
      randomMarket(tokens, pools),
      anyMagnitude(90),
      hops,
      passables,
      (...market) => void compared(...market),
    ),
    { numRuns: RUNS },
  )
})

test('pools that are not allowed are as if they were missing', () => {
  fc.assert(
    fc.property(randomMarket(4, 14), anyMagnitude(60), fc.constantFrom('in', 'out'), (seeds, amount, side) => {
      const query = { sell: SELL, buy: BUY, amount, side, maxHops: 3, maxSplits: 1 } as const
      const isAllowed = ({ pool }: MarketSeed) => Number.parseInt(pool.address.slice(-1), 16) % 3 !== 0
      const names = new Set(seeds.filter(isAllowed).map(({ pool }) => pool.address))
      const allows = ({ address }: QuotablePool) => names.has(address)
      expect(quoteAmount(createMarket(seeds), { ...query, allows })).toEqual(
        quoteAmount(createMarket(seeds.filter(isAllowed)), query),
      )
    }),
    { numRuns: RUNS },
  )
})
