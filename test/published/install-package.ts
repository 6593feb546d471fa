import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const require = createRequire(import.meta.url)
const OPTIONS = '--strict --noEmit --module nodenext --target es2023 --lib es2023,dom'.split(' ')

interface InstalledPackage {
  examples: readonly string[]
  runCode(code: string): Promise<string>
  /** Compiles pieces of code strictly. Returns the lines with errors, such as `example:3`. */
  findErrors(codes: Readonly<Record<string, string>>): Promise<string[]>
  remove(): void
}

/** Installs a packed workspace into an empty folder, with the `others` that its README installs beside it. */
export async function installPackage(workspace: string, others: readonly string[] = []): Promise<InstalledPackage> {
  const folder = mkdtempSync(join(tmpdir(), 'dexfeed-published-'))
  const inFolder = (file: string, args: readonly string[]) => run(file, args, { cwd: folder })
  const built = join(root, workspace, 'dist')
  const { name } = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const flags = ['--install-links', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund']
  await inFolder('npm', ['install', ...flags, built, ...others])
  const manifest = require.resolve('typescript/package.json')
  const compiler = join(dirname(manifest), require(manifest).bin.tsc)
  const readme = readFileSync(join(folder, 'node_modules', name, 'README.md'), 'utf8')
  return {
    examples: [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code),
    runCode: async (code) => {
      writeFileSync(join(folder, 'example.js'), code)
      return (await inFolder(process.execPath, ['example.js'])).stdout
    },
    findErrors: async (codes) => {
      const files = Object.keys(codes).map((name) => `${name}.ts`)
      for (const [name, code] of Object.entries(codes)) writeFileSync(join(folder, `${name}.ts`), code)
      const compiled = inFolder(process.execPath, [compiler, ...OPTIONS, ...files])
      const output: string = await compiled.then(
        () => '',
        (error) => error.stdout,
      )
      const errors = output.match(/^\S.*error TS.*$/gm) ?? []
      return [...new Set(errors.map((error) => error.replace(/\.ts\((\d+),.*$/, ':$1')))]
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
