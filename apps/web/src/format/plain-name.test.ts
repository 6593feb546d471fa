import { expect, test } from 'vitest'
import { plainName } from './plain-name.ts'

test.each([
  ['USDC', 'USDC'],
  ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ['\u202eCDSU', 'CDSU'],
  ['US\u200bDC\u0000', 'USDC'],
  ['a\n\n b', 'a b'],
  ['e\u0301\u0301\u0301\u0301\u0301', 'e\u0301\u0301'],
  ['\u3164', null],
  ['  ', null],
  [null, null],
  ['金'.repeat(40), `${'金'.repeat(31)}…`],
])('a hostile name is shown without what misleads: %j', (name, expected) => {
  expect(plainName(name)).toBe(expected)
})
