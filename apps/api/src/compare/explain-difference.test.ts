import fc from 'fast-check'
import { expect, test } from 'vitest'
import { basisPoints, explainDifference, type OwnFigures, percentText, scaledDecimal } from './explain-difference.ts'

const OWN: OwnFigures = {
  ...{ priceUsd: '2', volumeUsd: '1000', swaps: 10, unpricedSwaps: 0, isCovered: true, washUsd: null },
}
const reasonOf = (own: Partial<OwnFigures>, priceUsd: string | null, volumeUsd: string | null) =>
  explainDifference({ ...OWN, ...own }, { priceUsd, volumeUsd }).reason

test.each<[string, Partial<OwnFigures>, string | null, string | null, RegExp | null]>([
  ['equal within 1 % and 5 %', {}, '2.02', '950', null],
  ['a price off by more', {}, '2.03', '1000', /^no known reason: the price/],
  ['a volume off by more', {}, '2', '949', /^no known reason: the volume/],
  ['no figures there', {}, null, null, /has no figures/],
  ['time that is not indexed', { isCovered: false }, '2', '5000', /not indexed here/],
  ['swaps without a value', { unpricedSwaps: 3 }, '2', '1300', /^3 of 10 swaps have no value here/],
  ['fewer there is not for lack of values here', { unpricedSwaps: 3 }, '2', '700', /^no known reason/],
  ['wash trading left out', { washUsd: '400' }, '2', '610', /wash trading/],
  ['wash trading that explains too little', { washUsd: '100' }, '2', '610', /^no known reason/],
  ['another price of the same token', {}, '2.4', '1200', /by the same share/],
])('%s', (_, own, price, volume, reason) => {
  if (reason === null) expect(reasonOf(own, price, volume)).toBeNull()
  else expect(reasonOf(own, price, volume)).toMatch(reason)
})

test('a pool that only one source knows is explained', () => {
  expect(explainDifference(undefined, { priceUsd: '1', volumeUsd: '1' })).toMatchObject({ isExplained: true })
  expect(explainDifference(OWN, undefined)).toMatchObject({
    isExplained: true,
    reason: expect.stringContaining('other'),
  })
})

test('decimals are exact, whatever their form', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 40n), fc.integer({ min: 0, max: 18 }), (digits, places) => {
      const text = String(digits).padStart(places + 1, '0')
      const decimal = places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`
      return scaledDecimal(decimal) === digits * 10n ** BigInt(18 - places)
    }),
  )
  expect(scaledDecimal(1.5e-7)).toBe(150_000_000_000n)
  expect(scaledDecimal('1.5E+3')).toBe(1_500n * 10n ** 18n)
  for (const wrong of [null, undefined, '', '-1', 'NaN', '1,5', Number.NaN, Number.POSITIVE_INFINITY, {}, '1e999'])
    expect(scaledDecimal(wrong)).toBeNull()
  expect(percentText(basisPoints(10_000n, 9_875n))).toBe('-1.25 %')
  expect(percentText(basisPoints(3n, 4n))).toBe('+33.33 %')
  expect(percentText(basisPoints(0n, 4n))).toBe('')
})
