import { expect, test } from 'vitest'
import { psm, psmValues } from './quote.ts'

const state = { daiPerGem: 10n ** 12n, tin: 0n, tout: 0n, ceiling: 10n ** 30n, cash: 10n ** 21n, gems: 10n ** 9n }

test('values that no PSM has are refused', () => {
  expect(psm.of([])).toBeNull()
  expect(psm.of([0n, ...psmValues(state).slice(1)])).toBeNull()
  expect(psm.of([...psmValues(state), 1n])).toBeNull()
  expect(psm.of(psmValues({ ...state, cash: -1n }))).toBeNull()
  // A gem has at most 18 decimals.
  expect(psm.of(psmValues({ ...state, daiPerGem: 10n ** 18n }))).not.toBeNull()
  expect(psm.of(psmValues({ ...state, daiPerGem: 10n ** 18n + 1n }))).toBeNull()
})
