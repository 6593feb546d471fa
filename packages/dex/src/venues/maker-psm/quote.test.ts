import fc from 'fast-check'
import { expect, test } from 'vitest'
import { upperBound } from '../../maths/output-bound.ts'
import { psm, psmValues } from './quote.ts'

const WAD = 10n ** 18n
const MAX_UINT256 = 2n ** 256n - 1n
const state = {
  daiPerGem: 10n ** 12n,
  tin: 0n,
  tout: 0n,
  ceiling: MAX_UINT256,
  cash: 5_000n * WAD,
  gems: 3_000_000_000n,
}
const mathsOf = (change: Partial<typeof state>) => {
  const maths = psm.of(psmValues({ ...state, ...change }))
  if (maths === null) throw new Error('no pool has these values')
  return maths
}
const each = 1_000_000n

test('a gem is exchanged for DAI one for one, less the fee, which is in DAI', () => {
  expect(mathsOf({}).amountOut(0, 1, each)).toBe(WAD)
  expect(mathsOf({}).amountOut(1, 0, WAD)).toBe(each)
  expect(mathsOf({ tin: WAD / 1_000n }).amountOut(0, 1, each)).toBe((WAD * 999n) / 1_000n)
  expect(mathsOf({ tout: WAD / 1_000n }).amountOut(1, 0, (WAD * 1_001n) / 1_000n)).toBe(each)
  expect(mathsOf({ tout: WAD / 1_000n }).amountOut(1, 0, (WAD * 1_001n) / 1_000n - 1n)).toBe(each - 1n)
})

test('nothing is paid beyond what the contract holds or may draw, and nothing where swaps are halted', () => {
  expect(mathsOf({}).balances).toEqual([3_000n * each, 5_000n * WAD])
  expect(mathsOf({}).amountOut(0, 1, 5_000n * each + 1n)).toBeNull()
  expect(mathsOf({}).amountOut(1, 0, 3_000n * WAD + 10n ** 12n)).toBeNull()
  expect(mathsOf({ ceiling: WAD }).amountOut(0, 1, each + 1n)).toBeNull()
  const halted = mathsOf({ tin: MAX_UINT256, tout: MAX_UINT256 })
  expect(halted.balances).toEqual([0n, 0n])
  expect([halted.amountOut(0, 1, each), halted.amountOut(1, 0, WAD)]).toEqual([null, null])
  expect([halted.bound(0, 1).rate, halted.bound(1, 0).rate]).toEqual([0, 0])
})

test('values that no PSM has are refused', () => {
  expect(psm.of([])).toBeNull()
  expect(psm.of([0n, ...psmValues(state).slice(1)])).toBeNull()
  expect(psm.of([...psmValues(state), 1n])).toBeNull()
  expect(psm.of(psmValues({ ...state, cash: -1n }))).toBeNull()
})

test('no amount exceeds its bound, and a greater input does not pay less', () => {
  const fee = fc.oneof(fc.bigInt({ min: 0n, max: WAD }), fc.bigInt({ min: 0n, max: 10n }), fc.constant(WAD))
  const unit = fc.integer({ min: 0, max: 18 }).map((digits) => 10n ** BigInt(digits))
  const amount = fc.bigInt({ min: 1n, max: 2n ** 100n })
  fc.assert(
    fc.property(fee, fee, unit, amount, fc.bigInt({ min: 1n, max: 1_000n }), (tin, tout, daiPerGem, large, small) => {
      const maths = mathsOf({ tin, tout, daiPerGem, cash: MAX_UINT256, gems: MAX_UINT256 })
      for (const [from, to] of [
        [0, 1],
        [1, 0],
      ] as const) {
        const { rate, depth } = maths.bound(from, to)
        let before = 0n
        for (const amountIn of [small, small * daiPerGem, large]) {
          const paid = maths.amountOut(from, to, amountIn) ?? 0n
          expect(Number(paid)).toBeLessThanOrEqual(upperBound(rate, depth, Number(amountIn)))
          if (amountIn === small * daiPerGem) before = paid
        }
        expect(maths.amountOut(from, to, small * daiPerGem + large) ?? 0n).toBeGreaterThanOrEqual(before)
      }
    }),
  )
})
