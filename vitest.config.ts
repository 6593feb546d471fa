import { defineConfig } from 'vitest/config'

/** Unit tests lie beside the code, scenarios in `test` folders; all of them may ask for a database. */
export default defineConfig({
  test: {
    include: ['{apps,packages}/*/{src,test}/**/*.test.ts', '{scripts,test}/**/*.test.ts'],
    globalSetup: 'test/setup/postgres.ts',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
  },
})
