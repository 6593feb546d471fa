import { afterAll, afterEach, expect, test } from 'vitest'
import { openPrograms } from './program.ts'

const programs = openPrograms()

afterEach(() => programs.kill())
afterAll(() => programs.close())

const OPEN = `
import { createLogger } from './logger.ts'
import { openShutdown, shutDownWithProcess } from './shutdown.ts'
const log = createLogger({ name: 'test', level: 'info' })
const shutdown = openShutdown({ log, graceMs: 60_000 })
shutDownWithProcess(shutdown, log)
void shutdown.ended.then((exitCode) => process.exit(exitCode))
const alive = setInterval(() => {}, 1000)
const say = (text) => process.stdout.write(text + '\\n')
`

const ORDERLY = `${OPEN}
shutdown.add('database', () => say('closed database'))
shutdown.add('server', async () => { await new Promise((resolve) => setTimeout(resolve, 20)); say('closed server') })
shutdown.signal.addEventListener('abort', () => say('aborted'))
say('ready')
`

const STUCK = `${OPEN}
shutdown.add('stuck', () => { say('closing'); return new Promise(() => {}) })
say('ready')
`

const spoken = (output: string) => output.split('\n').filter((line) => line !== '' && !line.startsWith('{'))

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s closes everything in reverse order and ends with code 0',
  async (signal) => {
    const program = await programs.start(ORDERLY)
    await program.line('ready')
    program.process.kill(signal)
    expect(await program.end()).toBe(0)
    expect(spoken(program.output())).toEqual(['ready', 'aborted', 'closed server', 'closed database'])
  },
)

test('the program ends if its parent is lost', async () => {
  const program = await programs.start(ORDERLY)
  await program.line('ready')
  program.process.disconnect()
  expect(await program.end()).toBe(0)
  expect(spoken(program.output())).toContain('closed database')
})

test('the loss of the parent before a listener exists is noticed too', async () => {
  const program = await programs.start(
    ORDERLY.replace(
      'const shutdown',
      `
    while (process.connected) await new Promise((resolve) => setTimeout(resolve, 1))
    const shutdown`,
    ),
  )
  program.process.disconnect()
  expect(await program.end()).toBe(0)
  expect(spoken(program.output())).toContain('closed database')
})

test('what takes too long to close is abandoned, the rest is still closed, and the code is 1', async () => {
  const program = await programs.start(
    `${ORDERLY}
    shutdown.add('stuck', () => new Promise(() => {}), 50)`,
  )
  await program.line('ready')
  program.process.kill('SIGTERM')
  expect(await program.end()).toBe(1)
  expect(program.output()).toContain('"what":"stuck"')
  expect(spoken(program.output())).toContain('closed database')
})

test('a second signal ends the process immediately, but not one that npm has only forwarded', async () => {
  const program = await programs.start(STUCK)
  await program.line('ready')
  program.process.kill('SIGINT')
  await program.line('closing')
  const again = setInterval(() => program.process.kill('SIGINT'), 50)
  expect(await program.end()).toBe(1)
  clearInterval(again)
  expect(spoken(program.output())).toEqual(['ready', 'closing'])
})

test.each([
  ['an uncaught exception', `setTimeout(() => { throw new Error('boom https://host/KEY') })`],
  ['an unhandled rejection', `Promise.reject(new Error('boom https://host/KEY'))`],
])('%s is logged, closes what is open and ends with code 1', async (_, accident) => {
  const program = await programs.start(`${ORDERLY};${accident}`)
  expect(await program.end()).toBe(1)
  expect(program.output()).toContain('boom https://host/***')
  expect(program.output()).not.toContain('KEY')
  expect(spoken(program.output())).toContain('closed database')
})

test('a failure to close is code 1, and the rest is still closed', async () => {
  const program = await programs.start(`${ORDERLY}
    shutdown.add('broken', () => { throw new Error('cannot') })
    shutdown.begin('test', 0)`)
  expect(await program.end()).toBe(1)
  expect(spoken(program.output())).toContain('closed database')
})

test('something that opens after the signal is closed, too', async () => {
  const program = await programs.start(`${OPEN}
    let opened
    const start = async () => {
      say('starting')
      await new Promise((resolve) => shutdown.signal.addEventListener('abort', resolve))
      await new Promise((resolve) => setTimeout(resolve, 20))
      shutdown.add('late', () => say('closed late'))
    }
    shutdown.after(start())`)
  await program.line('starting')
  program.process.kill('SIGTERM')
  expect(await program.end()).toBe(0)
  expect(spoken(program.output())).toEqual(['starting', 'closed late'])
})
