import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type StablePool, stableValues } from './curve-stable.ts'
import { LISTA_STABLE, listaValues } from './lista-stable.ts'

const UNIT = 10n ** 18n
const POOL: StablePool = {
  ...{ amplification: 20_000n, precision: 100n, rounding: 'each', keepsOne: true, prices: 'none' },
  ...{ takesFee: 'before', fee: 1_000_000n, offPegMultiplier: 0n, basis: null },
  ...{ balances: [10n ** 6n * UNIT, 10n ** 6n * UNIT], rates: [UNIT, UNIT] },
}
const guarded = (prices: readonly bigint[], thresholds = [3n * 10n ** 16n, 3n * 10n ** 16n]) =>
  LISTA_STABLE.of(listaValues(POOL, { adminFee: 5n * 10n ** 9n, prices, thresholds }))

test('a swap that moves the price too far from the oracle is not paid, and a smaller one is paid', () => {
  const maths = guarded([UNIT, UNIT])
  expect(maths?.amountOut(0, 1, 10_000n * UNIT)).toBeGreaterThan(9_990n * UNIT)
  expect(maths?.amountOut(0, 1, 990_000n * UNIT)).toBeNull()
})

test('a pool that is too far from the oracle is not quoted', () => {
  const maths = guarded([UNIT, (95n * UNIT) / 100n])
  expect(maths?.bound(0, 1).rate).toBe(0)
  expect(maths?.amountOut(1, 0, UNIT)).toBeNull()
})

test('values that no pool can have are refused, and no values make it throw', () => {
  const numbers = fc.oneof(fc.bigInt(0n, 3n), fc.bigInt(-2n, 2n ** 256n), fc.constant(UNIT))
  fc.assert(
    fc.property(fc.array(numbers, { maxLength: 7 }), numbers, (values, amount) => {
      const maths = LISTA_STABLE.of([...stableValues(POOL), ...values])
      const amountOut = maths?.amountOut(0, 1, amount) ?? null
      if (amountOut !== null) expect(amountOut).toBeGreaterThanOrEqual(0n)
    }),
  )
})
