import type { Hex } from '@dexfeed/dex'
import type { DevTransaction } from '../node/session.ts'
import { amountWorth, type BotContext, randomUsd } from './bot-context.ts'
import { encodeSwap } from './encode-swap.ts'
import { createRouteBook, type RouteStep } from './routes.ts'

const NATIVE_SHARE = 0.6

export interface SwapBots {
  route(hops: number): DevTransaction
  split(): DevTransaction
  cycle(): DevTransaction
  hopeless(): DevTransaction
  /** Borrows from a pair and repays in the same token: a Swap event, but no trade. */
  flash(): DevTransaction
}

export function createSwapBots(context: BotContext): SwapBots {
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
