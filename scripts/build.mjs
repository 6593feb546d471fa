// Bundles every program of the repository into dist/: workspace code inside, npm packages outside.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = new URL('..', import.meta.url).pathname

/** Program name -> entry file. */
export const PROGRAMS = {
  indexer: 'apps/indexer/src/main.ts',
  api: 'apps/api/src/main.ts',
  migrate: 'scripts/migrate.ts',
  start: 'scripts/start.ts',
  demo: 'scripts/demo.ts',
}

const SOURCES = ['apps', 'packages', 'scripts', 'prisma']

/** Time of the newest source file, in ms. */
export function newestSource() {
  let newest = 0
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.name === 'node_modules' || entry.name === 'dist') continue
      const path = join(folder, entry.name)
      if (entry.isDirectory()) walk(path)
      else newest = Math.max(newest, statSync(path).mtimeMs)
    }
  }
  for (const folder of SOURCES) walk(join(root, folder))
  return newest
}

export async function bundle() {
  await build({
    absWorkingDir: root,
    entryPoints: Object.entries(PROGRAMS).map(([out, entry]) => ({ out, in: entry })),
    outdir: 'dist',
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'linked',
    splitting: true,
    logLevel: 'warning',
    plugins: [
      {
        name: 'npm-packages-stay-outside',
        setup({ onResolve }) {
          onResolve({ filter: /^[^./]/ }, ({ path }) => (path.startsWith('@dexfeed/') ? undefined : { path, external: true }))
        },
      },
    ],
  })
}

if (process.argv[1] === new URL(import.meta.url).pathname) await bundle()
