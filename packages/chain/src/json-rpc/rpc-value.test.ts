import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  MalformedResponse,
  readAddress,
  readAmount,
  readBytes,
  readHash,
  readQuantity,
  toQuantity,
} from './rpc-value.ts'

describe('hex values of a node', () => {
  it('reads quantities with leading zeros and upper case', () => {
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), fc.nat({ max: 8 }), fc.boolean(), (n, zeros, upper) => {
        const digits = '0'.repeat(zeros) + n.toString(16)
        const text = `0x${upper ? digits.toUpperCase() : digits}`
        expect(readQuantity(text, 'n')).toBe(n)
        expect(readAmount(text, 'n')).toBe(BigInt(n))
        expect(readQuantity(toQuantity(n), 'n')).toBe(n)
      }),
    )
  })

  it.each(['0x', '', '12', '0xg', '-0x1', '0x1.5', ' 0x1', 12, null, undefined, {}, '0x20000000000000'])(
    'rejects %o as a quantity',
    (value) => {
      expect(() => readQuantity(value, 'block.number')).toThrow(MalformedResponse)
    },
  )

  it('reads amounts of a word at most', () => {
    expect(readAmount(`0x${'f'.repeat(64)}`, 'value')).toBe(2n ** 256n - 1n)
    expect(() => readAmount(`0x1${'0'.repeat(64)}`, 'value')).toThrow(MalformedResponse)
    expect(() => readAmount('0x', 'value')).toThrow(MalformedResponse)
  })

  it('gives bytes in lower case and rejects anything else with a typed error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = Buffer.from(bytes).toString('hex')
        expect(readBytes(`0x${text.toUpperCase()}`, 'data')).toBe(`0x${text}`)
      }),
    )
    fc.assert(
      fc.property(fc.anything(), (value) => {
        try {
          expect(readBytes(value, 'data')).toMatch(/^0x([0-9a-f]{2})*$/)
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedResponse)
        }
      }),
    )
    const others = ['0x1', 'ab', '0xzz', '0x/:', '0x`g', '0yab', '1xab', `0x${'\u0130'}a`, `0x${'\u0161'}1`, null]
    for (const value of others) expect(() => readBytes(value, 'data')).toThrow(MalformedResponse)
  })

  it('takes checksummed addresses and insists on lengths', () => {
    const checksummed = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'
    expect(readAddress(checksummed, 'address')).toBe(checksummed.toLowerCase())
    expect(() => readAddress(`${checksummed}00`, 'address')).toThrow(MalformedResponse)
    expect(() => readHash(checksummed, 'hash')).toThrow(MalformedResponse)
  })

  it('names the field and shows little of the value', () => {
    const error = new MalformedResponse({ field: 'log.data', value: 'x'.repeat(1000) })
    expect(error.message).toMatch(/^unreadable log\.data: "x+$/)
    expect(error.message.length).toBeLessThan(120)
  })
})
