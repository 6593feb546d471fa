import { afterAll, afterEach, expect, test } from 'vitest'
import { openPrograms } from './program.ts'

const programs = openPrograms()

afterEach(() => programs.kill())
afterAll(() => programs.close())

async function logged(body: string): Promise<Record<string, unknown>[]> {
  const program = await programs.start(`
    import { createLogger } from './index.ts'
    const log = createLogger({ name: 'test', level: 'info' })
    ${body}`)
  await program.end()
  const lines = program.output().trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('a line is an object with level, time, program and message', async () => {
  expect(await logged(`log.info({ block: 5 }, 'committed'); log.debug('not shown')`)).toEqual([
    { level: 'info', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/), name: 'test', block: 5, msg: 'committed' },
  ])
})

test('every line is written, in order, even if the process ends directly after it', async () => {
  const lines = await logged(`for (let at = 0; at < 1000; at++) log.info({ at }, 'line'); process.exit(0)`)
  expect(lines.map(({ at }) => at)).toEqual(Array.from({ length: 1000 }, (_, at) => at))
})

test('no secret of a URL gets into a line, in any field', async () => {
  const [line] = await logged(`log.error({
    url: 'https://host/KEY',
    password: 'KEY',
    settings: { password: 'KEY', list: ['wss://host/KEY'] },
    req: { headers: { authorization: 'KEY', cookie: 'KEY' } },
    err: new Error('no response from postgres://user:KEY@host:5432/KEY', { cause: new Error('http://KEY@host') }),
  }, 'failed at https://host/KEY')`)
  expect(JSON.stringify(line)).not.toContain('KEY')
  expect(line).toMatchObject({ url: 'https://host/***', msg: 'failed at https://host/***' })
})

test('text that looks like a separate line stays inside its field', async () => {
  expect(await logged(`log.info({ path: '/x\\n{"level":"fatal"}' }, 'request')`)).toHaveLength(1)
})
