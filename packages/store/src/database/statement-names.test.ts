import { expect, test } from 'vitest'
import { statementNames } from './statement-names.ts'

test('names the first texts that are planned, each with one name', () => {
  const nameOf = statementNames('made', 2)
  expect(nameOf('COMMIT')).toBe('')
  expect(nameOf('SELECT 1')).toBe('made_0')
  expect(nameOf(' WITH a AS (SELECT 1) SELECT * FROM a')).toBe('made_1')
  expect(nameOf('SELECT 3')).toBe('')
  expect(nameOf('SELECT 1')).toBe('made_0')
})

test('gives names anew after their life, never the same twice', () => {
  const nameOf = statementNames('made', 1, 0)
  expect(nameOf('SELECT 1')).toBe('made_0')
  expect(nameOf('SELECT 1')).toBe('made_1')
})
