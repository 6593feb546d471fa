import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const setup = (file: string) => fileURLToPath(new URL(`test/setup/${file}`, import.meta.url))

/** What takes long: chains, programs and silences. */
const LONG = /testDevnet\(|startPrograms?\(|simulate\(|runBench\(|openTcpProxy\(/

/**
 * Two per core: scenarios mostly wait for a chain's next block, a time-out or another process. At most eight: they
 * share the connections of one Postgres.
 */
const WORKERS = Math.min(2 * availableParallelism(), 8)

/** Starts the long files first, so that no long one runs alone at the end. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weight = ({ moduleId }: TestSpecification) => {
      const isScenario = !/\/src\//.test(moduleId)
      return Number(LONG.test(readFileSync(moduleId, 'utf8'))) * 2 + Number(isScenario)
    }
    const weights = new Map(files.map((file) => [file, weight(file)]))
    return [...files].sort((one, other) => (weights.get(other) ?? 0) - (weights.get(one) ?? 0))
  }
}

/** Unit tests lie beside the code, scenarios in `test` folders. */
export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/{node_modules,dist,.data}/**'],
    globalSetup: setup('postgres.ts'),
    setupFiles: setup('close-file.ts'),
    pool: 'forks',
    // A process loads the code once for all its files: ethers, Prisma and Express take a second.
    isolate: false,
    maxWorkers: WORKERS,
    sequence: { sequencer: LongFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    // How soon a condition holds depends on the machine.
    expect: { poll: { timeout: 30_000 } },
  },
})
