import { expect, test } from 'vitest'
import { fluidFormula } from './quote.ts'

test('values that no pool has are refused', () => {
  const coin = [1n, 1n, 1n, 1n, 1n, 1n, 1n, 1n]
  expect(fluidFormula.of([0n, 3n, 1n, ...coin, ...coin])).not.toBeNull()
  expect(fluidFormula.of([0n, 3n, 0n, ...coin, ...coin])).toBeNull()
  expect(fluidFormula.of([0n, 3n, 1n, ...coin])).toBeNull()
  expect(fluidFormula.of([0n, 3n, 1n, ...coin, 0n, ...coin.slice(1)])).toBeNull()
})
