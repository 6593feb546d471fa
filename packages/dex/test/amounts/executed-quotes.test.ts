import { createRequire } from 'node:module'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Address } from '../../src/chain/hex.ts'
import { getSqrtRatioAtTick } from '../../src/maths/tick-math.ts'
import { type AmountQuote, quoteAmount } from '../../src/quote/amounts/quote-amount.ts'
import { createMarket, type Market, type MarketSeed } from '../../src/quote/market.ts'

import { type Artifact, type Contract, type LocalChain, startLocalChain } from '../local-chain.ts'
import { deployToken, lower, type Step, Trader } from './trader.ts'

const load = createRequire(import.meta.url)
const core = (name: string): Artifact => load(`@uniswap/v3-core/artifacts/contracts/${name}.sol/${name}.json`)
const periphery = (name: string): Artifact => load(`@uniswap/v3-periphery/artifacts/contracts/${name}.sol/${name}.json`)
const v2 = (path: string): Artifact => load(`@uniswap/v2-${path}.json`)

const ZERO = '0x0000000000000000000000000000000000000000'
const FOREVER = 2n ** 60n
const UNIT = 10n ** 18n
const RUNS = 25 * inject('scale')

/**
 * Two tokens by number, whole tokens on each side, and for concentrated liquidity a fee and a range in tick spacings.
 */
const PAIRS = [
  [0, 1, 900n, 910n],
  [1, 2, 700n, 690n],
  [0, 2, 300n, 305n],
] as const
const RANGES = [
  [
    0,
    1,
    500,
    10,
    [
      [-60, 60, 2_000n],
      [-3, 4, 9_000n],
    ],
  ],
  [
    0,
    1,
    3000,
    60,
    [
      [-200, 200, 1_500n],
      [-1, 1, 700n],
    ],
  ],
  [0, 2, 3000, 60, [[-30, 40, 3_000n]]],
  [
    1,
    2,
    500,
    10,
    [
      [-200, 100, 2_500n],
      [5, 40, 800n],
    ],
  ],
] as const

let chain: LocalChain
let trader: Trader
let tokens: Contract[]
let market: Market
let pairRouter: Contract
let rangeRouter: Contract

beforeAll(async () => {
  chain = await startLocalChain()
  const made = [await deployToken(chain, 18), await deployToken(chain, 18), await deployToken(chain, 18)]
  tokens = made.sort((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1))
  const weth = (await chain.deploy(v2('periphery/build/WETH9'))).address
  const pairFactory = await chain.deploy(v2('core/build/UniswapV2Factory'), chain.account)
  pairRouter = await chain.deploy(v2('periphery/build/UniswapV2Router02'), pairFactory.address, weth)
  const factory = await chain.deploy(core('UniswapV3Factory'))
  rangeRouter = await chain.deploy(periphery('SwapRouter'), factory.address, weth)
  const manager = await chain.deploy(periphery('NonfungiblePositionManager'), factory.address, weth, ZERO)
  trader = new Trader(chain)
  for (const token of tokens) {
    await token.send('mint', chain.account, 10n ** 40n)
    for (const spender of [pairRouter, manager]) await token.send('approve', spender.address, 2n ** 256n - 1n)
    await trader.fund(token, pairRouter, rangeRouter)
  }
  const seeds: MarketSeed[] = []
  for (const pair of PAIRS) seeds.push(await openPair(pairFactory, pair))
  for (const ranges of RANGES) seeds.push(await openRanges(factory, manager, ranges))
  market = createMarket(seeds)
})

afterAll(() => chain?.stop())

const addressOf = (number: number) => tokens[number]?.address ?? ZERO
const numberOf = (address: Address) => tokens.findIndex((token) => lower(token.address) === address)

async function openPair(factory: Contract, [a, b, amountA, amountB]: (typeof PAIRS)[number]): Promise<MarketSeed> {
  const both = [addressOf(a), addressOf(b)]
  await pairRouter.send('addLiquidity', ...both, amountA * UNIT, amountB * UNIT, 0, 0, chain.account, FOREVER)
  const address = String((await factory.call('getPair', ...both))[0])
  const [reserve0, reserve1] = await chain.at(address, v2('core/build/UniswapV2Pair')).call('getReserves')
  const pool = { address: lower(address), token0: lower(addressOf(a)), token1: lower(addressOf(b)) }
  return {
    pool: { ...pool, fee: 3000, tickSpacing: null },
    state: { kind: 'pair', reserve0: BigInt(reserve0), reserve1: BigInt(reserve1) },
  }
}

async function openRanges(
  factory: Contract,
  manager: Contract,
  [a, b, fee, tickSpacing, ranges]: (typeof RANGES)[number],
): Promise<MarketSeed> {
  const both = [addressOf(a), addressOf(b)]
  await manager.send('createAndInitializePoolIfNecessary', ...both, fee, getSqrtRatioAtTick(7) + 12_345n)
  for (const [low, high, amount] of ranges) {
    const range = [low * tickSpacing, high * tickSpacing, amount * UNIT, amount * UNIT, 0, 0]
    await manager.send('mint', [...both, fee, ...range, chain.account, FOREVER])
  }
  const address = String((await factory.call('getPool', ...both, fee))[0])
  const contract = chain.at(address, core('UniswapV3Pool'))
  const [slot0, [liquidity]] = await Promise.all([contract.call('slot0'), contract.call('liquidity')])
  const ticks = await Promise.all(
    [...new Set<number>(ranges.flatMap(([low, high]) => [low * tickSpacing, high * tickSpacing]))].map(async (tick) => {
      const [gross, net] = await contract.call('ticks', tick)
      return { tick, gross: BigInt(gross), net: BigInt(net) }
    }),
  )
  const pool = { address: lower(address), token0: lower(addressOf(a)), token1: lower(addressOf(b)) }
  return {
    pool: { ...pool, fee, tickSpacing },
    state: {
      ...{ kind: 'concentrated', sqrtPriceX96: BigInt(slot0.sqrtPriceX96), tick: Number(slot0.tick) },
      liquidity: BigInt(liquidity),
    },
    ticks,
  }
}

/** Returns swaps of the quote's hops in sequence, each with exactly the quoted amount. */
function stepsOf(quote: AmountQuote): Step[] {
  return quote.parts.flatMap(({ hops }) =>
    hops.map(({ pool, tokenIn, tokenOut, amountIn }): Step => {
      if (pool.tickSpacing === null) {
        const path = [tokenIn, tokenOut]
        return [pairRouter, 'swapExactTokensForTokens', amountIn, 0n, path, trader.address, FOREVER]
      }
      const swap = [tokenIn, tokenOut, pool.fee, trader.address, FOREVER, amountIn, 0n, 0n]
      return [rangeRouter, 'exactInputSingle', swap]
    }),
  )
}

test.each(['in', 'out'] as const)(
  'the hops of a quote (%s), executed in order on the contracts, give it',
  async (side) => {
    const drawn = fc.record({
      tokens: fc.shuffledSubarray([0, 1, 2], { minLength: 2, maxLength: 2 }),
      /** A base-ten logarithm in thousandths, of the amount in whole tokens. */
      size: fc.oneof(fc.integer({ min: -17_000, max: 3_300 }), fc.integer({ min: 1_000, max: 3_300 })),
      maxSplits: fc.constantFrom<1 | 2 | 3 | 4>(1, 2, 3, 4, 4),
    })
    const seen = { quotes: 0, parts: 0, hops: 0 }
    for (const { tokens: ends, size, maxSplits } of fc.sample(drawn, { numRuns: RUNS, seed: side === 'in' ? 1 : 2 })) {
      const [sell, buy] = ends.map((number) => lower(addressOf(number))) as [Address, Address]
      const amount = BigInt(Math.round(1e18 * 10 ** (size / 1000)))
      const quote = quoteAmount(market, { sell, buy, amount, side, maxHops: 3, maxSplits })
      if (quote === null) continue
      const changes = await trader.swap(stepsOf(quote), tokens)
      const expected = [0n, 0n, 0n]
      expected[numberOf(sell)] = -quote.amountIn
      expected[numberOf(buy)] = quote.amountOut
      expect(changes).toEqual(expected)
      seen.quotes++
      seen.parts += quote.parts.length
      seen.hops += stepsOf(quote).length
    }
    expect(seen.quotes).toBeGreaterThan(0)
    expect(seen.parts).toBeGreaterThan(1.3 * seen.quotes)
    expect(seen.hops).toBeGreaterThan(1.1 * seen.parts)
  },
)
