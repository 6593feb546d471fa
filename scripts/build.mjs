// Bundles the programs of the repository into dist/: our own code inside, npm packages outside.
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Program name -> entry file. Each is dist/<name>.js afterwards. */
const ALL = {
  indexer: 'apps/indexer/src/main.ts',
  backfill: 'apps/indexer/src/cli/backfill.ts',
  explain: 'apps/indexer/src/cli/explain.ts',
  verify: 'apps/indexer/src/cli/verify.ts',
  api: 'apps/api/src/main.ts',
  migrate: 'scripts/migrate.ts',
  start: 'scripts/start.ts',
  demo: 'scripts/demo.ts',
  devnet: 'scripts/devnet.ts',
  simulate: 'scripts/simulate.ts',
  bench: 'bench/main.ts',
  'bench-node': 'bench/node/main.ts',
  'bench-floor': 'bench/floor/main.ts',
}

/** An image has no tests and no bench, and so not their programs. */
export const PROGRAMS = Object.fromEntries(Object.entries(ALL).filter(([, entry]) => existsSync(join(root, entry))))

/** Where everything lies that a bundle is made of. */
const SOURCES = [
  'apps',
  'packages',
  'scripts',
  'bench',
  'test/expected',
  'test/simulation',
  'prisma',
  'package-lock.json',
]

/** Written after a bundle is complete: one that was interrupted must not look fresh. */
const STAMP = join(root, 'dist', '.complete')

/** Whether a source is newer than the bundles. */
export function isStale() {
  const built = statSync(STAMP, { throwIfNoEntry: false })?.mtimeMs
  if (built === undefined || !Object.keys(PROGRAMS).every((name) => existsSync(join(root, 'dist', `${name}.js`)))) {
    return true
  }
  return SOURCES.some((source) => existsSync(join(root, source)) && newestIn(join(root, source)) >= built)
}

/** Bundles all programs, or just the named ones. */
export async function bundle(names = Object.keys(PROGRAMS)) {
  const started = new Date()
  await build({
    absWorkingDir: root,
    entryPoints: names.map((name) => ({ out: name, in: PROGRAMS[name] })),
    outdir: 'dist',
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    sourcemap: 'linked',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    logLevel: 'warning',
    plugins: [npmPackagesOutside],
  }).catch(() => {
    // esbuild has told why.
    throw new Error('the programs could not be bundled')
  })
  mkdirSync(join(root, 'dist'), { recursive: true })
  writeFileSync(STAMP, '')
  // A source that was changed while esbuild was reading is newer than the bundle.
  utimesSync(STAMP, started, started)
}

const npmPackagesOutside = {
  name: 'npm-packages-outside',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind === 'entry-point' || path.startsWith('@dexfeed/')) return undefined
      return { path, external: true }
    })
  },
}

/** Time of the newest file in a folder, in ms. What begins with a dot is nobody's source. */
function newestIn(path) {
  const found = statSync(path)
  if (!found.isDirectory()) return found.mtimeMs
  return readdirSync(path)
    .filter((name) => !name.startsWith('.') && name !== 'node_modules' && name !== 'dist')
    .reduce((newest, name) => Math.max(newest, newestIn(join(path, name))), 0)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2)
  const unknown = names.filter((name) => !(name in PROGRAMS))
  if (unknown.length > 0) throw new Error(`unknown programs: ${unknown.join(', ')}`)
  await bundle(names.length > 0 ? names : undefined)
}
