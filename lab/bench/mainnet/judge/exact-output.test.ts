import type { PoolState } from '@dexfeed/dex'
import { type Address, createMarket, type Market, quotePrice } from '@dexfeed/dex'
import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { makePool } from '../made/world/make-pool.ts'
import type { MadePool, MadeToken } from '../made/world/pool.ts'
import { stateAfter } from '../made/world/pool-states.ts'
import { exactOutput, marginalRate, sqrtRatioAt } from './exact-output.ts'
import { exactPrice, marginalPrice, readPrice } from './price.ts'

const address = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
const decimals = fc.constantFrom(6, 9, 18)
const usd = fc.integer({ min: -5, max: 3 }).map((exponent) => 10 ** exponent)

/** A pool of two tokens after some swaps. */
const scenes = fc
  .record({
    kind: fc.constantFrom('uniswap-v2', 'uniswap-v3', 'pancakeswap-v3'),
    decimals: fc.tuple(decimals, decimals),
    usd: fc.tuple(usd, usd),
    drawn: fc.nat(1_000_000),
    rank: fc.nat(200_000),
    swaps: fc.nat(50),
    sellsToken0: fc.boolean(),
  })
  .map(({ decimals: of, usd: worth, ...plan }) => {
    const tokens = [0, 1].map((i): MadeToken => {
      return { address: address(i + 1), symbol: `T${i}`, decimals: of[i] ?? 0, usd: worth[i] ?? 1 }
    })
    const pool = makePool({ ...plan, address: address(9), factory: address(8), tokens: tokens as never, ticks: 16 })
    return { pool, state: stateAfter(pool, plan.swaps), sellsToken0: plan.sellsToken0 }
  })

function marketOf(pool: MadePool, state: PoolState): Market {
  const { token0, token1, fee, ticks } = pool
  const tickSpacing = pool.kind === 'uniswap-v2' ? null : pool.tickSpacing
  const quotable = { address: pool.address, token0: token0.address, token1: token1.address, fee, tickSpacing }
  return createMarket([
    tickSpacing === null
      ? { pool: quotable, state }
      : { pool: quotable, state, ticks: [...ticks].map(([tick, liquidity]) => ({ tick, ...liquidity })) },
  ])
}

it('a pool gives what the quotes say that were proven on its real contract', () => {
  let crossing = 0
  fc.assert(
    fc.property(scenes, ({ pool, state, sellsToken0 }) => {
      const [sell, buy] = sellsToken0 ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
      const quote = quotePrice(marketOf(pool, state), { sell, buy })
      const output = exactOutput(pool, state, sellsToken0, 10n ** BigInt(sell.decimals))
      crossing += (output?.crossed ?? 0) > 0 ? 1 : 0
      if (output === null || quote === null) return expect(quote).toBe(output)
      const marginal = marginalPrice(marginalRate(pool, state, sellsToken0), sell.decimals, buy.decimals)
      const price = quote.basis === 'exact' ? exactPrice(output.amountOut, buy.decimals) : marginal
      expect(readPrice(quote.price)).toBe(price)
      expect(quote.basis).toBe(output.amountOut >= 1_000n ? 'exact' : 'marginal')
    }),
    { numRuns: 400 * inject('scale') },
  )
  expect(crossing).toBeGreaterThan(0)
})

it('knows the outermost prices of the contract', () => {
  expect(sqrtRatioAt(-887_272)).toBe(4295128739n)
  expect(sqrtRatioAt(887_272)).toBe(1461446703485210103287273052203988822378723970342n)
})
