import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import type { PoolFormula } from '../../maths/formula.ts'
import { upperBound } from '../../maths/output-bound.ts'
import { SOLVER, stablePair } from './stable-pair.ts'
import { volatilePair } from './volatile-pair.ts'

const USDC = 10n ** 6n
const DAI = 10n ** 18n
const stable = (solver: bigint, reserves = [10n ** 6n * USDC, 10n ** 6n * DAI]) =>
  stablePair.of([...reserves, 1n, 10_000n, USDC, DAI, solver])

test('an even stable pair pays almost one for one, whatever the decimals', () => {
  for (const solver of Object.values(SOLVER)) {
    const paid = stable(solver)?.amountOut(0, 1, 1_000n * USDC) ?? 0n
    expect(paid).toBeLessThan(9_999n * (DAI / 10n))
    expect(paid).toBeGreaterThan(9_998n * (DAI / 10n))
  }
})

test('a volatile pair takes its fee first and pays by the constant product', () => {
  const pair = volatilePair.of([1_000_000n, 2_000_000n, 1n, 100n])
  expect(pair?.amountOut(0, 1, 10_000n)).toBe((9_900n * 2_000_000n) / 1_009_900n)
  expect(pair?.amountOut(0, 0, 10_000n)).toBeNull()
  expect(pair?.balances).toEqual([1_000_000n, 2_000_000n])
})

test('values that no pair has are refused', () => {
  expect(volatilePair.of([1n, 1n, 1n])).toBeNull()
  expect(volatilePair.of([1n, 1n, 1n, 1n])).toBeNull()
  expect(stablePair.of([1n, 1n, 1n, 2n, 0n, 1n, 0n])).toBeNull()
  expect(stablePair.of([1n, 1n, 1n, 2n, 1n, 1n, 2n])).toBeNull()
  expect(stable(SOLVER.near, [0n, 0n])?.amountOut(0, 1, 1_000n)).toBeNull()
})

test('whatever the values are, no amount throws or exceeds its bound', () => {
  const word = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.bigInt({ min: 0n, max: 2n ** 90n }))
  const unit = fc.integer({ min: 0, max: 40 }).map((digits) => 10n ** BigInt(digits))
  const judge = (pair: PoolFormula | null, amountIn: bigint) => {
    for (const from of [0, 1]) {
      const paid = pair?.amountOut(from, 1 - from, amountIn) ?? 0n
      const { rate, depth } = pair?.bound(from, 1 - from) ?? { rate: 0, depth: 0 }
      expect(Number(paid)).toBeLessThanOrEqual(upperBound(rate, depth, Number(amountIn)))
    }
  }
  fc.assert(
    fc.property(
      word,
      word,
      word,
      unit,
      unit,
      fc.constantFrom(0n, 1n),
      (amount, other, amountIn, unit0, unit1, solver) => {
        judge(stablePair.of([amount, other, 3n, 10_000n, unit0, unit1, solver]), amountIn)
        judge(volatilePair.of([amount, other, 3n, 10_000n]), amountIn)
      },
    ),
    { numRuns: 60 * inject('scale') },
  )
})
