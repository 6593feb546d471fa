import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '@dexfeed/contract'
import { FAULT_NAMES, FAULTS } from '@dexfeed/lab'
import { projectRoot } from '@dexfeed/service'
import { expect, test } from 'vitest'

const rowsOf = (file: string, mark: string) =>
  readFileSync(join(projectRoot(), file), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(`- ${mark}`))
const rows = rowsOf('docs/internals/faults.md', 'F')
const defences = rowsOf('docs/internals/security.md', 'S')

test('every fault of the catalogue has a row', () => {
  const between = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)
  const required = [
    ...between(1, 56),
    ...between(59, 71),
    75,
    76,
    78,
    79,
    80,
    ...between(91, 127),
    ...between(133, 135),
  ]
  const names = required.map((number) => `F${String(number).padStart(2, '0')}`)
  expect(rows.map((row) => row.split(' ')[1]).sort()).toEqual(names.sort())
})

test('defences are numbered without a gap', () => {
  expect(defences.length).toBeGreaterThanOrEqual(47)
  const numbers = defences.map((_, at) => `S${String(at + 1).padStart(2, '0')}`)
  expect(defences.map((row) => row.split(' ')[1]).sort()).toEqual(numbers)
})

/** Returns the code spans that name missing tests. A span with a file precedes the spans with titles of its tests. */
function findMissing(text: string): string[] {
  let file = ''
  return [...text.matchAll(/`([^`]+)`/g)].flatMap(([, span = '']) => {
    if (span.endsWith('.test.ts')) file = span
    if (!span.includes(' ') && span !== file) return []
    const source = readFileSync(join(projectRoot(), file), 'utf8')
    return span === file || source.includes(span) ? [] : [`${file}: ${span}`]
  })
}

test('every named test exists', () => {
  const cells = [...rows, ...defences].map((row) => row.split(' → ')[1] ?? '')
  expect(cells).not.toContain('')
  expect(cells.flatMap(findMissing)).toEqual([])
})

test('every test that the calendar of forks names exists', () => {
  const text = readFileSync(join(projectRoot(), 'docs/internals/forks.md'), 'utf8')
  const named = [...text.matchAll(/`([\w/.-]+\.test\.ts)`(?: `([^`]* [^`]*)`)?/g)]
  expect(named.length).toBeGreaterThan(5)
  for (const [, path = '', name = ''] of named) {
    expect(readFileSync(join(projectRoot(), path), 'utf8')).toContain(name)
  }
})

test('every fault that the hostile node injects has its rows', () => {
  const simulated = new Set(rows.filter((row) => row.includes('simulation')).map((row) => row.split(' ')[1]))
  expect(FAULT_NAMES.filter((fault) => !FAULTS[fault].rows.split(', ').every((row) => simulated.has(row)))).toEqual([])
})

const guide = globPages('docs/guide')

function globPages(folder: string): string {
  const pages = readdirSync(join(projectRoot(), folder)).filter((file) => file.endsWith('.md'))
  return pages.map((file) => readFileSync(join(projectRoot(), folder, file), 'utf8')).join('\n')
}

test('the guide describes every command', () => {
  const { scripts } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8'))
  const missing = Object.entries<string>(scripts)
    .filter(([, command]) => command.includes('scripts/run.mjs'))
    .map(([name]) => name)
    .filter((name) => !['release'].includes(name) && !new RegExp(`npm (run )?${name}\\b`).test(guide))
  expect(missing).toEqual([])
})

test('the guide describes every route and every parameter', () => {
  const { paths = {} } = openApiDocument('0.0.0')
  const names = Object.values(paths).flatMap((item) =>
    Object.values(item ?? {}).flatMap(({ parameters = [] }) => parameters.map(({ name }: { name: string }) => name)),
  )
  const missing = [...Object.keys(paths).map((path) => path.replace(/\/(\{.*)?$/, '')), ...new Set(names)].filter(
    (name) => !new RegExp(`(?<!\\w)${name}(?!\\w)`).test(guide),
  )
  expect(missing).toEqual([])
})
