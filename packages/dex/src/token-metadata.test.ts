import { AbiCoder, encodeBytes32String } from 'ethers'
import { expect, test } from 'vitest'
import type { Hex } from './chain.ts'
import { readToken } from './token-metadata.ts'

const abi = AbiCoder.defaultAbiCoder()
const string = (text: string) => abi.encode(['string'], [text]) as Hex
const uint = (value: bigint) => abi.encode(['uint256'], [value]) as Hex
const read = (symbol: Hex | null, name: Hex | null = null, decimals: Hex | null = null) =>
  readToken('0x01', [symbol, name, decimals])

test('strings and decimals read as they are', () => {
  expect(read(string('USDC'), string('USD Coin'), uint(6n))).toEqual({
    address: '0x01',
    symbol: 'USDC',
    name: 'USD Coin',
    decimals: 6,
  })
})

test('bytes32 text is read up to its first NUL', () => {
  expect(read(encodeBytes32String('MKR') as Hex).symbol).toBe('MKR')
})

test.each([
  ['reverts', null, null],
  ['returns nothing', '0x' as Hex, null],
  ['says 255', uint(255n), null],
  ['says 2^256 - 1', uint(2n ** 256n - 1n), null],
  ['says 77', uint(77n), 77],
  ['says 0', uint(0n), 0],
])('decimals of a contract that %s', (_, reply, expected) => {
  expect(read(null, null, reply).decimals).toBe(expected)
})

test.each([
  ['a NUL and controls', 'A\u0000B\u0007C\u009fD', 'ABCD'],
  ['direction overrides and zero-width characters', 'U\u202eS\u200bD\u2066C\ufeff', 'USDC'],
  ['fillers of Hangul', 'U\u3164S\u115fD\u1160C\uffa0', 'USDC'],
  ['variation selectors', 'U\ufe0fS\ufe00D\u{e0100}C\u180b', 'USDC'],
  ['other letters that are drawn as nothing', 'U\u034fS\u17b4D\u17b5C\u{e0020}\u2800\u{1d173}', 'USDC'],
  ['letters that are drawn as nothing alone', '\u3164\ufe0f', ''],
  ['line separators', 'A\u2028B', 'AB'],
  ['markup stays inert text', '<script>', '<script>'],
  ['spaces around', '  X ', 'X'],
])('text with %s', (_, text, expected) => {
  expect(read(string(text)).symbol).toBe(expected)
})

test('a name of a megabyte is cut at 255 characters, on a character boundary', () => {
  const { name } = read(null, string('😀'.repeat(250_000)))
  expect([...name]).toHaveLength(255)
  expect(name).toBe('😀'.repeat(255))
})

test('a lying length or offset reads what is there', () => {
  const lying =
    `0x${'20'.padStart(64, '0')}${'f'.repeat(64)}${Buffer.from('HEY').toString('hex').padEnd(64, '0')}` as Hex
  expect(read(lying).symbol).toBe('HEY')
  expect(read(`0x${'f'.repeat(64)}${'0'.repeat(64)}` as Hex).symbol).toBe('')
})

test('invalid UTF-8 does not survive', () => {
  const bytes = abi.encode(['bytes'], ['0x41ff42']) as Hex
  expect(read(bytes).symbol).toBe('AB')
})
