import { expect, test } from 'vitest'
import { formulaKind } from '../../src/venues/registry.ts'
import { recordedFormulas } from './recorded-formulas.ts'

test.each(Object.entries(recordedFormulas))('%s pays what contracts replied, to the unit', (name, states) => {
  const kind = formulaKind(name)
  let compared = 0
  for (const { values, replies } of states) {
    const maths = kind?.of(values.map(BigInt))
    for (const [from, to, amountIn, amountOut] of replies) {
      expect(maths?.amountOut(from, to, BigInt(amountIn)) ?? null).toBe(amountOut === null ? null : BigInt(amountOut))
      compared++
    }
  }
  expect(compared).toBeGreaterThanOrEqual(180)
})
