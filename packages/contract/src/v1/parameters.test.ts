import { ZERO_ADDRESS } from '@dexfeed/dex'
import { describe, expect, it } from 'vitest'
import { TokenSymbol, tokenList, tokenParameter, tokensParameter } from '../parameters.ts'
import { poolParameter, timeParameter } from './parameters.ts'

const NOON = Date.UTC(2026, 10, 21, 12) / 1_000

describe('a time', () => {
  const time = timeParameter('from', 'Rows of this moment or later')

  it.each([
    ['2026-11-21T12:00:00Z', NOON],
    ['2026-11-21T12:00Z', NOON],
    ['2026-11-21T12:00:00.000Z', NOON],
    ['2026-11-21T11:59:59.001Z', NOON],
    ['2026-11-21T14:30:00+02:30', NOON],
    ['2026-11-21T14:30:00.000 02:30', NOON],
    ['2026-11-20T23:00:00-13:00', NOON],
    ['2026-11-21', NOON - 43_200],
    [String(NOON), NOON],
    ['2024-02-29', Date.UTC(2024, 1, 29) / 1_000],
  ])('%s is read', (text, seconds) => {
    expect(time.parse(text)).toBe(seconds)
  })

  it.each([
    '',
    'now',
    '2026-11-21T12:00:00',
    '2026-02-30T12:00:00Z',
    '2026-02-29',
    '2026-13-01',
    '2026-11-21T24:00:00Z',
    '2026-11-21T12:60:00Z',
    '2026-11-21T12:00:60Z',
    '2026-11-21T12:00:00.Z',
    '2026-11-21T12:00:00+15:00',
    '2026-11-21 12:00:00Z',
    '2026-11-21Z',
    '1795262400000',
    '1795262400.5',
    '-1795262400',
    '0',
    '100000000',
    '9999999999',
    '2008-12-31',
    '2200-01-01',
    1_795_262_400,
    null,
    ['2026-11-21'],
  ])('%j is refused, with the forms that are accepted', (text) => {
    const { error } = time.safeParse(text)
    expect(error?.issues[0]?.message).toMatch(/^from must be given once, as a time like 2026-11-21T12:00:00Z, .*1970/)
  })

  it('has a pattern that takes what the parameter takes', () => {
    const pattern = new RegExp(String(time.meta()?.pattern))
    for (const text of ['2026-11-21', '2026-11-21T12:00:00.5+01:00', String(NOON)]) expect(text).toMatch(pattern)
    for (const text of ['2026', '2026-11-21T12:00:00', '1795262400000']) expect(text).not.toMatch(pattern)
  })
})

describe('a token', () => {
  const token = tokenParameter('token', 'A token', 'coin')

  it('is a symbol, an address in any case, or empty for the coin', () => {
    expect(token.parse('WBNB')).toEqual(new TokenSymbol('WBNB'))
    expect(token.parse('')).toBe(ZERO_ADDRESS)
    expect(token.parse(`0x${'AB'.repeat(20)}`)).toBe(`0x${'ab'.repeat(20)}`)
  })

  it.each([
    ['0x', 'token is not a valid contract address'],
    [`0x${'ab'.repeat(32)}`, 'token is not a valid contract address'],
    ['x'.repeat(129), 'token is longer than 128 characters'],
    ['\0', 'token contains control characters'],
    [null, 'token must be given once'],
  ])('%j is refused', (text, message) => {
    expect(token.safeParse(text).error?.issues[0]?.message).toContain(message)
  })

  it('is one of several, up to a number, and a wrong one is named', () => {
    const tokens = tokensParameter('token', 'Tokens', 3)
    const list = tokenList('tokens', 'Tokens', 3)
    const three = [new TokenSymbol('WBNB'), ZERO_ADDRESS, `0x${'ab'.repeat(20)}`]
    expect(tokens.parse(`WBNB,,0x${'AB'.repeat(20)}`)).toEqual(three)
    expect(list.parse(['WBNB', '', `0x${'AB'.repeat(20)}`])).toEqual(three)
    const faultOf = (schema: typeof tokens | typeof list, value: unknown) =>
      schema.safeParse(value).error?.issues.map(({ message }) => message)
    expect(faultOf(tokens, 'a,0x,c')).toEqual([expect.stringMatching(/^token\[1\] is not a valid contract address/)])
    expect(faultOf(list, ['a', 'b', '0x'])).toEqual([expect.stringMatching(/^tokens\[2\] is not a valid contract/)])
    const many = 'token must be given once, as 1 to 3 symbols or addresses, separated by commas'
    expect([faultOf(tokens, 'a,b,c,d'), faultOf(tokens, ['a', 'b'])]).toEqual([[many], [many]])
    for (const texts of [[], ['a', 'b', 'c', 'd']]) {
      expect(faultOf(list, texts)).toEqual(['tokens must be a list of 1 to 3 symbols or addresses'])
    }
  })
})

describe('a pool', () => {
  const pool = poolParameter('pool', 'A pool')

  it.each([40, 64, 80, 104])('has %s hex digits', (digits) => {
    expect(pool.parse(`0x${'A'.repeat(digits)}`)).toBe(`0x${'a'.repeat(digits)}`)
  })

  it.each([0, 39, 41, 63, 65, 103, 105])('does not have %s', (digits) => {
    expect(pool.safeParse(`0x${'A'.repeat(digits)}`).success).toBe(false)
  })
})
