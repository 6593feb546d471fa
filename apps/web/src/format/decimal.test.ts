import { describe, expect, test } from 'vitest'
import {
  compactText,
  compareDecimals,
  decimalText,
  percentText,
  ratioOf,
  significantText,
  signOf,
  sumOf,
  unitsText,
} from './decimal.ts'

describe('decimal texts', () => {
  test.each([
    ['1234567.891', 2, 0, '1,234,567.89'],
    ['0.005', 2, 0, '0.01'],
    ['0.004', 2, 2, '0.00'],
    ['-0.004', 2, 2, '0.00'],
    ['-1234.5', 0, 0, '−1,235'],
    [
      '115792089237316195423570985008687907853269984665640564039457.5',
      1,
      0,
      '115,792,089,237,316,195,423,570,985,008,687,907,853,269,984,665,640,564,039,457.5',
    ],
    ['not a number', 2, 0, 'not a number'],
  ])('are rounded half up and grouped: %s', (text, places, least, expected) => {
    expect(decimalText(text, places, least)).toBe(expected)
  })

  test.each([
    ['3123.456789', 6, '3,123.46'],
    ['0.000001234567', 4, '0.000001235'],
    ['1.0000000000', 6, '1'],
    ['98765432.1', 4, '98,765,432'],
    ['0', 4, '0'],
  ])('have significant digits: %s', (text, count, expected) => {
    expect(significantText(text, count)).toBe(expected)
  })

  test('of prices have at least two places', () => {
    const prices = ['1.0000', '3065.6', '59619.345', '0.5', '0.00001234']
    expect(prices.map((price) => significantText(price, 6, 2))).toEqual([
      '1.00',
      '3,065.60',
      '59,619.35',
      '0.50',
      '0.00001234',
    ])
  })

  test.each([
    ['999.994', '999.99'],
    ['999.995', '1.00K'],
    ['12345', '12.3K'],
    ['999999', '1.00M'],
    ['4560000.5', '4.56M'],
    ['7000000000000000', '7,000T'],
    ['0', '0.00'],
  ])('are short with a unit: %s', (text, expected) => {
    expect(compactText(text)).toBe(expected)
  })

  test('have a sign and an exact sum', () => {
    expect(['-0.00', '-0.1', '2'].map(signOf)).toEqual([0, -1, 1])
    expect(sumOf(['0.1', '0.20', '9007199254740993', '-1'])).toBe('9007199254740992.30')
    expect(sumOf([])).toBe('0')
  })

  test('are divided, rounded down', () => {
    expect(ratioOf('1200.00000000', '2.000000000000000000')).toBe('600.00000000000000000000000000')
    expect(ratioOf('2', '3')).toBe('0.666666666666666666')
    expect([ratioOf('1', '0.000'), ratioOf(null, '1'), ratioOf('1', null)]).toEqual([null, null, null])
  })

  test('of base units and fractions are exact', () => {
    expect(unitsText('1234500', 6)).toBe('1.234500')
    expect(unitsText('7', 18)).toBe('0.000000000000000007')
    expect(unitsText('3000', 0)).toBe('3000')
    expect(percentText('0.00530490')).toBe('0.53049000')
    expect(percentText('1.00000000')).toBe('100.00000000')
    expect(percentText('-0.5')).toBe('-50.0')
  })

  test('are ordered by value, beyond the digits of a float', () => {
    const ordered = ['-2', '-1.5', '0', '0.1', '9007199254740992.1', '9007199254740992.2']
    expect(ordered.toReversed().sort(compareDecimals)).toEqual(ordered)
    expect(compareDecimals('1.0', '1')).toBe(0)
  })
})
