import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'

/** Throws if the text does not occur exactly once. */
export function mutate({ id, file, find, replace }, source) {
  const [before, after, ...more] = source.split(find)
  if (after === undefined || more.length > 0) {
    throw new Error(`${id}: its text occurs ${more.length + (after === undefined ? 0 : 1)} times in ${file}, not once`)
  }
  const mutated = before + replace + after
  const [error] = parseSync(file, mutated).errors
  if (error) throw new Error(`${id}: ${file} does not parse with it: ${error.message}`)
  return mutated
}

export function readMutants(ids = []) {
  const all = JSON.parse(readFileSync(new URL('mutants.json', import.meta.url), 'utf8'))
  const unknown = ids.filter((id) => !all.some((mutant) => mutant.id === id))
  if (unknown.length > 0) throw new Error(`no such mutants: ${unknown.join(', ')}`)
  return ids.length === 0 ? all : all.filter(({ id }) => ids.includes(id))
}

/** Mutates one module as Vite loads it. `isApplied` tells whether it was loaded. */
export function mutantPlugin(root, mutant) {
  const path = join(root, mutant.file)
  let applied = false
  return {
    name: 'mutant',
    enforce: 'pre',
    transform(code, id) {
      if (id.split('?')[0] !== path) return undefined
      applied = true
      return { code: mutate(mutant, code), map: null }
    },
    isApplied: () => applied,
  }
}
