import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { OutputSketch } from '../../src/quote/pool-maths/output-sketch.ts'
import { SwapLadder } from '../../src/quote/pool-maths/swap-ladder.ts'
import { TickList } from '../../src/quote/pool-maths/tick-list.ts'
import { QuoteWork } from '../../src/quote/quote-work.ts'
import { anyMagnitude, concentratedPool, type DrawnPool, stateOf, ticksOf } from '../random/pool.ts'

const kept = (fee: bigint) => 1 - Number(fee) / 1e6

function both({ state, ticks, spacing, fee }: DrawnPool, zeroForOne: boolean) {
  const list = new TickList(spacing, ticks)
  return {
    sketch: new OutputSketch(state, list, kept(fee), zeroForOne),
    ladder: new SwapLadder(state, list, fee, zeroForOne),
  }
}

const amounts = fc.array(anyMagnitude(150), { minLength: 1, maxLength: 6 })

test('no pool pays more than the bound of its sketch, whatever was quoted before', () => {
  fc.assert(
    fc.property(concentratedPool(), fc.boolean(), amounts, (pool, zeroForOne, inputs) => {
      const { sketch, ladder } = both(pool, zeroForOne)
      for (const amountIn of inputs) {
        const exact = ladder.quote(amountIn) ?? ladder.limit() ?? 0n
        expect(sketch.outputBound(Number(amountIn), new QuoteWork())).toBeGreaterThanOrEqual(Number(exact))
      }
    }),
    { numRuns: 80 * inject('scale') },
  )
})

test('where units are too small to matter a sketch lies a billionth above what a pool pays', () => {
  const LARGE = 10n ** 18n
  const ticks = ticksOf([{ lower: -600, upper: 600, liquidity: 10n ** 24n }])
  const usual = { state: stateOf(ticks, 0, 2n ** 96n), ticks, spacing: 60, fee: 3_000n }
  let close = 0
  fc.assert(
    fc.property(concentratedPool(), fc.boolean(), anyMagnitude(150), (pool, zeroForOne, amountIn) => {
      const { sketch, ladder } = both(pool, zeroForOne)
      const exact = ladder.quote(amountIn) ?? ladder.limit() ?? 0n
      if (exact < LARGE || amountIn < LARGE) return
      close++
      expect(sketch.outputBound(Number(amountIn), new QuoteWork()) / Number(exact)).toBeLessThan(1 + 1e-8)
    }),
    { numRuns: 120 * inject('scale'), examples: [[usual, true, 2n * LARGE]] },
  )
  expect(close).toBeGreaterThan(0)
})

test('a sketch walks over the ticks that an amount reaches, and over each once', () => {
  const ticks = Array.from({ length: 100 }, (_, n) => ({
    tick: (n - 50) * 10,
    gross: 1n,
    net: n === 0 ? 10n ** 20n : n === 99 ? -(10n ** 20n) : 0n,
  }))
  const state = { kind: 'concentrated', sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: 10n ** 20n } as const
  const sketch = new OutputSketch(state, new TickList(10, ticks), 1, true)
  const workOf = (amount: number) => {
    const work = new QuoteWork()
    sketch.outputBound(amount, work)
    return work.done
  }
  const few = workOf(10 ** 17)
  expect(few).toBeGreaterThan(0)
  expect(workOf(10 ** 17)).toBe(0)
  expect(workOf(10 ** 25)).toBeGreaterThan(5 * few)
  expect(workOf(10 ** 25)).toBe(0)
})
