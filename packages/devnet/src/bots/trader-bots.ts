import type { Hex } from '@dexfeed/dex'
import type { DevTransaction } from '../node/session.ts'
import { amountWorth, type BotContext, randomUsd } from './bot-context.ts'
import { createRouteBook, encodeSwap, type RouteStep } from './encode-swap.ts'
import { createLiquidityBots } from './liquidity-bots.ts'

const NATIVE_SHARE = 0.6

interface SwapBots {
  route(hops: number): DevTransaction
  split(): DevTransaction
  cycle(): DevTransaction
  hopeless(): DevTransaction
  /** Borrows from a pair and repays in the same token: a Swap event, but no trade. */
  flash(): DevTransaction
}

function createSwapBots(context: BotContext): SwapBots {
  const { contracts, artifacts, random, accounts } = context
  const taxed = new Set(contracts.tokens.filter(({ taxBps }) => taxBps).map(({ address }) => address))
  const book = createRouteBook(contracts.pools, taxed)
  const flashable = contracts.pools.filter(({ tickSpacing, token0 }) => tickSpacing === null && !taxed.has(token0))

  const swap = (branches: readonly (readonly RouteStep[])[], usd: number, hopeless = false): DevTransaction => {
    const tokenIn = branches[0]?.[0]?.tokenIn
    const tokenOut = branches[0]?.at(-1)?.tokenOut
    if (!tokenIn || !tokenOut) throw new Error('a route without steps')
    const nativeIn = tokenIn === contracts.wrappedNative && random.next() < NATIVE_SHARE
    const order = {
      trader: random.pick(accounts.traders),
      branches: branches.map((route) => ({ route, amountIn: amountWorth(context, tokenIn, usd / branches.length) })),
      nativeIn,
      // Swapping coins for coins would only wrap and unwrap them.
      nativeOut: !nativeIn && tokenOut === contracts.wrappedNative && random.next() < NATIVE_SHARE,
      hopeless,
      taxed: branches.flat().some((step) => taxed.has(step.tokenIn) || taxed.has(step.tokenOut)),
    }
    return encodeSwap(order, { contracts, artifacts })
  }

  return {
    route: (hops) => swap([book.random(hops, random)], randomUsd(random)),
    split: () =>
      swap(
        book.parallel(random).map((step) => [step]),
        2 * randomUsd(random),
      ),
    cycle: () => swap([book.cycle(random)], randomUsd(random)),
    hopeless: () => swap([book.random(2, random)], randomUsd(random), true),
    flash() {
      const { address, token0 } = random.pick(flashable)
      const args = [address, token0, amountWorth(context, token0, randomUsd(random))]
      const data = artifacts.devRouter.abi.encodeFunctionData('flash', args) as Hex
      return { from: random.pick(accounts.traders), to: contracts.devRouter, data }
    },
  }
}

/**
 * Returns a function that makes traders' transactions, mostly swaps: first one of each kind, so that even a short
 * history has them all, then random ones.
 */
export function createTraderBots(context: BotContext): () => DevTransaction {
  const { random } = context
  const swaps = createSwapBots(context)
  const liquidity = createLiquidityBots(context)
  const others = createBystanders(context)
  const habits: readonly (readonly [share: number, act: () => DevTransaction])[] = [
    [50, () => swaps.route(1)],
    [16, () => swaps.route(2)],
    [8, () => swaps.route(3)],
    [7, swaps.split],
    [2, swaps.cycle],
    [1, swaps.hopeless],
    [1, swaps.flash],
    [6, liquidity.provide],
    [0.5, liquidity.collect],
    [4, liquidity.withdraw],
    [0.5, others.forge],
    [2, others.wrap],
    [2, others.unwrap],
    [3, others.transfer],
  ]
  const shares = habits.reduce((sum, [share]) => sum + share, 0)
  const firsts = habits.map(([, act]) => act)
  return () => {
    const first = firsts.shift()
    if (first) return first()
    let at = random.next() * shares
    for (const [share, act] of habits) {
      at -= share
      if (at < 0) return act()
    }
    return swaps.route(1)
  }
}

function createBystanders(context: BotContext) {
  const { contracts, artifacts, random } = context
  const { wrappedNative, forger, tokens } = contracts
  const somebody = () => random.pick(context.accounts.traders)
  return {
    wrap(): DevTransaction {
      const value = amountWorth(context, wrappedNative, randomUsd(random))
      return { from: somebody(), to: wrappedNative, data: '0xd0e30db0', value }
    },
    unwrap(): DevTransaction {
      const args = [amountWorth(context, wrappedNative, randomUsd(random))]
      const data = artifacts.weth9.abi.encodeFunctionData('withdraw', args) as Hex
      return { from: somebody(), to: wrappedNative, data }
    },
    transfer(): DevTransaction {
      const { address } = random.pick(tokens)
      const args = [somebody(), amountWorth(context, address, randomUsd(random))]
      const data = artifacts.devToken.abi.encodeFunctionData('transfer', args) as Hex
      return { from: somebody(), to: address, data }
    },
    forge(): DevTransaction {
      const data = artifacts.forger.abi.encodeFunctionData('forge', [10n ** 24n, 10n ** 24n]) as Hex
      return { from: somebody(), to: forger, data }
    },
  }
}
