import { fileURLToPath } from 'node:url'
import { createVitest } from 'vitest/node'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Returns a Vitest with one worker for test files of `npm test`. It starts no Postgres if none of them needs it. */
export async function openVitest(files, options = {}, ...plugins) {
  const all = { root, watch: false, maxWorkers: 1, reporters: [{}], silent: true, ...options }
  for (const config of ['vitest.unit.config.ts', 'vitest.config.ts']) {
    const vitest = await createVitest('test', { ...all, config: `${root}${config}` }, { plugins })
    const found = await vitest.globTestSpecifications(files)
    if (files.every((file) => found.some(({ moduleId }) => moduleId === `${root}${file}`))) return vitest
    await vitest.close()
  }
  throw new Error(`some of these are not in npm test: ${files.join(', ')}`)
}

/** Returns `passed`, `failed` if a test or its preparation failed, or an error: a file that cannot be loaded shows nothing. */
export function verdictOf(vitest) {
  const modules = vitest.state.getTestModules()
  if (modules.length === 0) return 'error: there are no tests'
  const broken = modules.find((module) => module.children.size === 0)
  if (broken) return `error: ${broken.relativeModuleId} has no tests: ${broken.errors()[0]?.message}`
  if (modules.some((module) => module.state() === 'failed')) return 'failed'
  const [error] = vitest.state.getUnhandledErrors()
  return error ? `error: ${error.message}` : 'passed'
}
