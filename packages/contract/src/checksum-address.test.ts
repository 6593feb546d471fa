import { getAddress } from 'ethers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checksumAddress, readAddress } from './checksum-address.ts'

// The examples of EIP-55.
const EXAMPLES = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
]

describe('checksum address', () => {
  it.each(EXAMPLES)('writes %s with its checksum', (example) => {
    expect(checksumAddress(example.toLowerCase())).toBe(example)
  })

  it('is that of ethers', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
        const address = `0x${Buffer.from(bytes).toString('hex')}`
        expect(checksumAddress(address)).toBe(getAddress(address))
      }),
    )
  })

  it.each(EXAMPLES)('reads %s in lower, upper and checksummed case', (example) => {
    const lower = example.toLowerCase()
    for (const text of [example, lower, `0x${lower.slice(2).toUpperCase()}`, lower.toUpperCase()]) {
      expect(readAddress(text)).toBe(lower)
    }
  })

  it('refuses mixed case that is not the checksum', () => {
    expect(readAddress('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD')).toBeNull()
    expect(readAddress('0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toBeNull()
  })

  it.each(['', '0x', '0x1234', `0x${'0'.repeat(39)}`, `0x${'0'.repeat(41)}`, `0x${'g'.repeat(40)}`, '0'.repeat(42)])(
    'refuses the malformed %j',
    (text) => {
      expect(readAddress(text)).toBeNull()
    },
  )
})
