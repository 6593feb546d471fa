import fc from 'fast-check'
import { expect, test } from 'vitest'
import { squareRoot } from './integers.ts'

test('square roots are rounded down', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.integer({ min: 0, max: 255 }), (word, shift) => {
      const x = word >> BigInt(shift)
      const root = squareRoot(x)
      expect(root * root <= x && (root + 1n) * (root + 1n) > x).toBe(true)
    }),
  )
})
