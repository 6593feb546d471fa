import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { logText } from './log-text.ts'
import { createLogger, type LoggerOptions } from './logger.ts'

const TIME = '2026-11-29T15:04:05.678Z'
const LOCAL = new Date(TIME).toTimeString().slice(0, 8)
const textOf = (fields: object) => logText(`${JSON.stringify({ level: 'warn', time: TIME, name: 'api', ...fields })}\n`)

/** Returns what a logger writes to a stream that is a terminal, or not. */
function written(isTTY: boolean, options: Partial<LoggerOptions>, fields: object): string {
  let text = ''
  const to = new Writable({
    write(chunk, _, done) {
      text += chunk
      done()
    },
  })
  const log = createLogger({ name: 'indexer', level: 'info', to: Object.assign(to, { isTTY }), ...options })
  log.warn(fields, 'rpc endpoint set aside')
  return text
}

test('a line for people has time, level, program, message and fields', () => {
  expect(textOf({ network: 'eth', block: 5, msg: 'committed', path: 'a b', list: [1] })).toBe(
    `${LOCAL}  warn   api:  committed  network=eth  block=5  path="a b"  list=[1]\n`,
  )
})

test('an error is its message, and has its place if the code did not expect it', () => {
  expect(textOf({ msg: 'failed', err: { type: 'StoreError', message: 'away' } })).toBe(
    `${LOCAL}  warn   api:  failed: away\n`,
  )
  const stack = 'TypeError: x\n    at a.ts:1'
  expect(textOf({ msg: 'failed', err: { message: 'x', stack } })).toBe(
    `${LOCAL}  warn   api:  failed: x\n    TypeError: x\n    at a.ts:1\n`,
  )
})

test('text from outside neither begins a line nor controls the terminal', () => {
  const outside = 'a\nb\u001b[2J\u009b\u2028'
  const inside = 'a\\u000ab\\u001b[2J\\u009b\\u2028'
  expect(textOf({ msg: outside })).toBe(`${LOCAL}  warn   api:  ${inside}\n`)
  expect(textOf({ msg: 'x', path: outside }).trimEnd()).toMatch(/^[^\p{Cc}\p{Zl}]+$/u)
})

test('a log is text on a terminal and JSON elsewhere, unless LOG_FORMAT says otherwise', () => {
  const fields = { endpoint: 'http://node/SECRET' }
  const text = 'rpc endpoint set aside  endpoint=http://node/***\n'
  expect(written(true, {}, fields)).toContain(text)
  expect(written(false, { format: 'text' }, fields)).toContain(text)
  for (const json of [written(false, {}, fields), written(true, { format: 'json' }, fields)]) {
    expect(JSON.parse(json)).toMatchObject({ level: 'warn', name: 'indexer', endpoint: 'http://node/***' })
  }
})

test('a dead node is one line without a stack, except in detailed logs', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { syscall: 'connect' })
  const err = Object.assign(new Error('http://node: the connection was refused', { cause: refused }), {
    retryable: true,
  })
  for (const error of [err, refused]) {
    expect(written(true, {}, { err: error }).trimEnd().split('\n')).toHaveLength(1)
    expect(JSON.parse(written(false, {}, { err: error })).err).toEqual({ type: 'Error', message: error.message })
    expect(JSON.parse(written(false, { level: 'debug' }, { err: error })).err.stack).toContain('log-text.test')
  }
  expect(JSON.parse(written(false, {}, { err: new Error('unexpected') })).err.stack).toContain('log-text.test')
})
