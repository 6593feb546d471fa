import { createRequire } from 'node:module'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '../src/chain/hex.ts'
import { getSqrtRatioAtTick, getTickAtSqrtRatio, MAX_SQRT_RATIO, MIN_SQRT_RATIO } from '../src/maths/tick-math.ts'
import type { Pool } from '../src/pool.ts'
import type { ConcentratedState } from '../src/pool-state.ts'
import { bestRoute } from '../src/quote/best-route.ts'
import { createMarket } from '../src/quote/market.ts'
import { pairAmountOut } from '../src/quote/pool-maths/pool-side.ts'
import { getAmount0Delta, getAmount1Delta } from '../src/quote/pool-maths/sqrt-price-math.ts'
import { SwapLadder } from '../src/quote/pool-maths/swap-ladder.ts'
import { TickList } from '../src/quote/pool-maths/tick-list.ts'
import { type Artifact, type Contract, type LocalChain, startLocalChain } from './local-chain.ts'
import { anyMagnitude } from './random/pool.ts'

const load = createRequire(import.meta.url)
const core = (name: string): Artifact => load(`@uniswap/v3-core/artifacts/contracts/${name}.sol/${name}.json`)
const periphery = (path: string): Artifact =>
  load(`@uniswap/v3-periphery/artifacts/contracts/${path}.sol/${path.split('/').at(-1)}.json`)
const v2 = (name: string): Artifact => load(`@uniswap/v2-periphery/build/${name}.json`)

const ZERO = '0x0000000000000000000000000000000000000000'
const FOREVER = 2n ** 60n
const SUPPLY = 2n ** 250n

/**
 * A fee tier with the tick at which its pool starts, and its positions as [lower, upper, liquidity] in tick spacings.
 */
interface Tier {
  fee: number
  spacing: number
  start: number
  positions: readonly (readonly [number, number, bigint])[]
}

const maxIndex = (spacing: number) => Math.floor(887272 / spacing)

// Positions relative to the start: a wide one, a narrow one around the price, overlapping ones, and some beyond a gap.
const around = (start: number, spacing: number, unit: bigint) => {
  const at = Math.floor(start / spacing)
  return [
    [at - 3000, at + 2500, unit],
    [at - 2, at + 3, 900n * unit],
    [at - 40, at + 7, 77n * unit + 1n],
    [at - 300, at + 290, 13n * unit + 7n],
    [at + 3, at + 61, 5n * unit],
    [at + 4000, at + 4100, 3n * unit],
    [at - 4321, at - 4300, 11n * unit],
  ] as const
}

const TIERS: readonly Tier[] = [
  { fee: 100, spacing: 1, start: 3, positions: around(3, 1, 10n ** 18n + 3n) },
  {
    fee: 500,
    spacing: 10,
    start: -196_257,
    positions: [...around(-196_257, 10, 10n ** 14n + 9n), [-maxIndex(10), maxIndex(10), 123_456_789n]],
  },
  { fee: 3000, spacing: 60, start: 61_234, positions: around(61_234, 60, 10n ** 21n) },
  { fee: 10_000, spacing: 200, start: -99, positions: around(-99, 200, 10n ** 19n).filter(([low]) => low > -4400) },
  // Price and liquidity are high and the words wide, so that 256 bits overflow and the contract uses its second
  // formula.
  {
    fee: 20_000,
    spacing: 16_383,
    start: 869_999,
    positions: [
      [-maxIndex(16_383), maxIndex(16_383), 2n ** 118n + 12_345n],
      [50, 54, 2n ** 100n],
      [-30, -3, 2n ** 90n],
    ],
  },
]

let chain: LocalChain
let tokens: [Contract, Contract]
let quoter: Contract
let router: Contract
let pairRouter: Contract
let pairFactory: Contract
const pools = new Map<number, Contract>()

beforeAll(async () => {
  chain = await startLocalChain()
  const erc20 = v2('ERC20')
  const made = [await chain.deploy(erc20, SUPPLY), await chain.deploy(erc20, SUPPLY)] as [Contract, Contract]
  tokens = made[0].address < made[1].address ? made : [made[1], made[0]]
  const weth = (await chain.deploy(v2('WETH9'))).address
  const factory = await chain.deploy(core('UniswapV3Factory'))
  quoter = await chain.deploy(periphery('lens/QuoterV2'), factory.address, weth)
  router = await chain.deploy(periphery('SwapRouter'), factory.address, weth)
  const manager = await chain.deploy(periphery('NonfungiblePositionManager'), factory.address, weth, ZERO)
  pairFactory = await chain.deploy(load('@uniswap/v2-core/build/UniswapV2Factory.json'), chain.account)
  pairRouter = await chain.deploy(v2('UniswapV2Router02'), pairFactory.address, weth)
  for (const token of tokens) {
    for (const spender of [manager, router, pairRouter]) await token.send('approve', spender.address, 2n ** 256n - 1n)
  }
  await factory.send('enableFeeAmount', 100, 1)
  await factory.send('enableFeeAmount', 20_000, 16_383)
  for (const tier of TIERS) pools.set(tier.fee, await openPool(factory, manager, tier))
})

afterAll(() => chain?.stop())

async function openPool(factory: Contract, manager: Contract, tier: Tier): Promise<Contract> {
  const [token0, token1] = tokens.map((token) => token.address)
  const price = getSqrtRatioAtTick(tier.start) + 12_345n
  await manager.send('createAndInitializePoolIfNecessary', token0, token1, tier.fee, price)
  for (const [lower, upper, liquidity] of tier.positions) {
    const low = getSqrtRatioAtTick(lower * tier.spacing)
    const high = getSqrtRatioAtTick(upper * tier.spacing)
    const amount0 = price < high ? getAmount0Delta(price > low ? price : low, high, liquidity, true) : 0n
    const amount1 = price > low ? getAmount1Delta(low, price < high ? price : high, liquidity, true) : 0n
    const range = [lower * tier.spacing, upper * tier.spacing]
    await manager.send('mint', [token0, token1, tier.fee, ...range, amount0, amount1, 0, 0, chain.account, FOREVER])
  }
  const address = String((await factory.call('getPool', token0, token1, tier.fee))[0])
  return chain.at(address, core('UniswapV3Pool'))
}

/** Reads the pool from the contract, in the form that a market holds. */
async function readPool(tier: Tier): Promise<{ pool: Pool; state: ConcentratedState; ticks: TickList }> {
  const contract = pools.get(tier.fee)
  if (contract === undefined) throw new Error(`no pool of ${tier.fee}`)
  const [slot0, [liquidity]] = await Promise.all([contract.call('slot0'), contract.call('liquidity')])
  const boundaries = [...new Set(tier.positions.flatMap((position) => position.slice(0, 2).map(Number)))]
  const rows = await Promise.all(
    boundaries.map(async (index) => {
      const [gross, net] = await contract.call('ticks', index * tier.spacing)
      return { tick: index * tier.spacing, gross: BigInt(gross), net: BigInt(net) }
    }),
  )
  const tick = Number(slot0.tick)
  return {
    pool: {
      address: contract.address as Address,
      dex: { name: 'uniswap-v3', kind: 'uniswap-v3', factory: ZERO },
      token0: tokens[0].address as Address,
      token1: tokens[1].address as Address,
      fee: tier.fee,
      tickSpacing: tier.spacing,
    },
    state: { kind: 'concentrated', sqrtPriceX96: BigInt(slot0.sqrtPriceX96), tick, liquidity: BigInt(liquidity) },
    ticks: new TickList(tier.spacing, rows),
  }
}

/** Returns what the contract pays for all of `amountIn`, or null if it cannot accept all of it. */
async function quoted(
  fee: number,
  zeroForOne: boolean,
  amountIn: bigint,
): Promise<{ out: bigint | null; crossed: number }> {
  const [tokenIn, tokenOut] = zeroForOne ? tokens : [tokens[1], tokens[0]]
  const result = await quoter.call('quoteExactInputSingle', [tokenIn.address, tokenOut.address, amountIn, fee, 0])
  const [amountOut, priceAfter, crossed] = result.map(BigInt) as [bigint, bigint, bigint]
  const limit = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n
  return { out: priceAfter === limit ? null : amountOut, crossed: Number(crossed) }
}

/**
 * Returns inputs of all magnitudes up to the pool's maximum, as many again evenly spaced, and some that are too large.
 */
function inputs(ladder: SwapLadder, count: number, seed: number): bigint[] {
  const all = fc.sample(anyMagnitude(190), { numRuns: 4000, seed })
  const feasible = all.filter((amount) => ladder.quote(amount) !== null)
  let top = 1n
  for (const amount of feasible) top = amount > top ? amount : top
  const exhausting = all.filter((amount) => amount > top && amount < top * 1000n)
  const small = feasible.filter((amount) => amount > top >> 90n)
  const even = fc.sample(fc.bigInt({ min: 1n, max: top }), { numRuns: count / 2, seed })
  return [...exhausting.slice(0, 2), ...even, ...small.slice(0, count / 2)]
}

const BOTH = [true, false]

async function compareWithQuoter(tier: Tier, count: number, seed: number) {
  const { state, ticks } = await readPool(tier)
  expect(getTickAtSqrtRatio(state.sqrtPriceX96) - state.tick).toBeLessThanOrEqual(1)
  const seen = { quotes: 0, crossing: 0, exhausted: 0 }
  for (const zeroForOne of BOTH) {
    const ladder = new SwapLadder(state, ticks, BigInt(tier.fee), zeroForOne)
    for (const amountIn of inputs(ladder, count, seed)) {
      const { out, crossed } = await quoted(tier.fee, zeroForOne, amountIn)
      expect(ladder.quote(amountIn), `fee ${tier.fee} ${zeroForOne} ${amountIn}`).toBe(out)
      seen.quotes++
      if (out === null) seen.exhausted++
      else if (crossed > 0) seen.crossing++
    }
  }
  return seen
}

test.each(TIERS)(
  'quotes of the $fee tier equal QuoterV2 to the wei, crossings and exhaustion included',
  async (tier) => {
    const seen = await compareWithQuoter(tier, 40, tier.fee)
    expect(seen.quotes).toBeGreaterThanOrEqual(70)
    expect(seen.crossing).toBeGreaterThan(5)
    expect(seen.exhausted).toBeGreaterThan(0)
  },
)

test.each(BOTH)(
  'they do so where a swap (token0 sold: %s) has left the price exactly on an initialised tick',
  async (zeroForOne) => {
    for (const tier of TIERS.slice(0, 3)) {
      const [, [lower, upper] = [0, 0]] = tier.positions
      const edge = getSqrtRatioAtTick((zeroForOne ? lower : upper) * tier.spacing)
      const [tokenIn, tokenOut] = zeroForOne ? tokens : [tokens[1], tokens[0]]
      await router.send('exactInputSingle', [
        tokenIn.address,
        tokenOut.address,
        tier.fee,
        chain.account,
        FOREVER,
        10n ** 60n,
        0,
        edge,
      ])
      const { state } = await readPool(tier)
      expect(state.sqrtPriceX96).toBe(edge)
      expect(getTickAtSqrtRatio(edge) - state.tick).toBe(zeroForOne ? 1 : 0)
      const seen = await compareWithQuoter(tier, 10, tier.fee + 1)
      expect(seen.crossing).toBeGreaterThan(0)
    }
  },
)

test('pair quotes equal getAmountsOut of the router, and so does the best route', async () => {
  const reserves = [10n ** 24n + 7n, 3n * 10n ** 15n + 11n] as const
  const addresses = tokens.map((token) => token.address)
  await pairRouter.send('addLiquidity', ...addresses, ...reserves, 0, 0, chain.account, FOREVER)
  const address = String((await pairFactory.call('getPair', ...addresses))[0]) as Address
  const { pool } = await readPool(TIERS[0] as Tier)
  const pair = {
    ...pool,
    address,
    dex: { name: 'v2', kind: 'uniswap-v2', factory: ZERO },
    fee: 3000,
    tickSpacing: null,
  } as const
  const market = createMarket([{ pool: pair, state: { kind: 'pair', reserve0: reserves[0], reserve1: reserves[1] } }])
  for (const amountIn of fc.sample(anyMagnitude(120), { numRuns: 60, seed: 2 })) {
    const [[, out]] = (await pairRouter.call('getAmountsOut', amountIn, addresses)) as unknown as [[bigint, bigint]]
    const [[, back]] = (await pairRouter.call('getAmountsOut', amountIn, [...addresses].reverse())) as unknown as [
      [bigint, bigint],
    ]
    expect(pairAmountOut(amountIn, ...reserves, 3000n)).toBe(out)
    expect(pairAmountOut(amountIn, reserves[1], reserves[0], 3000n)).toBe(back)
    expect(bestRoute(market, { sell: pair.token0, buy: pair.token1, amountIn })?.amountOut ?? 0n).toBe(out)
  }
})
