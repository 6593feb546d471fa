import { expect, test } from 'vitest'
import { present } from './present.ts'

test('a missing value is an error, and 0 is a value', () => {
  expect([present(0), present(0n), present(''), present(false)]).toEqual([0, 0n, '', false])
  expect(() => present([1, 2][2])).toThrow('missing')
  expect(() => present(null)).toThrow('missing')
})
