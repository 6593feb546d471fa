import type { DevnetChain, DevnetToken } from '@dexfeed/devnet'
import type { Address } from '@dexfeed/dex'
import { parseUnits } from 'ethers'
import fc from 'fast-check'
import { type AmountRequest, simpleRoutes } from '../expected/brute-force.ts'

export interface QuoteRequest extends AmountRequest {
  sell: Address
  buy: Address
  maxHops: 1 | 2 | 3
}

interface Pair {
  sell: DevnetToken
  buy: DevnetToken
}

/** Amounts are from a millionth of a USD to more than any pool holds. One in four is 1.0 of the token. */
const MAGNITUDES = { min: -6, max: 7 }
const ONE_SHARE = 4

const FIXED_USD = 100

/**
 * Returns random amounts of pairs that have a route. The first are fixed and use every kind of pool and every length of
 * route.
 */
export function randomQuotes({ contracts }: DevnetChain, count: number, seed: number): QuoteRequest[] {
  const { tokens, pools } = contracts
  const pairs = tokens.flatMap((sell) => tokens.filter((buy) => buy !== sell).map((buy) => ({ sell, buy })))
  const routesOf = ({ sell, buy }: Pair, maxHops: number) => simpleRoutes(pools, sell.address, buy.address, maxHops)
  const linked = (maxHops: number) => pairs.filter((pair) => routesOf(pair, maxHops).length > 0)
  const kinds = [...new Set(pools.map(({ kind }) => kind))]
  const fixed = [
    ...kinds.map((kind) => {
      const isOnly = (pair: Pair) => routesOf(pair, 1).every(([step]) => step?.pool.kind === kind)
      return fixedQuote(linked(1).find(isOnly), 1)
    }),
    ...([2, 3] as const).map((hops) =>
      fixedQuote(
        linked(hops).find((pair) => routesOf(pair, hops - 1).length === 0),
        hops,
      ),
    ),
  ]
  const quotes = ([1, 2, 3] as const).map((maxHops) =>
    fc
      .record({
        pair: fc.constantFrom(...linked(maxHops)),
        magnitude: fc.integer(MAGNITUDES),
        digits: fc.integer({ min: 1_000, max: 9_999 }),
        rest: fc.integer({ min: 0, max: 999_999 }),
        die: fc.integer({ min: 1, max: ONE_SHARE }),
      })
      .map(({ pair: { sell, buy }, magnitude, digits, rest, die }): QuoteRequest => {
        const amountIn =
          die === 1 ? 10n ** BigInt(sell.decimals) : worth(sell, (digits / 1_000) * 10 ** magnitude) + BigInt(rest)
        return { sell: sell.address, buy: buy.address, amountIn, maxHops }
      }),
  )
  return [...fixed, ...fc.sample(fc.oneof(...quotes), { numRuns: count, seed })]
}

function fixedQuote(pair: Pair | undefined, maxHops: QuoteRequest['maxHops']): QuoteRequest {
  if (pair === undefined) throw new Error(`no two tokens for ${maxHops} hops`)
  const { sell, buy } = pair
  return { sell: sell.address, buy: buy.address, amountIn: worth(sell, FIXED_USD), maxHops }
}

function worth({ usd, decimals }: DevnetToken, value: number): bigint {
  return parseUnits((value / usd).toFixed(decimals), decimals) + 1n
}
