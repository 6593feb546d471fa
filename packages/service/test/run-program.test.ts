import { afterAll, afterEach, expect, test } from 'vitest'
import { openPrograms } from './program.ts'

const programs = openPrograms()

afterEach(() => programs.kill())
afterAll(() => programs.close())

const START = (body: string) => `
import { runProgram, checkApiEnvironment } from './index.ts'
runProgram('api', checkApiEnvironment, async ({ settings, log, shutdown }) => { ${body} })
`

test('a wrong environment ends the program before anything starts, with one line on standard error per problem', async () => {
  const env = { PATH: process.env.PATH, PORT: 'x', DATABASE_URL: 'mysql://u:SECRET@h/SECRET', LOG_FORMAT: 'text' }
  const program = await programs.start(START(`console.log('started')`), [], env)
  expect(await program.end()).toBe(1)
  expect(program.output().trim().split('\n')).toEqual([
    'DATABASE_URL: must begin with postgres://, postgresql://, not mysql://',
    'PORT: must be a whole number from 0 to 65535, not "x"',
  ])
})

test('a failed start prints one line per problem, without secrets, closes what it opened, and ends with code 1', async () => {
  const program = await programs.start(
    START(`
      shutdown.add('first', () => console.log('closed first'))
      throw new Error('no response from\\n  postgres://u:SECRET@h/SECRET\\nwrong chain')`),
    [],
    { PATH: process.env.PATH, LOG_LEVEL: 'silent', LOG_FORMAT: 'text' },
  )
  expect(await program.end()).toBe(1)
  expect(program.output().trim().split('\n')).toEqual([
    'api: no response from postgres://h/***',
    'api: wrong chain',
    'closed first',
  ])
})

test.each([
  ['a wrong environment', 'PORT: must be a whole number from 0 to 65535, not "x"', 'x'],
  ['a failed start', 'no response', '0'],
])('%s is a line of JSON where the log is', async (_, msg, port) => {
  const program = await programs.start(START(`throw new Error('no response')`), [], {
    PATH: process.env.PATH,
    PORT: port,
  })
  expect(await program.end()).toBe(1)
  const lines = program
    .output()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object)
  expect(lines).toContainEqual({ level: 'fatal', time: expect.any(String), name: 'api', msg })
})

test('a programming error is logged with its position', async () => {
  const program = await programs.start(START('undefined.x'), [], { PATH: process.env.PATH })
  expect(await program.end()).toBe(1)
  expect(program.output()).toContain('TypeError')
  expect(program.output()).toContain('"stack"')
})

test('an interrupted start does not report its failure', async () => {
  const body = `
    setInterval(() => {}, 1000)
    console.log('starting')
    await new Promise((_, reject) => shutdown.signal.addEventListener('abort', () => reject(new Error('interrupted'))))`
  const program = await programs.start(START(body), [], { PATH: process.env.PATH })
  await program.line('starting')
  program.process.kill('SIGINT')
  expect(await program.end()).toBe(0)
  expect(program.output()).not.toContain('interrupted')
})
