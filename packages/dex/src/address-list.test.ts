import { AbiCoder } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dynamicAddresses, fixedAddresses } from './address-list.ts'
import { type Address, type Hex, ZERO_ADDRESS } from './chain/hex.ts'

const abi = AbiCoder.defaultAbiCoder()
const address = fc
  .bigInt({ min: 1n, max: 2n ** 160n - 1n })
  .map((value): Address => `0x${value.toString(16).padStart(40, '0')}`)
const list = fc.array(address, { maxLength: 8 })
const encode = (types: string[], values: unknown[]) => abi.encode(types, values) as Hex

test('a list is read wherever its offset points', () => {
  fc.assert(
    fc.property(list, list, (first, second) => {
      const data = encode(['address[]', 'uint256[]', 'address[]'], [first, [1n, 2n], second])
      expect(dynamicAddresses(data, 0)).toEqual(first)
      expect(dynamicAddresses(data, 2)).toEqual(second)
    }),
  )
})

test('an array of fixed length ends with its first zero', () => {
  fc.assert(
    fc.property(list, (coins) => {
      const filled = [...coins, ...Array(8 - coins.length).fill(ZERO_ADDRESS)]
      expect(fixedAddresses(encode(['address[8]'], [filled]))).toEqual(coins)
    }),
  )
})

test('whatever else a contract answers is null, not an error', () => {
  const broken = fc.uint8Array({ maxLength: 400 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}` as Hex)
  fc.assert(
    fc.property(broken, fc.nat(12), (data, head) => {
      const read = [dynamicAddresses(data, head), fixedAddresses(data)]
      expect(read.every((addresses) => addresses === null || addresses.length <= 12)).toBe(true)
    }),
  )
  expect(dynamicAddresses('0x', 0)).toBeNull()
  expect(fixedAddresses('0x')).toBeNull()
  expect(dynamicAddresses(encode(['uint256'], [32n]), 0)).toBeNull()
  expect(dynamicAddresses(encode(['uint256', 'uint256'], [33n, 0n]), 0)).toBeNull()
  expect(dynamicAddresses(encode(['uint256', 'uint256'], [32n, 1n]), 0)).toBeNull()
  expect(dynamicAddresses(encode(['uint256[]'], [[2n ** 160n]]), 0)).toBeNull()
  expect(fixedAddresses(encode(['uint256', 'uint256'], [1n, 2n ** 255n]))).toBeNull()
})
