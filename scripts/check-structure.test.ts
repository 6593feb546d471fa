import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

/** Runs the check on a tree of such files; gives what it complains about. */
function check(
  tree: Readonly<Record<string, string>>,
  ...options: string[]
): { exitCode: number | null; output: string } {
  const root = mkdtempSync(join(tmpdir(), 'dexfeed-structure-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const file = fileURLToPath(new URL('check-structure.mjs', import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, root, ...options], { encoding: 'utf8' })
  return { exitCode: status, output: stdout + stderr }
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `n${String(index).padStart(2, '0')}`)

test('a tree without fault passes', () => {
  const { exitCode, output } = check({
    'packages/a/src/index.ts': "export { b } from './b.ts'",
    'packages/a/src/b.ts': 'export const b = 1',
    'packages/a/src/b.test.ts': "import './index.ts'",
  })
  expect(output).toBe('3 files in 1 folders hold their shape\n')
  expect(exitCode).toBe(0)
})

test('circles are told: by values, types, re-exports, imports within types, and over sub-folders', () => {
  const { exitCode, output } = check({
    'packages/a/src/value.ts': "import { type } from './type.ts'",
    'packages/a/src/type.ts': "import type { again } from './again.ts'",
    'packages/a/src/again.ts': "export { inner } from './inner.ts'",
    'packages/a/src/inner.ts': "export type Inner = import('./value.ts').Value",
    'packages/b/src/one/deep/x.ts': "import '../../two/y.ts'",
    'packages/b/src/one/z.ts': '',
    'packages/b/src/two/y.ts': "import '../one/z.ts'",
  })
  const within = 'again.ts, inner.ts, type.ts, value.ts'
  expect(output.split('\n')).toEqual([
    `packages/a/src: ${within} import each other in a circle`,
    'packages/b/src: one, two import each other in a circle',
    `the repository: packages/a/src/${within.replaceAll(', ', ', packages/a/src/')} import each other in a circle`,
    '',
  ])
  expect(exitCode).toBe(1)
})

test('a circle of files over two packages is told', () => {
  const { output } = check({
    'packages/a/package.json': '{"name": "@x/a", "exports": {".": "./src/index.ts"}}',
    'packages/a/src/index.ts': "import '@x/b/door'",
    'packages/b/package.json': '{"name": "@x/b", "exports": {"./door": "./src/door.ts"}}',
    'packages/b/src/door.ts': "import type { A } from '@x/a'",
  })
  expect(output).toBe('the repository: packages/a/src/index.ts, packages/b/src/door.ts import each other in a circle\n')
})

test('more than seven floors are told, a test is none', () => {
  const chain = (count: number) =>
    Object.fromEntries(
      names(count).map((name, at, all) => [`bench/${name}.ts`, at > 0 ? `import './${all[at - 1]}.ts'` : '']),
    )
  expect(check({ ...chain(7), 'bench/n99.test.ts': "import './n06.ts'" }).exitCode).toBe(0)
  expect(check(chain(8)).output).toBe('bench: 8 floors, at most 7\n')
})

test('more than 20 files in a folder are told, tests among them, and so are more than 300 lines', () => {
  const flat = Object.fromEntries(names(20).map((name) => [`scripts/${name}.mjs`, '']))
  expect(check({ ...flat, 'scripts/x/more.ts': '\n'.repeat(300) }).exitCode).toBe(0)
  expect(check({ ...flat, 'scripts/x.test.ts': '\n'.repeat(301) }).output).toBe(
    'scripts: 21 files, at most 20\nscripts/x.test.ts: 301 lines, at most 300\n',
  )
})

test('a path into another workspace is told', () => {
  const { output } = check({ 'test/x.ts': "import '../apps/a/src/y.ts'", 'apps/a/src/y.ts': '' })
  expect(output).toBe("test/x.ts: ../apps/a/src/y.ts is of another workspace: import it by its package's name\n")
})

test('who may import what is kept, types too, but not for tests', () => {
  const [node, sql] = ['only packages/chain talks to a node', 'only packages/store knows SQL']
  const { output } = check({
    'packages/dex/src/a.ts': "import { id, type JsonRpcProvider } from 'ethers'\nimport type { Client } from 'pg'",
    'packages/dex/src/a.test.ts': "import { Client } from 'pg'",
    'packages/dex/src/b.ts': "import { id, Interface } from 'ethers'",
    'packages/dex/test/c.ts': "import { Client } from 'pg'",
    'packages/chain/src/d.ts': "import { JsonRpcProvider } from 'ethers'\nimport 'ws'",
    'packages/store/src/e.ts': "import { PrismaPg } from '@prisma/adapter-pg'\nexport { Client } from 'pg'",
    'apps/api/src/f.ts':
      "import express from 'express'\nexport type { Job } from 'bullmq'\nimport * as all from 'ethers'",
    'apps/indexer/src/queue/queue.ts': "import { Queue } from 'bullmq'\nlet pool: import('pg').Pool",
    'apps/indexer/src/queue/bull-board.ts': "import express from 'express'",
  })
  expect(output.split('\n')).toEqual([
    `apps/api/src/f.ts: ethers is imported, but ${node}`,
    'apps/api/src/f.ts: bullmq is imported, but only the queue knows BullMQ',
    `apps/indexer/src/queue/queue.ts: pg is imported, but ${sql}`,
    `packages/dex/src/a.ts: ethers is imported, but ${node}`,
    `packages/dex/src/a.ts: pg is imported, but ${sql}`,
    '',
  ])
})

test('the table has a row for each tree', () => {
  const { output } = check(
    { 'apps/a/src/x.ts': "import './y.ts'", 'apps/a/src/y.ts': 'export const [a, b] = [1, 2]' },
    '--table',
  )
  expect(output).toMatch(/apps\/a\/src +│ 2 +│ 0 +│ 2 +│ 2 +│ 0 +│ 1 +│ 2 /)
})
