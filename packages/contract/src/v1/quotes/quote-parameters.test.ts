import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { InvalidRequest } from '../../invalid-request.ts'
import { TokenSymbol } from '../../parameters.ts'
import { parseRequest } from '../route.ts'
import { parseQuoteQuestion, quoteMany } from './quotes.ts'

const BASE = { sell: 'A', buy: 'B' }
const read = (more: Record<string, unknown>) => parseQuoteQuestion({ ...BASE, ...more })

describe('the parameters of a quote', () => {
  it.each([
    [{ amount: '1.50' }, { amount: '1.50' }],
    [
      { amount_raw: '7', max_hops: '2', max_splits: '4' },
      { amount_raw: '7', max_hops: 2, max_splits: 4 },
    ],
    [
      { side: 'out', slippage_bps: '0' },
      { side: 'out', slippage_bps: 0 },
    ],
    [{ protocols: 'a,b,a' }, { protocols: ['a', 'b'] }],
  ])('%j are read', (given, expected) => {
    expect(read(given)).toMatchObject(expected)
  })

  it.each([
    ...['0', '0.000', '-1', '+1', '1e18', '.5', '1.', '1,5', ' 1', '1 ', '0x1', 'NaN', '١', '', 1, null, ['1']].map(
      (amount) => ({ amount }),
    ),
    ...['0', '01', '-1', '1.0', '1e3', '\0', String(2n ** 256n), '9'.repeat(400), 1].map((amount_raw) => ({
      amount_raw,
    })),
    ...['0', '4', '1.0', '-1', '', 2].map((max_hops) => ({ max_hops })),
    ...['0', '5'].map((max_splits) => ({ max_splits })),
    ...['both', '', 'IN'].map((side) => ({ side })),
    ...['10000', '0.5', '-1', '01'].map((slippage_bps) => ({ slippage_bps })),
    ...['', ',', 'a,', 'a b', `${'a,'.repeat(32)}a`].map((protocols) => ({ protocols })),
    ...['0x', 'x', `0x${'1'.repeat(41)}`].map((exclude_pools) => ({ exclude_pools })),
    { unknown: '1' },
    { network: 'bsc' },
  ])('%j are refused', (given) => {
    expect(() => read(given)).toThrow(InvalidRequest)
  })

  it('accept sellToken and buyToken, but not both names', () => {
    const tokens = { sell: new TokenSymbol('A'), buy: new TokenSymbol('B') }
    expect(parseQuoteQuestion({ sellToken: 'A', buy: 'B' })).toEqual(tokens)
    expect(parseQuoteQuestion({ sellToken: 'A', buyToken: 'B' })).toEqual(tokens)
    expect(() => read({ sellToken: 'A' })).toThrow('sellToken is another name of sell; give only one')
    expect(() => parseQuoteQuestion({ sellToken: ['A'], buy: 'B' })).toThrow('sell must be given once')
  })

  it('never fail in another way (property)', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.anything(),
      fc.bigInt().map(String),
      fc.double().map(String),
    )
    const names = [
      'sell',
      'buy',
      'amount',
      'amount_raw',
      'side',
      'max_hops',
      'max_splits',
      'protocols',
      'exclude_pools',
      'sellToken',
    ]
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names, 'slippage_bps', '__proto__'), value), (raw) => {
        try {
          const { amount_raw: amount } = parseQuoteQuestion(raw)
          if (amount !== undefined) expect(BigInt(amount)).toBeGreaterThan(0n)
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidRequest)
        }
      }),
      { numRuns: 200 * inject('scale') },
    )
  })
})

it('of many quotes: the wrong item is named', () => {
  const read = () => parseRequest(quoteMany.request, { network: 'bsc', quotes: [{}, {}, 'x'] })
  expect(read).toThrow('quotes[2] must be an object')
})
