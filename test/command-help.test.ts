import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COMMANDS } from '@dexfeed/service/command-help'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

const OF_OTHERS = ['lint', 'lint:types', 'boundaries', 'unused', 'changeset']
const WITH_PACKAGE = ['structure', 'commits']
const OURS = Object.keys(scripts).filter((name) => !OF_OTHERS.includes(name))
const BENCHES = Object.keys(COMMANDS).filter((name) => name.startsWith('bench '))

const FORBIDDING = `
import childProcess from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
const refuse = (name) => () => { throw new Error('--help used ' + name) }
net.Socket.prototype.connect = refuse('connect')
for (const name of ['spawn', 'spawnSync', 'exec', 'execFile', 'execFileSync', 'fork']) childProcess[name] = refuse(name)
for (const name of ['writeFileSync', 'mkdirSync', 'rmSync', 'symlinkSync']) fs[name] = refuse(name)
syncBuiltinESMExports()
`

/** A clone with only the files that npm commands load first. */
let clone: string

beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), 'dexfeed-help-'))
  const isSource = (path: string) => !/node_modules|\/dist|\.turbo/.test(path.slice(root.length))
  cpSync(join(root, 'scripts'), join(clone, 'scripts'), { recursive: true, filter: isSource })
  mkdirSync(join(clone, 'packages/service/src'), { recursive: true })
  cpSync(join(root, 'packages/service/src/command-help.mjs'), join(clone, 'packages/service/src/command-help.mjs'))
  writeFileSync(join(clone, 'forbidding.mjs'), FORBIDDING)
})

afterAll(() => rmSync(clone, { recursive: true }))

function helpOf(command: string, flag: string): string {
  const [name = '', ...parts] = command.split(' ')
  const [, script = '', ...given] = /scripts\/(\S+)(?: (\S+))?/.exec(scripts[name] ?? '') ?? []
  const args = [...given.filter((text) => text !== undefined), ...parts, flag]
  const before = readdirSync(clone, { recursive: true })
  const options = [
    '--import',
    join(clone, 'forbidding.mjs'),
    join(WITH_PACKAGE.includes(name) ? root : clone, 'scripts', script),
  ]
  const text = execFileSync(process.execPath, [...options, ...args], { cwd: clone, env: {}, encoding: 'utf8' })
  expect(readdirSync(clone, { recursive: true })).toEqual(before)
  return text
}

describe('--help', () => {
  it.each([...OURS, ...BENCHES])('of %s needs no package, and writes, connects and starts nothing', (command) => {
    const text = helpOf(command, '--help')
    const known = COMMANDS[command]
    expect(text).toContain(`npm ${['test', 'start'].includes(command) ? '' : 'run '}${command.split(' ')[0]}`)
    expect(text).toContain(known?.does)
    for (const [name = '', meaning = '', note = ''] of [...(known?.options ?? []), ...(known?.settings ?? [])]) {
      expect(text).toContain(name)
      expect(text).toContain(meaning + (note === '' ? '' : ` (${note})`))
    }
  })

  it('is -h, too, and has the benchmarks', () => {
    expect(helpOf('migrate', '-h')).toBe(helpOf('migrate', '--help'))
    const [bench = ''] = /const BENCHES = \{([^}]+)\}/.exec(readFileSync(join(root, 'lab/bench/main.ts'), 'utf8')) ?? []
    const names = [...bench.matchAll(/^ {2}'?([\w-]+)'?:/gm)].map(([, name]) => `bench ${name}`)
    expect(BENCHES.sort()).toEqual(names.sort())
  })

  it.each([
    ['demo', 'scripts/demo/demo-settings.ts'],
    ['devnet', 'scripts/devnet/devnet-settings.ts'],
    ['indexer', 'apps/indexer/src/main.ts'],
    ['mcp', 'apps/mcp/src/mcp-arguments.ts'],
    ['export', 'apps/api/src/export/export-arguments.ts'],
    ['compare', 'apps/api/src/compare/compare-arguments.ts'],
    ['simulate', 'lab/simulation/main.ts'],
    ...['backfill', 'explain', 'verify', 'doctor', 'status'].map((name) => [name, `apps/indexer/src/cli/${name}.ts`]),
  ])('of %s has the options that the program reads', (command, file) => {
    const source = readFileSync(join(root, file), 'utf8')
    const commander = [...source.matchAll(/(?:option|Option|requiredOption)\('(--[\w-]+)/g)].map(([, name]) => name)
    const [, ...parsed] = /options = \{(.*)\}|options: \{(.*?\})|options = \{\n([^}]*)\}/.exec(source) ?? []
    const node = [
      ...`${parsed.join('')}${/options: (\{.*?\}) \}/.exec(source)?.[1] ?? ''}`.matchAll(
        /'?([\w-]+)'?: (?:\{|text|whole|choice)/g,
      ),
    ]
    const network = /networkOption\(/.test(source) ? ['--network'] : []
    const read = [...commander, ...node.map(([, name]) => `--${name}`), ...network]
    const shown = (COMMANDS[command]?.options ?? []).map(([name]) => name?.split(' ')[0])
    expect([...new Set(read)].sort()).toEqual(shown.sort())
  })

  it('of the benchmarks has the options that they read', () => {
    const source = readFileSync(join(root, 'lab/bench/options.ts'), 'utf8')
    const read = [...source.matchAll(/^ {2}'?([\w-]+)'?: (?:text|flag|whole|number|choice|\[)/gm)].map(
      ([, name]) => `--${name}`,
    )
    const shown = BENCHES.flatMap((name) => COMMANDS[name]?.options ?? []).map(([name]) => name?.split(' ')[0])
    expect(new Set(shown)).toEqual(new Set(read))
  })
})
