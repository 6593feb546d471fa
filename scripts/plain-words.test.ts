import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { problemOfSubject } from './plain-words.mjs'
import { countWords, readTexts, sentencesOf } from './read-texts.mjs'

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

test('comments, strings and template parts of code are texts, names and single words are not', () => {
  const code = [
    'const single = "word"',
    '// One line,',
    '// and the next.',
    'throw new Error(`the node ' + '$' + '{name} is down`) // At the end.',
    '/** Returns one.',
    ' * And two. */',
    "import { a } from './not-a-text.ts'",
  ].join('\n')
  expect(readTexts('a.ts', code).map(({ kind, line, text }) => [kind, line, text])).toEqual([
    ['comment', 2, 'One line,\nand the next.'],
    ['string', 4, 'the node '],
    ['string', 4, ' is down'],
    ['comment', 4, 'At the end.'],
    ['comment', 5, 'Returns one.\nAnd two.'],
  ])
  expect(readTexts('a.ts', 'f("two words")').map(({ text }) => text)).toEqual(['two words'])
})

test('a page has prose, list items and cells, without its code', () => {
  const page = '# Title\n\nOne line\nand [a link](https://a.b).\n\n- item\n\n```\ncode\n```\n\n| a | b |\n|---|---|\n'
  expect(readTexts('a.md', page).map(({ kind, text }) => [kind, text.trim()])).toEqual([
    ['cell', 'Title'],
    ['prose', 'One line and [a link].'],
    ['prose', 'item'],
    ['cell', 'a'],
    ['cell', 'b'],
  ])
})

test('a sentence ends before a capital, and a code span is one word', () => {
  const sentences = sentencesOf('Reads `a b. C` at 0.5 s. Then it ends! `x` follows.')
  expect(sentences).toEqual(['Reads CODE at 0.5 s.', 'Then it ends!', 'CODE follows.'])
  expect(sentences.map(countWords)).toEqual([5, 3, 2])
  expect(sentencesOf('Returns one:\n- this\n- that\n@param a one')).toEqual([
    'Returns one:',
    '- this',
    '- that',
    '@param a one',
  ])
})

const long = `${'word '.repeat(41)}.`
test.each([
  ['a.ts', '// The node asks again.\n', 'a.ts:1: "asks"'],
  ['a.ts', "log('nobody is here')\n", 'a.ts:1: "nobody"'],
  ['a.ts', `/** ${long} */\n`, 'a.ts:1: 41 words'],
  ['a.md', `${long}\n`, 'a.md:1: 41 words'],
  ['a.md', `${'word '.repeat(19)}.\n`, 'a.md: sentences have 19 words in the median'],
  ['a.md', '| A cell that stands |\n', 'a.md:1: "stands"'],
  ['a.yml', '# Answers by itself.\n', 'a.yml:1: "Answers"'],
  ['a.sql', '-- All the same.\n', 'a.sql:1: "All the same"'],
  ['a.prisma', '/// For good.\n', 'a.prisma:1: "For good"'],
])('%s with %j is refused', (file, text, problem) => {
  expect(check({ [file]: text })).toContain(problem)
})

test('names in code spans, generated files and plain texts pass', () => {
  const files = { 'a.ts': '// Calls `asked`.\n', 'src/generated/b.ts': '// Asks.\n', 'c.md': 'A node responds.\n' }
  expect(check(files)).toContain('use plain words')
})

/** Runs the check on a checkout with these files. */
function check(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'dexfeed-language-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  execFileSync('git', ['init', '-q'], { cwd: root })
  execFileSync('git', ['add', '-A'], { cwd: root })
  const program = fileURLToPath(new URL('check-language.mjs', import.meta.url))
  try {
    return execFileSync(process.execPath, [program, '--root', root], { encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    return String((error as { stderr: string }).stderr)
  }
}
