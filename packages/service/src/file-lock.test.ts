import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withFileLock } from './file-lock.ts'

let folder: string
let lock: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dexfeed-lock-'))
  lock = join(folder, 'lock')
})

afterEach(() => rmSync(folder, { recursive: true }))

test('only one holder works at a time', async () => {
  let inside = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, ++inside)
    await new Promise((resolve) => setImmediate(resolve))
    inside--
  }
  await Promise.all(Array.from({ length: 5 }, () => withFileLock(lock, work)))
  expect(most).toBe(1)
  expect(existsSync(lock)).toBe(false)
})

test('a failure gives the lock back', async () => {
  await expect(withFileLock(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(existsSync(lock)).toBe(false)
})

test('the lock of a dead process is taken over', async () => {
  writeFileSync(lock, '999999999 1 00')
  expect(await withFileLock(lock, () => readFileSync(lock, 'utf8').split(' ')[0])).toBe(String(process.pid))
})

test.runIf(process.platform === 'linux')(
  'the lock of a dead process whose id another one got is taken over',
  async () => {
    writeFileSync(lock, `${process.ppid} 1 00`)
    expect(await withFileLock(lock, () => 'mine')).toBe('mine')
  },
)

test('an old lock without content was left by a crash', async () => {
  writeFileSync(lock, '')
  utimesSync(lock, 1, 1)
  expect(await withFileLock(lock, () => 'mine')).toBe('mine')
})

test('waiting has an end that names the holder', async () => {
  await withFileLock(lock, async () => {
    await expect(withFileLock(lock, () => 'never', 0)).rejects.toThrow(`held by process ${process.pid}`)
  })
})
