import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Of the workspace whose tests run, or of the repository. */
const { name, dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
const asksForDatabases = name === 'dexfeed' || '@dexfeed/test-setup' in { ...dependencies, ...devDependencies }

/** Unit tests lie beside the code, scenarios in `test` folders. Vitest finds this file from every workspace. */
export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/{node_modules,dist,.data}/**'],
    globalSetup: asksForDatabases ? fileURLToPath(new URL('test/setup/postgres.ts', import.meta.url)) : [],
    pool: 'forks',
    // Turborepo runs as many workspaces at a time as there are processors.
    maxWorkers: process.env.TURBO_HASH ? 1 : 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    // What is waited for comes; how soon, the machine says.
    expect: { poll: { timeout: 30_000 } },
  },
})
