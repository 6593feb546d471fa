import { expect, test } from 'vitest'
import { impactTone } from './impact-tone.ts'

test.each([
  ['-0.01000000', null],
  ['0.03000000', null],
  ['0.03000001', 'warning'],
  ['0.15000000', 'warning'],
  ['0.15000001', 'danger'],
  ['0.99420000', 'danger'],
])('an impact of %s is %s', (fraction, tone) => {
  expect(impactTone(fraction)).toBe(tone)
})
