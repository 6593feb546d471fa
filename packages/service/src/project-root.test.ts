import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from './project-root.ts'

test('the root is the folder with the lock file', () => {
  expect(existsSync(join(projectRoot(), 'package-lock.json'))).toBe(true)
})
