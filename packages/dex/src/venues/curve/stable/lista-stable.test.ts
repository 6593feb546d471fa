import { expect, test } from 'vitest'
import { CURVE_STABLE, type StablePool, stableValues } from './curve-stable.ts'
import { LISTA_STABLE, listaValues } from './lista-stable.ts'

const UNIT = 10n ** 18n
const POOL: StablePool = {
  amplification: 20_000n,
  precision: 100n,
  rounding: 'each',
  keepsOne: true,
  prices: 'none',
  takesFee: 'before',
  fee: 1_000_000n,
  offPegMultiplier: 0n,
  basis: null,
  balances: [10n ** 6n * UNIT, 10n ** 6n * UNIT],
  rates: [UNIT, UNIT],
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

test('an open pool has the bound of its curve', () => {
  const bound = guarded([UNIT, UNIT])?.bound(0, 1)
  expect(bound?.rate).toBeGreaterThan(0)
  expect(bound).toEqual(CURVE_STABLE.of(stableValues(POOL))?.bound(0, 1))
})
