import { defineConfig } from 'vitest/config'
import { longTests } from './scripts/long-tests.mjs'
import all from './vitest.config.ts'

/** `npm run test:long`: the hunts, which `*.long.test.ts` name, and all random tests with ten times as many cases. */
export default defineConfig({
  test: {
    ...all.test,
    include: longTests(import.meta.dirname),
    exclude: ['**/{node_modules,dist,.data}/**'],
    provide: { ...all.test?.provide, scale: 10 },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { ...all.test?.expect?.poll, timeout: 300_000 } },
  },
})
