import { formatUnits } from 'ethers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amountDecimal } from './swap-json.ts'

describe('amount in whole units', () => {
  it.each([
    ['0', 18, '0.000000000000000000'],
    ['1', 18, '0.000000000000000001'],
    ['1500000000000000000', 18, '1.500000000000000000'],
    ['1', 6, '0.00000100'],
    ['1234567', 6, '1.23456700'],
    ['7', 0, '7.00000000'],
    ['0', 0, '0.00000000'],
    ['12345678', 8, '0.12345678'],
    ['123456789', 8, '1.23456789'],
    ['1', 77, `0.${'0'.repeat(76)}1`],
    [(2n ** 256n - 1n).toString(), 0, `${2n ** 256n - 1n}.00000000`],
  ])('of %s with %i decimals is %s', (amount, decimals, expected) => {
    expect(amountDecimal(amount, decimals)).toBe(expected)
  })

  it('is what ethers formats, padded, and gives the amount back when multiplied, for every amount and decimals', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.nat(77), (amount, decimals) => {
        const text = amountDecimal(amount.toString(), decimals)
        expect(text).toMatch(/^(0|[1-9]\d*)\.\d{8,}$/)
        const [whole = '', fraction = ''] = text.split('.')
        const [ethersWhole, ethersFraction = ''] = formatUnits(amount, decimals).split('.')
        expect([whole, fraction]).toEqual([ethersWhole, ethersFraction.padEnd(Math.max(8, decimals), '0')])
        const scaled = BigInt(whole + fraction) * 10n ** BigInt(decimals)
        expect(scaled).toBe(amount * 10n ** BigInt(fraction.length))
      }),
    )
  })
})
