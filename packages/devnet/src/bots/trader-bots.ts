import type { Hex } from '@dexfeed/dex'
import type { DevTransaction } from '../node/session.ts'
import { amountWorth, type BotContext, randomUsd } from './bot-context.ts'
import { createLiquidityBots } from './liquidity-bots.ts'
import { createSwapBots } from './swap-bots.ts'

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
