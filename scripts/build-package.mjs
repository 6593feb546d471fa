// Builds dist/ of a published workspace: JavaScript, types, a manifest and the README. Runs in its folder. Only exports
// among the `files` of tsconfig.build.json are published; the others are for this repository.
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))
const compilerManifest = createRequire(import.meta.url).resolve('typescript/package.json')
const compiler = join(dirname(compilerManifest), readJson(compilerManifest).bin.tsc)

rmSync('dist', { recursive: true, force: true })
execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { stdio: 'inherit' })
copyFileSync(join(root, 'LICENSE'), 'dist/LICENSE')
for (const file of ['README.md', 'CHANGELOG.md']) if (existsSync(file)) copyFileSync(file, `dist/${file}`)

const { name, version, description, license, type, sideEffects, exports, dependencies } = readJson('package.json')
const { files } = readJson('tsconfig.build.json')
const published = Object.entries(exports).filter(([, file]) => files.includes(file.replace('./', '')))
const manifest = {
  ...{ name, version, description, license, type, sideEffects },
  engines: readJson(join(root, 'package.json')).engines,
  exports: Object.fromEntries(published.map(([path, file]) => [path, builtFile(file)])),
  dependencies: dependencies && Object.fromEntries(Object.entries(dependencies).map(compatible)),
}
writeFileSync('dist/package.json', `${JSON.stringify(manifest, null, 2)}\n`)

/** A range instead of the exact version lets users share one copy with their other packages. */
function compatible([dependency, exact]) {
  return [dependency, `^${exact}`]
}

function builtFile(source) {
  const path = source.replace('./src/', './').replace(/\.ts$/, '')
  return { types: `${path}.d.ts`, default: `${path}.js` }
}
