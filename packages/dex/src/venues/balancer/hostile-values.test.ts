import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { formulaKind } from '../registry.ts'

/** Values of any size; many are possible in a pool. */
const value = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n }),
  fc.bigInt({ min: 0n, max: 10n ** 18n }),
  fc.bigInt({ min: 0n, max: 2n ** 112n }),
  fc.bigInt({ min: -10n, max: 2n ** 260n }),
  fc.constantFrom(1_000n, 10n ** 18n, 10n ** 36n, 2n ** 112n - 1n),
)
const values = fc
  .tuple(fc.constantFrom(0n, 1n), fc.array(value, { maxLength: 40 }))
  .map(([first, rest]) => [first, ...rest])
const amount = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.bigInt({ min: 0n, max: 2n ** 256n }))
const coin = fc.integer({ min: -1, max: 9 })

describe.each([
  'balancer-v2-weighted',
  'balancer-v2-stable',
  'balancer-v3-weighted',
  'balancer-v3-stable',
  'balancer-v3-buffer',
] as const)('%s', (name) => {
  test('returns an amount within the balance or null, for any values', () => {
    const property = fc.property(values, amount, coin, coin, (made, amountIn, from, to) => {
      const maths = formulaKind(name)?.of(made) ?? null
      if (maths === null) return
      const amountOut = maths.amountOut(from, to, amountIn)
      if (amountOut !== null) {
        expect(amountOut).toBeGreaterThanOrEqual(0n)
        expect(amountOut).toBeLessThanOrEqual(maths.balances[to] ?? 0n)
      }
      const { rate, depth } = maths.bound(from, to)
      expect(rate).toBeGreaterThanOrEqual(0)
      expect(depth).toBeGreaterThanOrEqual(0)
    })
    fc.assert(property, { numRuns: 400 * inject('scale') })
  })
})
