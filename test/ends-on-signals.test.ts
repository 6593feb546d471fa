import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createLogger, isProcessAlive, projectRoot, stopAbandonedPostgres } from '@dexfeed/service'
import { expect, inject, onTestFinished, test } from 'vitest'

const LOOK_MS = 200
const IS_LONG = inject('scale') > 1
const LIMIT_MS = 180_000

interface Member {
  pid: number
  command: string
}

function familyOf(pid: number): Member[] {
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,command='], { encoding: 'utf8' }).split('\n')
  const all = lines.flatMap((line) => {
    const [, own, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return command === undefined ? [] : [{ pid: Number(own), parent: Number(parent), command }]
  })
  const childrenOf = (parent: number): Member[] =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each, ...childrenOf(each.pid)])
  return childrenOf(pid)
}

function start(args: readonly string[]): { program: ChildProcess; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'dexfeed-signals-'))
  chmodSync(folder, 0o755)
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: folder }
  const program = spawn(process.execPath, ['scripts/run.mjs', ...args], { cwd: projectRoot(), env, stdio: 'ignore' })
  onTestFinished(async () => {
    program.kill('SIGKILL')
    const log = createLogger({ name: 'test', level: 'warn' })
    for (const name of readdirSync(folder)) await stopAbandonedPostgres(join(folder, name, 'postgres'), log)
    rmSync(folder, { recursive: true, force: true })
  })
  return { program, folder }
}

async function withIndexer(program: ChildProcess): Promise<Member[]> {
  for (;;) {
    const family = familyOf(program.pid ?? 0)
    if (family.some(({ command }) => command.includes('dist/indexer.js'))) return family
    if (program.exitCode !== null) throw new Error(`the program has ended with ${program.exitCode}`)
    await delay(LOOK_MS)
  }
}

const STOPPED: [NodeJS.Signals, string, string[]][] = [['SIGTERM', 'bench', ['index', '--swaps', '2000']]]
const OTHERS: typeof STOPPED = [
  ['SIGINT', 'simulate', ['--blocks', '2000']],
  ['SIGINT', 'bench', ['live', '--blocks', '600']],
  ['SIGINT', 'bench', ['mainnet', '--pools', '20', '--cycle', '32', '--days', '0.001']],
]

test.each(IS_LONG ? [...STOPPED, ...OTHERS] : STOPPED)(
  '%s to %s leaves no process and no folder',
  async (signal, command, args) => {
    const { program, folder } = start([command, ...args])
    const family = await withIndexer(program)
    expect(family.some(({ command }) => command.includes(folder))).toBe(true)
    program.kill(signal)
    const [exitCode] = await once(program, 'exit')
    expect(exitCode).toBe(0)
    expect(readdirSync(folder)).toEqual([])
    expect(family.filter(({ pid }) => isProcessAlive(pid))).toEqual([])
  },
  LIMIT_MS,
)

test.runIf(IS_LONG)('a worker ends if its simulation is killed while the worker starts', async () => {
  // So many runs that they do not end before they are killed.
  const { program } = start(['simulate', '--blocks', '2000', '--runs', '1000000'])
  const family = await withIndexer(program)
  program.kill('SIGKILL')
  await once(program, 'exit')
  const workers = family.filter(({ command }) => command.includes('dist/indexer.js'))
  while (workers.some(({ pid }) => isProcessAlive(pid))) await delay(LOOK_MS)
})
