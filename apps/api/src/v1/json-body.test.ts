import { expect, test } from 'vitest'
import { checkBounds } from './json-body.ts'

const check = (text: string) => () => checkBounds(Buffer.from(text))
const fields = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":{}`).join()}}`
const items = (count: number) => `[${Array.from({ length: count }, () => '[]').join()}]`
const levels = (count: number) => '['.repeat(count) + ']'.repeat(count)

test.each([fields(32), items(1_000), levels(8), `{"a":${items(1_000)},"b":${fields(32)}}`, '"', '{', ']]]', ''])(
  'takes %s',
  (text) => {
    expect(check(text)).not.toThrow()
  },
)

test.each([fields(33), items(1_001), levels(9), `{"a":[${fields(33)}]}`])('refuses %s', (text) => {
  expect(check(text)).toThrow(/^the body has more than/)
})

test('characters within a text count for nothing', () => {
  const text = JSON.stringify({ a: `${'[{,'.repeat(2_000)}"\\`, b: '\\' })
  expect(check(text)).not.toThrow()
  expect(check(`[${text},${levels(9)}]`)).toThrow('levels')
})
