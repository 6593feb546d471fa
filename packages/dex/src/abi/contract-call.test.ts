import { AbiCoder, Interface } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Address, type Hex, ZERO_ADDRESS } from '../chain.ts'
import { contractCall } from './contract-abi.ts'

const abi = AbiCoder.defaultAbiCoder()
const address = fc
  .bigInt({ min: 1n, max: 2n ** 160n - 1n })
  .map((value): Address => `0x${value.toString(16).padStart(40, '0')}`)
const list = fc.array(address, { maxLength: 8 })
const encode = (types: string[], values: unknown[]) => abi.encode(types, values) as Hex

const LIST = contractCall<[readonly Address[]]>('function list() view returns (address[])')
const LISTS = contractCall<[Address[], bigint[], Address[]]>(
  'function lists() view returns (address[], uint256[], address[])',
)
const ARRAY = contractCall<[readonly Address[]]>('function array() view returns (address[8])')
const PAIR = contractCall<[Address, bigint]>('function pair(address, uint24) view returns (address, uint256)')

test('data is the selector and the arguments, of which an address may be in any case', () => {
  const token = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
  const expected = `0x1698ee82${'0'.repeat(24)}${token.slice(2)}${'0'.repeat(64)}${'bb8'.padStart(64, '0')}`
  expect(contractCall('function getPool(address, address, uint24)').data(token, ZERO_ADDRESS, 3000)).toBe(expected)
  expect(contractCall('function token0() view returns (address)').data()).toBe('0x0dfe1681')
})

test('a list is read wherever its offset points, its addresses in lower case', () => {
  fc.assert(
    fc.property(list, list, (first, second) => {
      const data = encode(['address[]', 'uint256[]', 'address[]'], [first, [1n, 2n], second])
      expect(LISTS.read(data)).toEqual([first, [1n, 2n], second])
      expect(LIST.read(encode(['address[]'], [first]))).toEqual([first])
    }),
  )
})

test('an array of fixed length is read with its zeros', () => {
  fc.assert(
    fc.property(list, (coins) => {
      const filled = [...coins, ...Array(8 - coins.length).fill(ZERO_ADDRESS)]
      expect(ARRAY.read(encode(['address[8]'], [filled]))).toEqual([filled])
    }),
  )
})

test('any other result is null, not an error', () => {
  const broken = fc.uint8Array({ maxLength: 400 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}` as Hex)
  fc.assert(
    fc.property(broken, (data) => {
      for (const [addresses] of [LIST.read(data) ?? [], ARRAY.read(data) ?? [], LISTS.read(data) ?? []]) {
        expect(addresses === undefined || addresses.length <= 12).toBe(true)
      }
    }),
  )
  for (const answer of [null, undefined, '0x', '0x00'] as const) {
    expect([LIST.read(answer), ARRAY.read(answer), PAIR.read(answer)]).toEqual([null, null, null])
  }
  expect(LIST.read(encode(['uint256'], [32n]))).toBeNull()
  expect(LIST.read(encode(['uint256', 'uint256'], [33n, 0n]))).toBeNull()
  expect(LIST.read(encode(['uint256', 'uint256'], [32n, 1n]))).toBeNull()
  expect(LIST.read(encode(['uint256[]'], [[2n ** 160n]]))).toBeNull()
})

test('results of a word each are exactly as long, and no address is wider than one', () => {
  const token = `0x${'ab'.repeat(20)}`
  expect(PAIR.read(encode(['address', 'uint256'], [token, 5n]))).toEqual([token, 5n])
  expect(PAIR.read(encode(['address'], [token]))).toBeNull()
  expect(PAIR.read(encode(['address', 'uint256', 'uint256'], [token, 5n, 6n]))).toBeNull()
  expect(PAIR.read(encode(['uint256', 'uint256'], [2n ** 160n, 5n]))).toBeNull()
  expect(ARRAY.read(encode(['uint256', 'uint256'], [1n, 2n ** 255n]))).toBeNull()
})

test.each(['address', 'bool', 'uint8', 'uint24', 'uint256', 'int24', 'int256'])(
  'a result of one word is read as ethers reads it: %s',
  (type) => {
    const fragment = `function one() view returns (${type})`
    const call = contractCall<[bigint]>(fragment)
    const oracle = new Interface([fragment])
    const byEthers = (answer: Hex) => {
      try {
        const [value] = oracle.decodeFunctionResult('one', answer)
        return [typeof value === 'string' ? value.toLowerCase() : value]
      } catch {
        return null
      }
    }
    const width = fc.constantFrom(0, 1, 8, 23, 24, 25, 160, 161, 255, 256)
    const value = width.chain((bits) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n }))
    fc.assert(
      fc.property(value, (of) => {
        const word: Hex = `0x${of.toString(16).padStart(64, '0')}`
        expect(call.read(word)).toEqual(byEthers(word))
      }),
    )
    for (const answer of [`0x${'0'.repeat(62)}`, `0x${'0'.repeat(66)}`, `0x${'0'.repeat(128)}`] as const) {
      expect(call.read(answer)).toBeNull()
    }
    expect(call.read(`0x${'f'.repeat(64)}`)).toEqual(byEthers(`0x${'f'.repeat(64)}`))
  },
)
