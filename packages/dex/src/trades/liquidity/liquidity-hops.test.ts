import { describe, expect, test } from 'vitest'
import { madePool } from '../../../test/made-hop.ts'
import { type Address, ZERO_ADDRESS } from '../../chain.ts'
import type { Pool } from '../../pool.ts'
import type { CoinReference, ExchangeEvent } from '../../pool-event.ts'
import { toHops } from '../hops.ts'
import { collapseHops } from '../routes.ts'

/**
 *   USDC --linear--> bbUSDC --stable--> bbDAI --linear--> DAI      a route: the shares in the middle are passed on
 *   USDC --linear--> bbUSDC --stable--> bbUSD                      liquidity: the route ends in shares
 */
const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [USDC, DAI, WETH, LENT] = [address('01'), address('02'), address('03'), address('04')]
const [BB_USDC, BB_DAI, BB_USD] = [address('b1'), address('b2'), address('b3')]
const [WA_USDC, WA_DAI] = [address('e1'), address('e2')]
const V2 = { name: 'balancer-v2', kind: 'balancer-v2', factory: address('ba') } as const
const V3 = { name: 'balancer-v3', kind: 'balancer-v3', factory: address('bb') } as const

const poolV2 = (shares: Address, coins: readonly Address[]): Pool =>
  madePool(`${V2.factory}${shares.slice(2)}${'00'.repeat(12)}`, [coins[0] ?? shares, coins[1] ?? shares], {
    dex: V2,
    fee: 0,
    coins: [...coins, shares],
  })
const bufferV3 = (wrapper: Address, asset: Address): Pool =>
  madePool(`${V3.factory}${wrapper.slice(2)}`, [wrapper, asset], {
    dex: V3,
    fee: 0,
    coins: [wrapper],
    underlying: [asset],
  })
const linearUsdc = poolV2(BB_USDC, [USDC, LENT])
const linearDai = poolV2(BB_DAI, [DAI, LENT])
const stable = poolV2(BB_USD, [BB_USDC, BB_DAI])
const weighted = poolV2(address('b4'), [WETH, USDC])
const boosted: Pool = { ...bufferV3(address('c1'), USDC), coins: [WA_USDC, WA_DAI] }
delete boosted.underlying
const bufferUsdc = bufferV3(WA_USDC, USDC)
const bufferDai = bufferV3(WA_DAI, DAI)
const pools = [linearUsdc, linearDai, stable, weighted, boosted, bufferUsdc, bufferDai]

type Step = [pool: Pool, sold: Address | CoinReference, soldAmount: bigint, bought: Address | CoinReference, bigint]

const referenceOf = (coin: Address | CoinReference) => (typeof coin === 'string' ? { token: coin } : coin)

function run(...steps: Step[]) {
  const events = steps.map(
    ([{ address: pool }, sold, soldAmount, bought, boughtAmount], logIndex): ExchangeEvent => ({
      type: 'exchange',
      family: 'managed',
      pool,
      transactionIndex: 0,
      logIndex,
      sold: referenceOf(sold),
      soldAmount,
      bought: referenceOf(bought),
      boughtAmount,
    }),
  )
  const { hops, dropped } = toHops(events, new Map(pools.map((pool) => [pool.address, pool])), WETH)
  const swaps = collapseHops(hops).map(({ sold, soldAmount, bought, boughtAmount }) => [
    sold,
    soldAmount,
    bought,
    boughtAmount,
  ])
  return { swaps, dropped: dropped.map(({ event, reason }) => [event.logIndex, reason]) }
}

describe('shares of a pool', () => {
  test('that the next pool takes are a step of the route', () => {
    const { swaps, dropped } = run(
      [linearUsdc, USDC, 100n, BB_USDC, 99n],
      [stable, BB_USDC, 99n, BB_DAI, 98n],
      [linearDai, BB_DAI, 98n, DAI, 101n],
    )
    expect(swaps).toEqual([[USDC, 100n, DAI, 101n]])
    expect(dropped).toEqual([])
  })

  test('at the end of a route make it liquidity added, through nested pools too', () => {
    expect(run([linearUsdc, USDC, 100n, BB_USDC, 99n])).toEqual({ swaps: [], dropped: [[0, 'liquidity']] })
    const nested = run([linearUsdc, USDC, 100n, BB_USDC, 99n], [stable, BB_USDC, 99n, BB_USD, 97n])
    expect(nested).toEqual({
      swaps: [],
      dropped: [
        [0, 'liquidity'],
        [1, 'liquidity'],
      ],
    })
  })

  test('at the beginning of a route make it liquidity removed', () => {
    const { swaps } = run([stable, BB_USD, 97n, BB_DAI, 99n], [linearDai, BB_DAI, 99n, DAI, 100n])
    expect(swaps).toEqual([])
  })

  test('leave the swap before the deposit a trade', () => {
    const { swaps, dropped } = run([weighted, WETH, 1n, USDC, 100n], [linearUsdc, USDC, 100n, BB_USDC, 99n])
    expect(swaps).toEqual([[WETH, 1n, USDC, 100n]])
    expect(dropped).toEqual([[1, 'liquidity']])
  })

  test('are a token like any other in a pool that is not theirs', () => {
    expect(run([stable, BB_USDC, 99n, BB_DAI, 98n]).swaps).toEqual([[BB_USDC, 99n, BB_DAI, 98n]])
  })
})

describe('a wrapper of a vault’s buffer', () => {
  const asset = { underlying: 0 }

  test('on the way through a pool of wrappers nets to what the trader paid and got', () => {
    const { swaps } = run(
      [bufferUsdc, asset, 100n, WA_USDC, 90n],
      [boosted, WA_USDC, 90n, WA_DAI, 85n],
      [bufferDai, WA_DAI, 85n, asset, 101n],
    )
    expect(swaps).toEqual([[USDC, 100n, DAI, 101n]])
  })

  test('at an end of a route is what the trader paid or got', () => {
    const kept = run([bufferUsdc, asset, 100n, WA_USDC, 90n], [boosted, WA_USDC, 90n, WA_DAI, 85n])
    expect(kept.swaps).toEqual([[USDC, 100n, WA_DAI, 85n]])
    const paid = run([bufferUsdc, WA_USDC, 90n, asset, 100n], [weighted, USDC, 100n, WETH, 1n])
    expect(paid.swaps).toEqual([[WA_USDC, 90n, WETH, 1n]])
  })

  test('by itself is not a trade', () => {
    expect(run([bufferUsdc, asset, 100n, WA_USDC, 90n])).toEqual({ swaps: [], dropped: [[0, 'liquidity']] })
    expect(run([bufferDai, WA_DAI, 90n, asset, 100n])).toEqual({ swaps: [], dropped: [[0, 'liquidity']] })
  })
})

const exchange = (pool: Pool, sold: CoinReference, bought: CoinReference): ExchangeEvent => ({
  type: 'exchange',
  family: 'curve',
  pool: pool.address,
  transactionIndex: 0,
  logIndex: 0,
  sold,
  soldAmount: 5n,
  bought,
  boughtAmount: 6n,
})

test('a swap of a token that is not the pool’s is dropped', () => {
  const dex = { name: 'dodo', kind: 'dodo', factory: address('f1') } as const
  const pool: Pool = { address: address('aa'), dex, token0: USDC, token1: DAI, fee: 0, tickSpacing: null }
  const { hops, dropped } = toHops(
    [exchange(pool, { token: USDC }, { token: LENT })],
    new Map([[pool.address, pool]]),
    WETH,
  )
  expect(hops).toEqual([])
  expect(dropped.map(({ reason }) => reason)).toEqual(['unknown-token'])
})

describe('an underlying exchange of Curve', () => {
  const coin = (underlying: number): CoinReference => ({ underlying })
  const dex = { name: 'curve', kind: 'curve', factory: address('ff') } as const
  const lending: Pool = { ...weighted, address: address('a1'), dex, coins: [WA_USDC, WA_DAI], underlying: [USDC, DAI] }
  const meta: Pool = { ...lending, coins: [LENT, BB_USD], underlying: [LENT, USDC, DAI] }
  const read = (pool: Pool, sold: number, bought: number) =>
    toHops([exchange(pool, coin(sold), coin(bought))], new Map([[pool.address, pool]]), WETH)

  test('of a lending pool is between what it lends', () => {
    expect(read(lending, 1, 0).hops).toMatchObject([{ tokenIn: DAI, tokenOut: USDC }])
  })

  test('of a metapool is between its own coin and one of the base pool', () => {
    expect(read(meta, 0, 2).hops).toMatchObject([{ tokenIn: LENT, tokenOut: DAI }])
  })

  test('of a metapool between two coins of the base pool is left to that pool’s own event', () => {
    expect(read(meta, 1, 2)).toMatchObject({ hops: [], dropped: [{ reason: 'told-by-base-pool' }] })
  })

  test('of a coin that the pool does not have is dropped', () => {
    expect(read(meta, 0, 3)).toMatchObject({ hops: [], dropped: [{ reason: 'unknown-token' }] })
    const native: Pool = { ...lending, underlying: [ZERO_ADDRESS, DAI] }
    expect(read(native, 1, 0).hops).toMatchObject([{ tokenOut: WETH, nativeOut: true }])
  })
})
