import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COMING_FORKS, FORKS_AS_OF } from './networks.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/internals/forks.md'), 'utf8')

test('the calendar of the docs has each announced fork with its date', () => {
  const [, announced = ''] = page.split('## Announced')
  const rows = announced.split('\n### ')[0]?.split('\n') ?? []
  for (const { network, name, at } of COMING_FORKS) {
    const row = rows.find((line) => line.startsWith(`| ${network} | ${name}`))
    expect(row, name).toContain(at === null ? 'to be confirmed' : `(${at})`)
  }
  const [, day] = /Dates are as of (\d+ \w+ \d{4})/.exec(page) ?? []
  expect(Date.parse(`${day} UTC`)).toBe(FORKS_AS_OF * 1_000)
})
