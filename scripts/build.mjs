// Bundles programs of a workspace into its dist/: our own code inside, npm packages outside. Runs in the folder of the
// workspace, with arguments such as `api=src/main.ts`, which makes dist/api.js.
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
// By this run.mjs sees whether the bundles are those of the sources.
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
