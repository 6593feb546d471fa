import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readSources } from '../read-sources.mjs'
import { readMessages } from './read-messages.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sourceOf = (path: string) => readFileSync(join(root, path), 'utf8')
const paths = [...readSources(root).files.keys(), 'scripts/prepare.mjs'].sort()
const messages = new Map<string, Set<string>>()
for (const path of paths) {
  const workspace = /^(apps|packages)\/[^/]+|^[^/]+/.exec(path)?.[0] ?? ''
  const all = messages.get(workspace) ?? new Set()
  for (const message of readMessages(path, sourceOf(path))) messages.set(workspace, all.add(message))
}
const guide = join(root, 'docs/guide/messages.md')
const HEADING = '## Other messages'
const [before = ''] = readFileSync(guide, 'utf8').split(HEADING)
/** The messages in the first column of the guide's table of advice. */
const advised = before
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, text = '']) => text))

// `npm test -- scripts/messages -u` updates the list.
test('the guide lists every message without advice', async () => {
  const lists = [...messages].flatMap(([workspace, all]) => {
    const others = [...all].filter((message) => !advised.includes(message))
    return others.length === 0 ? [] : [`### ${workspace}\n\n\`\`\`\n${others.join('\n')}\n\`\`\`\n`]
  })
  await expect(`${before}${HEADING}\n\n${lists.join('\n')}`).toMatchFileSnapshot(guide)
})

test('the advice of the guide is for messages that exist', () => {
  const existing = new Set([...messages.values()].flatMap((all) => [...all]))
  expect(existing.size).toBeGreaterThan(150)
  expect(advised.length).toBeGreaterThan(10)
  expect(advised.filter((message) => !existing.has(message))).toEqual([])
})

test('messages are read from calls, conditions and sums', () => {
  const source = [
    "log.warn({ err }, 'could not be read, trying again')",
    "this.#log[isLate ? 'warn' : 'info'](fields, isLate ? 'too late' : 'in time')",
    `throw new HttpFailure(404, \`\${network} is not here\` + ', nor there')`,
    "repeatLogged({ log }, 'failed, trying again', step)",
    "repeatLogged({ log, level: 'debug' }, 'is left out', step)",
    "log.info('is left out')",
    "throw new Error('a fault of the code')",
  ].join('\n')
  expect(readMessages('apps/api/src/quote/any.ts', source)).toEqual([
    'could not be read, trying again',
    'too late',
    'in time',
    '… is not here, nor there',
    'failed, trying again',
  ])
})
