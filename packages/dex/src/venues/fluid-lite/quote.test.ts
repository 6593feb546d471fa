import { expect, test } from 'vitest'
import { fluidLiteFormula, fluidLiteValues, movesWithTime } from './quote.ts'

const PRICE = 10n ** 27n
/** USDC and USDT, a million each, with a fee of 0.01 %; the imaginary reserves are a hundred times the real ones. */
const supply = 10n ** 15n
const variables = 100n | (6n << 126n) | (6n << 131n) | (supply << 136n) | (supply << 196n)
const state = { variables, centerPrice: PRICE, imaginary0: 100n * supply, imaginary1: 100n * supply }
const mathsOf = (change: Partial<typeof state>) => fluidLiteFormula.of(fluidLiteValues({ ...state, ...change }))

test('values that no pool has are refused', () => {
  expect(fluidLiteFormula.of([])).toBeNull()
  expect(mathsOf({ centerPrice: 0n })).toBeNull()
  expect(mathsOf({ variables: 0n })).toBeNull()
  expect(mathsOf({ imaginary0: 2n ** 121n })).toBeNull()
})

test('amounts move with time while something shifts, or while another contract sets the price', () => {
  expect(movesWithTime(variables | (1n << 20n))).toBe(false)
  for (const at of [21n, 22n, 63n, 82n]) expect(movesWithTime(variables | (1n << at))).toBe(true)
})
