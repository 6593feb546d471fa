import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readSources } from '../read-sources.mjs'
import { readMessages } from './read-messages.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sourceOf = (path: string) => readFileSync(join(root, path), 'utf8')
const sources = [...readSources(root).files.keys(), 'scripts/prepare.mjs'].map(
  (path) => [path, sourceOf(path)] as const,
)
const code = sources.map(([, source]) => source.replaceAll('\\`', '')).join('\n')
const messages = new Set(sources.flatMap(([path, source]) => readMessages(path, source)))
const rows = sourceOf('docs/guide/messages.md')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
const explained = rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, text]) => text))

test('the guide explains every message, and no other one', () => {
  expect(messages.size).toBeGreaterThan(200)
  expect([...messages].filter((message) => !explained.includes(message)).sort()).toEqual([])
  const isWritten = (text = '') => messages.has(text) || text.split('…').every((part) => code.includes(part))
  expect(explained.filter((text) => !isWritten(text))).toEqual([])
})

test('messages are read from calls, conditions and sums', () => {
  const source = [
    "log.warn({ err }, 'could not be read, trying again')",
    "this.#log[isLate ? 'warn' : 'info'](fields, isLate ? 'too late' : 'in time')",
    `throw new HttpFailure(404, \`\${network} is not here\` + ', nor there')`,
    "log.info('is left out')",
    "throw new Error('a fault of the code')",
  ].join('\n')
  expect(readMessages('apps/api/src/quote/any.ts', source)).toEqual([
    'could not be read, trying again',
    'too late',
    'in time',
    '… is not here, nor there',
  ])
})
