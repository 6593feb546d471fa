import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const setup = (file: string) => fileURLToPath(new URL(`test/setup/${file}`, import.meta.url))

/** What takes long: chains, programs, silences and random cases. */
const SLOW =
  /testDevnet\(|startLocalChain\(|scripted(World|Scene|Chain)\(|startPrograms?\(|simulate\(|runBench\(|openTcpProxy\(|inject\('scale'\)/
/** A browser takes all cores while it loads a page: about one at a time, beside tests that wait. */
const BROWSER = /openBrowser\(/
const BROWSER_EVERY = 12

/**
 * More workers than cores: scenarios mostly wait for a chain's next block, a time-out or another process. At most
 * eight: they share the connections of one Postgres.
 */
const WORKERS = Math.min(2 * availableParallelism(), 8)

/** Starts slow files and browsers first, so that none runs alone at the end. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weight = ({ moduleId }: TestSpecification) => {
      const text = readFileSync(moduleId, 'utf8')
      if (BROWSER.test(text)) return Infinity
      const isScenario = !/\/src\//.test(moduleId) || /\/src\/.*\/test\//.test(moduleId)
      return Number(SLOW.test(text)) * 2 + Number(isScenario)
    }
    const weights = new Map(files.map((file) => [file, weight(file)]))
    const browsers = files.filter((file) => weights.get(file) === Infinity)
    const others = files.filter((file) => weights.get(file) !== Infinity)
    others.sort((one, other) => (weights.get(other) ?? 0) - (weights.get(one) ?? 0))
    for (const [at, file] of browsers.entries()) others.splice(at * BROWSER_EVERY, 0, file)
    return others
  }
}

/** `npm test`: unit tests lie beside the code, scenarios in `test` folders. `*.long.test.ts` is `npm run test:long`. */
export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/{node_modules,dist,.data}/**', '**/*.long.test.ts'],
    globalSetup: [setup('show-seed.ts'), setup('postgres.ts')],
    setupFiles: [setup('seed.ts'), setup('close-file.ts')],
    provide: { seed: Number(process.env.SEED ?? 1), scale: 1 },
    pool: 'forks',
    // A process loads the code once for all its files: ethers, Prisma and Express take a second.
    isolate: false,
    maxWorkers: WORKERS,
    sequence: { sequencer: SlowFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    // How soon a condition holds depends on the machine. Each check costs processor time, often for a new connection.
    expect: { poll: { timeout: 30_000, interval: 150 } },
  },
})
