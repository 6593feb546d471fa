import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readSources } from '../read-sources.mjs'
import { readMessages } from './read-messages.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sourceOf = (path: string) => readFileSync(join(root, path), 'utf8')
const paths = [...readSources(root).files.keys(), 'scripts/prepare.mjs'].sort()
const messagesOf = new Map(
  paths
    .map((path) => [path, [...new Set(readMessages(path, sourceOf(path)))]] as const)
    .filter(([, all]) => all.length),
)
const guide = join(root, 'docs/guide/messages.md')
const HEADING = '## Every message'

/** Returns a list for each workspace: a file, and what it says. */
function listMessages(): string {
  let workspace = ''
  return [...messagesOf]
    .map(([path, messages]) => {
      const folder = /^(apps|packages)\/[^/]+|^[^/]+/.exec(path)?.[0] ?? ''
      const heading = folder === workspace ? '' : `### ${folder}\n\n`
      workspace = folder
      return `${heading}\`${path}\`\n\n${messages.map((message) => `- \`${message}\`\n`).join('')}`
    })
    .join('\n')
}

// `npm test -- scripts/messages -u` writes the list again.
test('the guide lists every message with its place', async () => {
  expect(messagesOf.size).toBeGreaterThan(50)
  const [before] = readFileSync(guide, 'utf8').split(HEADING)
  await expect(`${before}${HEADING}\n\n${listMessages()}`).toMatchFileSnapshot(guide)
})

test('the advice of the guide is for messages that exist', () => {
  const [before = ''] = readFileSync(guide, 'utf8').split(HEADING)
  const advised = before
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, text = '']) => text))
  const messages = new Set([...messagesOf.values()].flat())
  expect(advised.length).toBeGreaterThan(10)
  expect(advised.filter((message) => !messages.has(message))).toEqual([])
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
