import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@dexfeed/service'
import { expect, test } from 'vitest'

interface Mutant {
  id: string
  file: string
  find: string
  killedBy: readonly string[]
}

const mutants: Mutant[] = JSON.parse(readFileSync(new URL('mutants.json', import.meta.url), 'utf8'))
const placeOf = (file: string) => join(projectRoot(), file)

test('the text of every mutant occurs once in its file', () => {
  const times = ({ file, find }: Mutant) => readFileSync(placeOf(file), 'utf8').split(find).length - 1
  expect(mutants.filter((mutant) => times(mutant) !== 1).map(({ id }) => id)).toEqual([])
})

test('every mutant has tests of npm test', () => {
  const isThere = (file: string) => existsSync(placeOf(file)) && !file.endsWith('.long.test.ts')
  const without = mutants.filter(({ killedBy }) => killedBy.length === 0 || !killedBy.every(isThere))
  expect(without.map(({ id }) => id)).toEqual([])
})

test('mutants are drawn at random', () => {
  const args = [placeOf('test/mutants/draw.mjs'), '--seed', '2', '--count', '1']
  const [drawn, ...others] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Mutant[]
  expect(others).toEqual([])
  expect(existsSync(placeOf(drawn?.file ?? ''))).toBe(true)
})
