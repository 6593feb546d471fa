import type { Address, Hex } from '@dexfeed/dex'
import type { Artifacts } from './artifacts.ts'
import type { DevnetAccounts, DevnetContracts, DevnetPool } from './contracts.ts'
import { encodeSwap, type SwapOrder } from './encode-swap.ts'
import type { LiquidityBots } from './liquidity-bots.ts'
import { type ReferencePrices, sqrtPrice, toUnits, toX96 } from './prices.ts'
import type { Random } from './random.ts'
import { createRouteBook, type RouteStep } from './routes.ts'
import type { DevTransaction } from './session.ts'

const MEDIAN_TRADE_USD = 900
const MAX_TRADE_USD = 40_000
const MIN_TRADE_USD = 5
/** Deviation that an arbitrageur leaves to a pool beyond its fee, in millionths of the square root of the price. */
const KEEPER_TOLERANCE = 200

export interface BotContext {
  contracts: DevnetContracts
  artifacts: Artifacts
  accounts: DevnetAccounts
  random: Random
  prices: ReferencePrices
}

export interface TraderBots {
  /** Something that somebody does on a network of this kind: mostly a swap. */
  transaction(): DevTransaction
  /** Brings the pool that strays most back to the reference prices. */
  keep(): DevTransaction
}

export function createTraderBots(context: BotContext, liquidity: LiquidityBots): TraderBots {
  const { contracts, artifacts, random, prices } = context
  const tokens = new Map(contracts.tokens.map((token) => [token.address, token]))
  const taxed = new Set(contracts.tokens.filter(({ taxBps }) => taxBps).map(({ address }) => address))
  const book = createRouteBook(contracts.pools, taxed)

  const flashable = contracts.pools.filter(({ tickSpacing, token0 }) => tickSpacing === null && !taxed.has(token0))

  const tokenOf = (address: Address) => {
    const token = tokens.get(address)
    if (!token) throw new Error(`unknown token ${address}`)
    return { ...token, usd: prices.usd(address) }
  }
  const amountWorth = (address: Address, usd: number) => {
    const token = tokenOf(address)
    return toUnits(usd / token.usd, token.decimals)
  }
  const tradeUsd = () =>
    Math.min(MAX_TRADE_USD, Math.max(MIN_TRADE_USD, MEDIAN_TRADE_USD * Math.exp(1.4 * random.normal())))

  const swap = (branches: readonly (readonly RouteStep[])[], usd: number, hopeless = false): DevTransaction => {
    const tokenIn = branches[0]?.[0]?.tokenIn
    const tokenOut = branches[0]?.at(-1)?.tokenOut
    if (!tokenIn || !tokenOut) throw new Error('a route without steps')
    const mayBeNative = (token: Address) => token === contracts.wrappedNative && random.next() < 0.6
    const nativeIn = mayBeNative(tokenIn)
    const order: SwapOrder = {
      trader: random.pick(context.accounts.traders),
      branches: branches.map((route) => ({ route, amountIn: amountWorth(tokenIn, usd / branches.length) })),
      nativeIn,
      // Coins to coins would be a round trip through the wrapper.
      nativeOut: !nativeIn && mayBeNative(tokenOut),
      hopeless,
      taxed: branches.flat().some((step) => taxed.has(step.tokenIn) || taxed.has(step.tokenOut)),
    }
    return encodeSwap(order, { contracts, artifacts })
  }

  const wrap = (): DevTransaction => ({
    from: random.pick(context.accounts.traders),
    to: contracts.wrappedNative,
    data: '0xd0e30db0',
    value: amountWorth(contracts.wrappedNative, tradeUsd()),
  })
  const unwrap = (): DevTransaction => {
    const args = [amountWorth(contracts.wrappedNative, tradeUsd())]
    const data = artifacts.weth9.abi.encodeFunctionData('withdraw', args) as Hex
    return { from: random.pick(context.accounts.traders), to: contracts.wrappedNative, data }
  }
  const transfer = (): DevTransaction => {
    const { address } = random.pick(contracts.tokens)
    const args = [random.pick(context.accounts.traders), amountWorth(address, tradeUsd())]
    const data = artifacts.devToken.abi.encodeFunctionData('transfer', args) as Hex
    return { from: random.pick(context.accounts.traders), to: address, data }
  }
  const flash = (): DevTransaction => {
    const pair = random.pick(flashable)
    const data = artifacts.devRouter.abi.encodeFunctionData('flash', [
      pair.address,
      pair.token0,
      amountWorth(pair.token0, tradeUsd()),
    ]) as Hex
    return { from: random.pick(context.accounts.traders), to: contracts.devRouter, data }
  }
  const forge = (): DevTransaction => {
    const data = artifacts.forger.abi.encodeFunctionData('forge', [10n ** 24n, 10n ** 24n]) as Hex
    return { from: random.pick(context.accounts.traders), to: contracts.forger, data }
  }

  const single = () => swap([book.random(1, random)], tradeUsd())
  const double = () => swap([book.random(2, random)], tradeUsd())
  const triple = () => swap([book.random(3, random)], tradeUsd())
  const split = () =>
    swap(
      book.parallel(random).map((step) => [step]),
      tradeUsd() * 2,
    )
  const cycle = () => swap([book.cycle(random)], tradeUsd())
  const hopeless = () => swap([book.random(2, random)], tradeUsd(), true)

  const habits: readonly (readonly [share: number, act: () => DevTransaction])[] = [
    [50, single],
    [16, double],
    [8, triple],
    [7, split],
    [2, cycle],
    [1, hopeless],
    [1, flash],
    [0.5, forge],
    [2, wrap],
    [2, unwrap],
    [3, transfer],
    [4, liquidity.provide],
    [3.5, liquidity.withdraw],
  ]
  const shares = habits.reduce((sum, [share]) => sum + share, 0)
  const targets = createTargets(contracts.pools)

  return {
    transaction() {
      let at = random.next() * shares
      for (const [share, act] of habits) {
        at -= share
        if (at < 0) return act()
      }
      return single()
    },
    keep() {
      const args = [
        targets.map(({ pool, tolerance }) => [pool.address, pool.tickSpacing !== null, target(pool), tolerance]),
      ]
      const data = artifacts.priceKeeper.abi.encodeFunctionData('rebalance', args) as Hex
      return { from: context.accounts.keeper, to: contracts.priceKeeper, data }
    },
  }

  function target(pool: DevnetPool): bigint {
    return toX96(sqrtPrice(tokenOf(pool.token0), tokenOf(pool.token1)))
  }
}

/** A pool's own fee is what an arbitrageur loses; half of it in terms of the square root. */
function createTargets(pools: readonly DevnetPool[]) {
  return pools.map((pool) => ({ pool, tolerance: Math.round(pool.fee / 2) + KEEPER_TOLERANCE }))
}
