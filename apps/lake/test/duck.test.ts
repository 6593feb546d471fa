import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { Readable } from 'node:stream'
import { temporaryFolder } from '@dexfeed/test-setup'
import { expect, it } from 'vitest'
import { openDuck, quoted } from '../src/duck.ts'

/** Modules are shared between tests, so no mock replaces those that are loaded. */
function failToOpenOnce(): void {
  const { openSync } = fs
  fs.openSync = () => {
    restore()
    throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })
  }
  syncBuiltinESMExports()
  const restore = () => {
    fs.openSync = openSync
    syncBuiltinESMExports()
  }
}

const table = (path: string) =>
  `CREATE OR REPLACE TABLE t AS SELECT * FROM read_csv(${quoted(path)}, columns = {'n': 'BIGINT'}, auto_detect = false, header = false)`

it('a pipe that cannot be opened, or rows that fail early, fail the statement and nothing else', async () => {
  const duck = await openDuck(temporaryFolder(), new AbortController().signal)
  failToOpenOnce()
  await expect(duck.read(Readable.from(['1\n']), table)).rejects.toThrow('EMFILE')
  const text = new Readable({ read() {} })
  const read = duck.read(text, table)
  text.destroy(new Error('the connection was lost'))
  await expect(read).rejects.toThrow('the connection was lost')
  await duck.read(Readable.from(['1\n', '2\n']), table)
  expect(await duck.rows('SELECT count(*) FROM t')).toEqual([['2']])
  duck.close()
})

it('no statement begins after the signal, and names are shown on one line', async () => {
  const stopping = new AbortController()
  const duck = await openDuck(temporaryFolder(), stopping.signal)
  const lines: string[] = []
  for await (const line of duck.lines("SELECT 'a\\' || chr(9) || chr(10) || chr(27) AS name")) lines.push(line)
  expect(lines).toEqual(['name', 'a\\\\\\t\\n\\x1b'])
  stopping.abort()
  await expect(duck.run('SELECT 1')).rejects.toThrow('aborted')
  await expect(duck.rows('SELECT 1')).rejects.toThrow('aborted')
  duck.close()
})
