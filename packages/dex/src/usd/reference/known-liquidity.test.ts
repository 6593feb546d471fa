import fc from 'fast-check'
import { expect, test } from 'vitest'
import { getSqrtRatioAtTick } from '../../maths/tick-math.ts'
import { changed, discounted, type KnownLiquidity, nearAmounts, nearest, observed } from './known-liquidity.ts'

const change = fc.record({
  lower: fc.integer({ min: -20, max: 20 }),
  width: fc.integer({ min: 1, max: 15 }),
  amount: fc.bigInt({ min: -5n, max: 5n }),
  isObserved: fc.boolean(),
})

test('spans give for each tick what was observed there last and what has changed since, and never less than nothing', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      let known: KnownLiquidity = []
      const ticks = new Map<number, bigint>()
      for (const { lower, width, amount, isObserved } of changes) {
        const upper = lower + width
        const size = isObserved && amount < 0n ? -amount : amount
        known = isObserved ? observed(known, lower, upper, size) : changed(known, lower, upper, size)
        for (let tick = lower; tick < upper; tick++) {
          const next = isObserved ? size : (ticks.get(tick) ?? 0n) + size
          ticks.set(tick, next > 0n ? next : 0n)
        }
      }
      const spread = known.flatMap(({ lower, upper, liquidity }) =>
        Array.from({ length: upper - lower }, (_, at) => [lower + at, liquidity] as const),
      )
      expect(spread).toEqual([...ticks].filter(([, liquidity]) => liquidity > 0n).sort(([a], [b]) => a - b))
      // Neighbours with equal liquidity are merged.
      expect(
        known.some((span, at) => known[at + 1]?.lower === span.upper && known[at + 1]?.liquidity === span.liquidity),
      ).toBe(false)
    }),
  )
})

test('a range without width changes nothing', () => {
  expect(changed([], 5, 5, 7n)).toEqual([])
})

test('of too many spans those nearest to the price stay', () => {
  let known: KnownLiquidity = []
  for (let tick = 0; tick < 2_000; tick += 2) known = nearest(changed(known, tick, tick + 1, 1n), 600)
  expect([known.length, known.at(0)?.lower, known.at(-1)?.lower]).toEqual([512, 88, 1_110])
})

test('money within 2 % is what lies there: nearly that of the exact formula, and nothing beyond', () => {
  const liquidity = 10n ** 24n
  const root = (getSqrtRatioAtTick(1_000) + getSqrtRatioAtTick(1_001)) / 2n
  const [amount0, amount1] = nearAmounts([{ lower: -5_000, upper: 5_000, liquidity }], 1_000, root)
  const [low, high] = [getSqrtRatioAtTick(1_000 - 198), getSqrtRatioAtTick(1_000 + 199)]
  const exact1 = (liquidity * (root - low)) >> 96n
  const exact0 = ((liquidity << 96n) * (high - root)) / high / root
  expect(Number((amount1 * 1_000n) / exact1) / 1_000).toBeCloseTo(1, 1)
  expect(Number((amount0 * 1_000n) / exact0) / 1_000).toBeCloseTo(1, 1)
  const beyond: KnownLiquidity = [
    { lower: -5_000, upper: 802, liquidity },
    { lower: 1_199, upper: 5_000, liquidity },
  ]
  expect(nearAmounts(beyond, 1_000, root)).toEqual([0n, 0n])
  expect(nearAmounts([{ lower: 801, upper: 803, liquidity }], 1_000, root)[1]).toBe(
    (liquidity * root) / (2n ** 96n * 20_000n),
  )
})

test('at the edge of a tick all of it lies on one side', () => {
  const known: KnownLiquidity = [{ lower: 1_000, upper: 1_001, liquidity: 10n ** 24n }]
  expect(nearAmounts(known, 1_000, getSqrtRatioAtTick(1_000))[1]).toBe(0n)
  expect(nearAmounts(known, 1_000, getSqrtRatioAtTick(1_001))[0]).toBe(0n)
  expect(nearAmounts(known, 1_000, 0n)).toEqual([0n, 0n])
})

test('what was put in lately counts for a twentieth of what is known there, tick by tick', () => {
  const spans = fc.array(
    fc.record({
      lower: fc.integer({ min: -20, max: 20 }),
      width: fc.integer({ min: 1, max: 15 }),
      amount: fc.bigInt({ min: 0n, max: 100n }),
    }),
    { maxLength: 8 },
  )
  const put = (all: readonly { lower: number; width: number; amount: bigint }[]) =>
    all.reduce<KnownLiquidity>((sum, { lower, width, amount }) => changed(sum, lower, lower + width, amount), [])
  const at = (spread: KnownLiquidity, tick: number) =>
    spread.find(({ lower, upper }) => lower <= tick && tick < upper)?.liquidity ?? 0n
  fc.assert(
    fc.property(spans, spans, (first, second) => {
      const [known, recent] = [put(first), put(second)]
      const counted = discounted(known, recent)
      for (let tick = -25; tick < 40; tick++) {
        const [whole, young] = [at(known, tick), at(recent, tick)]
        expect(at(counted, tick)).toBe(whole - ((young < whole ? young : whole) * 19n) / 20n)
      }
    }),
  )
})
