import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Of the workspace whose tests run, or of the repository. */
const { name, dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
const asksForDatabases = name === 'dexfeed' || '@dexfeed/test-setup' in { ...dependencies, ...devDependencies }

const setup = (file: string) => fileURLToPath(new URL(`test/setup/${file}`, import.meta.url))

/** Unit tests lie beside the code, scenarios in `test` folders. Vitest finds this file from every workspace. */
export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/{node_modules,dist,.data}/**'],
    globalSetup: asksForDatabases ? setup('postgres.ts') : [],
    setupFiles: asksForDatabases ? setup('close-file.ts') : [],
    pool: 'forks',
    // A process loads the code once for all files that it runs: ethers, Prisma and Express take a second.
    isolate: false,
    // Turborepo runs as many workspaces at a time as there are processors.
    maxWorkers: process.env.TURBO_HASH ? 1 : 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    // What is waited for comes; how soon, the machine says.
    expect: { poll: { timeout: 30_000 } },
  },
})
