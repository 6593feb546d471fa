import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

const DIST = join(import.meta.dirname, 'dist')

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [compressFiles()],
  build: {
    outDir: DIST,
    // The page's content security policy forbids data URLs.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  // `npx vite` reloads the page on changes, while the API runs separately.
  server: { proxy: { '^/(api|v1|status|docs|openapi.json)': { target: 'http://127.0.0.1:3000' } } },
})

/** Writes `.gz` and `.br` files, so that the API does not compress, and the hash that run.mjs reads. */
function compressFiles(): Plugin {
  return {
    name: 'compress-files',
    apply: 'build',
    closeBundle() {
      const entries = readdirSync(DIST, { recursive: true, withFileTypes: true })
      for (const entry of entries.filter((dirent) => dirent.isFile())) {
        const file = join(entry.parentPath, entry.name)
        const body = readFileSync(file)
        writeFileSync(`${file}.gz`, gzipSync(body, { level: 9 }))
        const size = { [constants.BROTLI_PARAM_SIZE_HINT]: body.length }
        writeFileSync(`${file}.br`, brotliCompressSync(body, { params: size }))
      }
      // biome-ignore lint/style/noProcessEnv: set by Turborepo, not an operator
      writeFileSync(join(DIST, '.hash'), process.env.TURBO_HASH ?? '')
    },
  }
}
