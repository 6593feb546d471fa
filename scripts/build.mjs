// Bundles programs of a workspace into its dist/: our own code inside, npm packages outside. Runs in the folder of the
// workspace. The argument `api=src/main.ts` makes dist/api.js.
import { writeFileSync } from 'node:fs'
import { build } from 'esbuild'

const programs = process.argv.slice(2).map((argument) => argument.split('='))

await build({
  entryPoints: programs.map(([name, file]) => ({ out: name, in: file })),
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  sourcemap: 'linked',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  logLevel: 'warning',
  plugins: [npmPackagesOutside()],
})
// run.mjs compares this hash with the sources to see whether the bundles are up to date.
writeFileSync('dist/.hash', process.env.TURBO_HASH ?? '')

function npmPackagesOutside() {
  return {
    name: 'npm-packages-outside',
    setup({ onResolve }) {
      onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        if (kind === 'entry-point' || path.startsWith('@dexfeed/')) return undefined
        return { path, external: true }
      })
    },
  }
}
