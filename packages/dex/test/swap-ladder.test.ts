import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { getSqrtRatioAtTick } from '../src/maths/tick-math.ts'
import { SwapLadder } from '../src/quote/pool-maths/swap-ladder.ts'
import { TickList } from '../src/quote/pool-maths/tick-list.ts'
import { type DrawnPool, stateOf, ticksOf } from './random/pool.ts'

interface Recorded {
  fee: number
  spacing: number
  state: { sqrtPriceX96: string; tick: number; liquidity: string }
  ticks: readonly (readonly [tick: number, net: string])[]
  /** The output is null if the pool cannot take all of the input. */
  replies: readonly (readonly [zeroForOne: boolean, amountIn: string, amountOut: string | null])[]
}

/** What the contract paid, or a transcription of it: the file says which. */
const recorded: Record<'quoter' | 'random', readonly Recorded[]> = JSON.parse(
  gunzipSync(readFileSync(new URL('fixtures/range-quotes.json.gz', import.meta.url))).toString(),
)

function ladderOf(pool: DrawnPool, zeroForOne: boolean): SwapLadder {
  return new SwapLadder(pool.state, new TickList(pool.spacing, pool.ticks), pool.fee, zeroForOne)
}

function poolOf({ fee, spacing, state, ticks }: Recorded): DrawnPool {
  return {
    spacing,
    fee: BigInt(fee),
    ticks: ticks.map(([tick, net]) => ({ tick, gross: 1n, net: BigInt(net) })),
    state: {
      kind: 'concentrated',
      sqrtPriceX96: BigInt(state.sqrtPriceX96),
      tick: state.tick,
      liquidity: BigInt(state.liquidity),
    },
  }
}

test.each(['quoter', 'random'] as const)(
  'every quote equals the step-by-step swap of the contract, crossings and exhaustion included (%s)',
  (source) => {
    for (const each of recorded[source]) {
      const ladders = [true, false].map((zeroForOne) => ladderOf(poolOf(each), zeroForOne))
      for (const [zeroForOne, amountIn, amountOut] of each.replies) {
        const expected = amountOut === null ? null : BigInt(amountOut)
        expect(ladders[zeroForOne ? 0 : 1]?.quote(BigInt(amountIn))).toBe(expected)
      }
    }
    expect(recorded[source].length).toBeGreaterThan(0)
  },
)

test('nothing is quoted for no input, without ticks, or beyond the last tick', () => {
  const ticks = ticksOf([{ lower: -60, upper: 60, liquidity: 10n ** 18n }])
  const pool = { state: stateOf(ticks, 0, getSqrtRatioAtTick(0)), ticks, spacing: 60, fee: 3000n }
  expect(ladderOf(pool, true).quote(0n)).toBeNull()
  expect(ladderOf(pool, true).quote(-1n)).toBeNull()
  expect(ladderOf(pool, true).quote(10n ** 18n)).toBeNull()
  expect(ladderOf({ ...pool, ticks: [] }, true).quote(1000n)).toBeNull()
})
