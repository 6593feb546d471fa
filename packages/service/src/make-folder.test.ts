import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder } from './make-folder.ts'

test('folders that are missing are made, existing ones stay', () => {
  const root = mkdtempSync(join(tmpdir(), 'dexfeed-folder-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const folder = join(root, 'a', 'b')
  for (let times = 0; times < 2; times++) makeFolder(folder)
  expect(statSync(folder).isDirectory()).toBe(true)
})

test.each(['/proc/none/lists', '/dev/null/lists', '/dev/null'])('%s cannot be made, and is an error', (folder) => {
  expect(() => makeFolder(folder)).toThrow(/ENOENT|ENOTDIR|EEXIST/)
})
