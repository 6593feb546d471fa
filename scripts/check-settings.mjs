// Checks settings before a program is built, which takes one second instead of a minute.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const CHECKS = {
  start: 'checkStackEnvironment',
  indexer: 'checkIndexerEnvironment',
  api: 'checkApiEnvironment',
  migrate: 'checkMigrateEnvironment',
  lake: 'checkLakeEnvironment',
}

/** Returns the problems that the program itself would report, one line each. */
export async function settingsProblems(command, environment) {
  const check = CHECKS[command]
  if (check === undefined) return []
  // Imported here, because production installations lack esbuild and build nothing.
  const { build } = await import('esbuild')
  const data = join(root, '.data')
  const outfile = join(data, `check-settings-${process.pid}.mjs`)
  mkdirSync(data, { recursive: true })
  try {
    await build({
      entryPoints: [join(root, 'packages/service/src/environment/check-environment.ts')],
      ...{ outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external', logLevel: 'silent' },
      alias: { '@dexfeed/dex': join(root, 'packages/dex/src/index.ts') },
    })
    const checks = await import(pathToFileURL(outfile).href)
    const readText = (path) => readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
    return checks[check](environment, readText).problems ?? []
  } finally {
    rmSync(outfile, { force: true })
  }
}
