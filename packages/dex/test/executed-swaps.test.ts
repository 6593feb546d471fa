import { expect, test } from 'vitest'
import { pairAmountOut } from '../src/quote/pool-maths/pool-side.ts'
import { SwapLadder } from '../src/quote/pool-maths/swap-ladder.ts'
import { TickList } from '../src/quote/pool-maths/tick-list.ts'
import executed from './fixtures/executed-swaps.json' with { type: 'json' }
import { ticksOf } from './random/pool.ts'

const SPACING: Record<number, number> = { 100: 1, 500: 10, 3000: 60, 10000: 200 }

test('pairs paid on chain what pairAmountOut says, to the wei', () => {
  for (const swap of executed.pairs) {
    const reserves = [BigInt(swap.reserve0), BigInt(swap.reserve1)] as const
    const [reserveIn, reserveOut] = swap.zeroForOne ? reserves : [reserves[1], reserves[0]]
    const out = pairAmountOut(BigInt(swap.amountIn), reserveIn, reserveOut, BigInt(swap.feeBps) * 100n)
    expect(out, `${swap.tx} ${swap.pair}`).toBe(BigInt(swap.amountOut))
  }
})

test('concentrated pools paid on chain what the ladder says, to the wei', () => {
  for (const swap of executed.concentrated) {
    const spacing = SPACING[swap.fee] ?? 1
    // The swaps stayed in a single liquidity range, so a range over all ticks replaces the real one.
    const maxTick = Math.floor(887272 / spacing) * spacing
    const ticks = ticksOf([{ lower: -maxTick, upper: maxTick, liquidity: BigInt(swap.liquidity) }])
    const state = {
      kind: 'concentrated',
      sqrtPriceX96: BigInt(swap.sqrtPriceX96),
      tick: swap.tick,
      liquidity: BigInt(swap.liquidity),
    } as const
    const ladder = new SwapLadder(state, new TickList(spacing, ticks), BigInt(swap.fee), swap.zeroForOne)
    expect(ladder.quote(BigInt(swap.amountIn)), `${swap.tx} ${swap.pool}`).toBe(BigInt(swap.amountOut))
  }
})
