import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { unitTests } from './scripts/unit-tests.mjs'
import all from './vitest.config.ts'

/** `npm run test:unit`: the tests that need no database, no chain and no other process. */
export default defineConfig({
  test: {
    ...all.test,
    include: unitTests(import.meta.dirname),
    // Only those of the seed: the others are for databases.
    globalSetup: all.test?.globalSetup?.slice(0, 1) ?? [],
    setupFiles: all.test?.setupFiles?.slice(0, 1) ?? [],
    maxWorkers: availableParallelism(),
  },
})
