// Builds dist/, the package as it is published: JavaScript, types, a separate manifest and the README.
import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = dirname(fileURLToPath(import.meta.url))
const dist = join(folder, 'dist')
const { name, version, license, type } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const typescript = createRequire(import.meta.url).resolve('typescript/package.json')
const { bin } = JSON.parse(readFileSync(typescript, 'utf8'))

rmSync(dist, { recursive: true, force: true })
const compiler = join(dirname(typescript), bin.tsc)
execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: folder, stdio: 'inherit' })
copyFileSync(join(folder, 'README.md'), join(dist, 'README.md'))
const manifest = {
  ...{ name, version, license, type },
  description: 'Typed client of the dexfeed API',
  engines: { node: '>=20.19' },
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
  types: './index.d.ts',
  sideEffects: false,
}
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
