// Checks the language of comments, strings and docs: no idiom of plain-words.mjs, no long sentence.
//   node scripts/check-language.mjs [--root <checkout>] [path ...]
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { helpIfRequested } from '@dexfeed/service/command-help'
import { EXCEPTIONS, IDIOMS, WORDS } from './plain-words.mjs'
import { countWords, readTexts, sentencesOf, withoutCode } from './read-texts.mjs'

helpIfRequested('language', process.argv.slice(2))

const MOST_EXCEPTIONS = 20

const { values, positionals: paths } = parseArgs({ options: { root: { type: 'string' } }, allowPositionals: true })
process.chdir(values.root ?? fileURLToPath(new URL('..', import.meta.url)))
const listed = execFileSync('git', ['ls-files', '--', ...paths], { encoding: 'utf8' }).split('\n')
// Applied migrations have checksums, so their comments stay.
const SKIPPED = /plain-words|\/generated\/|\/fixtures\/|^prisma\/migrations\//
const files = listed.filter((path) => existsSync(path) && !SKIPPED.test(path))
const used = new Set()
const problems = files.flatMap((path) => problemsOf(path, readFileSync(path, 'utf8')))
if (paths.length === 0) {
  problems.push(...EXCEPTIONS.filter((one) => !used.has(one)).map(({ words }) => `needless exception: ${words}`))
  if (EXCEPTIONS.length > MOST_EXCEPTIONS) problems.push(`more than ${MOST_EXCEPTIONS} exceptions`)
}
if (problems.length > 0) {
  console.error(`${problems.join('\n')}\n${problems.length} texts need plain words (scripts/plain-words.mjs)`)
  process.exit(1)
}
console.log(`${files.length} files use plain words`)

function problemsOf(path, source) {
  const texts = readTexts(path, source)
  return [...texts.flatMap((text) => problemsOfText(path, text)), ...problemsOfPage(path, texts)]
}

function problemsOfText(path, { kind, line, text }) {
  const plain = withoutCode(text)
  const idioms = IDIOMS.flatMap(([idiom, instead]) => {
    const match = idiom.exec(plain)
    if (match === null || isExcepted(path, plain)) return []
    const around = plain.slice(Math.max(0, match.index - 40), match.index + match[0].length + 40)
    return [`${path}:${line}: "${match[0]}", write ${instead}: ...${around}...`]
  })
  if (kind === 'string') return idioms
  const long = sentencesOf(text).filter(
    (sentence) => countWords(sentence) > WORDS.sentence && !isExcepted(path, sentence),
  )
  return [
    ...idioms,
    ...long.map(
      (one) => `${path}:${line}: ${countWords(one)} words, at most ${WORDS.sentence}: ${one.slice(0, 80)}...`,
    ),
  ]
}

function problemsOfPage(path, texts) {
  if (!path.endsWith('.md')) return []
  const counts = texts.filter(({ kind }) => kind === 'prose').flatMap(({ text }) => sentencesOf(text).map(countWords))
  const median = counts.sort((one, other) => one - other)[Math.floor(counts.length / 2)] ?? 0
  return median > WORDS.median ? [`${path}: sentences have ${median} words in the median, at most ${WORDS.median}`] : []
}

function isExcepted(path, text) {
  const exception = EXCEPTIONS.find(({ file, words }) => file === path && text.includes(words))
  if (exception !== undefined) used.add(exception)
  return exception !== undefined
}
