import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { isProcessAlive } from '../src/process-alive.ts'
import { openPrograms } from './program.ts'

const programs = openPrograms()
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dexfeed-supervise-'))
  writeFileSync(join(folder, 'good.mjs'), child(`say('stopping'); process.exit(0)`))
  writeFileSync(join(folder, 'stuck.mjs'), child(''))
})

afterAll(() => programs.close())

afterEach(() => {
  programs.kill()
  rmSync(folder, { recursive: true })
})

/** Returns a program that prints its process id, runs this code on SIGTERM, and ends with its parent. */
function child(atTerm: string): string {
  return `
    const say = (text) => process.stdout.write(process.env.NAME + ' ' + text + '\\n')
    process.on('SIGTERM', () => { ${atTerm} })
    process.on('SIGINT', () => say('interrupted'))
    process.on('disconnect', () => process.exit(0))
    setInterval(() => {}, 1000)
    say('pid ' + process.pid)
  `
}

/** A parent like scripts/start.ts. */
const parent = (files: string[]) => `
import { createLogger } from './logger.ts'
import { openShutdown, shutDownWithProcess } from './shutdown.ts'
import { supervise } from './supervise.ts'
const log = createLogger({ name: 'parent', level: 'info' })
const shutdown = openShutdown({ log })
shutDownWithProcess(shutdown, log)
void shutdown.ended.then((exitCode) => process.exit(exitCode))
const names = ['indexer', 'api']
const programs = ${JSON.stringify(files)}.map((file, at) => ({ name: names[at], file, env: { NAME: names[at] } }))
const supervisor = supervise({ programs, log, stopMs: 200 })
shutdown.add('programs', () => supervisor.stop())
supervisor.ended.then(({ name, how, exitCode }) => shutdown.begin(name + ' ended: ' + how, exitCode))
`

async function startParent(...files: string[]) {
  const program = await programs.start(parent(files.map((file) => join(folder, `${file}.mjs`))))
  const pids = await Promise.all(
    ['indexer', 'api'].map(async (name) => Number((await program.line(`${name} pid`)).split(' ')[2])),
  )
  return { program, pids }
}

test('the programs are stopped in the opposite order of their start', async () => {
  const { program, pids } = await startParent('good', 'good')
  program.process.kill('SIGTERM')
  expect(await program.end()).toBe(0)
  const spoken = program.output().split('\n')
  expect(spoken.filter((line) => line.endsWith('stopping'))).toEqual(['api stopping', 'indexer stopping'])
  expect(pids.filter(isProcessAlive)).toEqual([])
})

test('a Ctrl-C in the terminal reaches only the parent', async () => {
  const { program } = await startParent('good', 'good')
  process.kill(-program.pid, 'SIGINT')
  expect(await program.end()).toBe(0)
  expect(program.output()).not.toContain('interrupted')
})

test('a program that does not stop is killed', async () => {
  const { program, pids } = await startParent('stuck', 'good')
  program.process.kill('SIGTERM')
  expect(await program.end()).toBe(0)
  expect(program.output()).toContain('does not stop and is killed')
  expect(pids.filter(isProcessAlive)).toEqual([])
})

test('a program that ends by itself ends the others, and its exit code is returned', async () => {
  const { program, pids } = await startParent('good', 'good')
  process.kill(pids[1] ?? 0, 'SIGKILL')
  expect(await program.end()).toBe(1)
  expect(program.output()).toMatch(/"reason":"api ended: SIGKILL, by somebody, or by the system when memory runs out"/)
  expect(program.output()).toContain('indexer stopping')
  expect(pids.filter(isProcessAlive)).toEqual([])
})

test('programs whose parent was killed end by themselves', async () => {
  const { program, pids } = await startParent('good', 'good')
  program.process.kill('SIGKILL')
  expect(await program.end()).toBe('SIGKILL')
  await expect.poll(() => pids.filter(isProcessAlive)).toEqual([])
})
