import { expect, test } from 'vitest'
import { problemOfSubject } from './commit-subject.mjs'

test.each([
  ['store: skip startup writes when config is unchanged', undefined],
  ['packages/dex: pass fees on', undefined],
  ['test: embed the oracle', undefined],
  ['chain, indexer: format two signatures', undefined],
  [`store: ${'a'.repeat(60)}`, '67 characters, at most 60'],
  ['Skip startup writes', 'is not "area: imperative"'],
  ['store: skips startup writes', '"skips" is not an imperative'],
  ['store: skipped startup writes', '"skipped" is not an imperative'],
  ['store: skipping startup writes', '"skipping" is not an imperative'],
])('the subject "%s" is judged', (subject, problem) => {
  expect(problemOfSubject(subject)).toBe(problem)
})
