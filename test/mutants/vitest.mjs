import { fileURLToPath } from 'node:url'
import { createVitest } from 'vitest/node'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export function openVitest(config, options = {}, ...plugins) {
  const all = { root, config: `${root}${config}`, watch: false, maxWorkers: 1, reporters: [{}], silent: true }
  return createVitest('test', { ...all, ...options }, { plugins })
}

/** Unit tests start no Postgres. */
export async function configurations() {
  const vitest = await openVitest('vitest.unit.config.ts')
  const unit = new Set((await vitest.globTestSpecifications()).map(({ moduleId }) => moduleId))
  await vitest.close()
  return (files) => (files.every((file) => unit.has(`${root}${file}`)) ? 'vitest.unit.config.ts' : 'vitest.config.ts')
}

/** Returns `passed`, `failed: …` with the first failed test, or `error: …` if the tests prove nothing. */
export async function verdictOf(vitest, files) {
  await vitest.start(files)
  const modules = vitest.state.getTestModules()
  const broken = modules.find((module) => module.children.size === 0)
  if (broken) return `error: ${broken.relativeModuleId} has no tests: ${broken.errors()[0]?.message}`
  const failed = modules.find((module) => module.state() === 'failed')
  if (failed) {
    const [test] = failed.children.allTests('failed')
    return `failed: ${test?.fullName ?? failed.relativeModuleId}`
  }
  const missing = files.filter((file) => !modules.some(({ moduleId }) => moduleId === `${root}${file}`))
  if (missing.length > 0) return `error: not in npm test: ${missing.join(', ')}`
  const [error] = vitest.state.getUnhandledErrors()
  return error ? `error: ${error.message}` : 'passed'
}
