import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { usdE8Of, usdText } from './value-texts.ts'

describe('usdText', () => {
  it('writes exactly eight fractional digits', () => {
    expect(usdText(12_345_678_901n)).toBe('123.45678901')
    expect(usdText(0n)).toBe('0.00000000')
    expect(usdText(1n)).toBe('0.00000001')
    expect(usdText(-1n)).toBe('-0.00000001')
  })

  it('is read back as it was written', () => {
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: 2n ** 300n }), (value) => usdE8Of(usdText(value)) === value))
  })

  it('refuses a value that it could not keep', () => {
    expect(() => usdE8Of('1.123456789')).toThrow(RangeError)
  })
})
