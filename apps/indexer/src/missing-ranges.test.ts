import fc from 'fast-check'
import { expect, test } from 'vitest'
import { missingRanges } from './missing-ranges.ts'

test('the missing parts are exactly the numbers that no covered range holds', () => {
  const bits = fc.array(fc.boolean(), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(bits, fc.nat(10), fc.nat(10), (covered, cutLow, cutHigh) => {
      const wanted = { from: cutLow, to: covered.length - 1 - cutHigh }
      const ranges = runsOf(covered, true)
      const expected = runsOf(covered, false)
        .map(({ from, to }) => ({ from: Math.max(from, wanted.from), to: Math.min(to, wanted.to) }))
        .filter(({ from, to }) => from <= to)
      expect(missingRanges(wanted, ranges)).toEqual(expected)
    }),
  )
})

function runsOf(bits: readonly boolean[], value: boolean) {
  const runs: { from: number; to: number }[] = []
  bits.forEach((bit, index) => {
    const last = runs.at(-1)
    if (bit !== value) return
    if (last?.to === index - 1) last.to = index
    else runs.push({ from: index, to: index })
  })
  return runs
}
