import { expect, test } from 'vitest'
import { R } from './pmm.ts'
import { DODO_VERSION, type DodoState, dodo, dodoValues } from './quote.ts'

const ONE = 10n ** 18n
/** USDC and USDT, two million each, at one for one. */
const state: DodoState = {
  i: ONE,
  k: ONE / 4_000n,
  b: 2_000_000_000_000n,
  q: 2_000_000_000_000n,
  b0: 2_000_000_000_000n,
  q0: 2_000_000_000_000n,
  r: R.one,
  lpFee: ONE / 10_000n,
  mtFee: 0n,
  version: DODO_VERSION.stored,
}
const mathsOf = (change: Partial<DodoState>) => dodo.of(dodoValues({ ...state, ...change }))

test('values that no pool has are refused', () => {
  expect(dodo.of([])).toBeNull()
  for (const change of [{ i: 0n }, { k: ONE + 1n }, { b: 2n ** 112n }, { r: 3n }, { lpFee: ONE }, { version: 3n }]) {
    expect(mathsOf(change)).toBeNull()
  }
  expect(dodo.of([...dodoValues(state), 0n])).toBeNull()
  expect(mathsOf({ q0: -1n })).toBeNull()
})
