import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

/** Runs the check on these files, and returns its output. */
function check(tree: Readonly<Record<string, string>>): { exitCode: number | null; output: string } {
  const root = mkdtempSync(join(tmpdir(), 'dexfeed-structure-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const file = fileURLToPath(new URL('check-structure.mjs', import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, root], { encoding: 'utf8' })
  return { exitCode: status, output: stdout + stderr }
}

test('a correct tree passes', () => {
  const { exitCode, output } = check({
    'packages/a/src/index.ts': "export { b } from './b.ts'",
    'packages/a/src/b.ts': 'export const b = 1',
    'packages/a/src/b.test.ts': "import './index.ts'",
  })
  expect(output).toBe('3 files in 1 folders keep the rules of structure\n')
  expect(exitCode).toBe(0)
})

test('circles are reported: by values, types, re-exports, imports within types, and over sub-folders', () => {
  const { exitCode, output } = check({
    'packages/a/src/value.ts': "import { type } from './type.ts'",
    'packages/a/src/type.ts': "import type { again } from './again.ts'",
    'packages/a/src/again.ts': "export { inner } from './inner.ts'",
    'packages/a/src/inner.ts': "export type Inner = import('./value.ts').Value",
    'packages/b/src/one/deep/x.ts': "import '../../two/y.ts'",
    'packages/b/src/one/z.ts': '',
    'packages/b/src/two/y.ts': "import '../one/z.ts'",
  })
  expect(output.split('\n')).toEqual([
    'packages/a/src: again.ts, inner.ts, type.ts, value.ts import each other in a circle',
    'packages/b/src: one, two import each other in a circle',
    '',
  ])
  expect(exitCode).toBe(1)
})

test('restricted imports are reported, types too, but not in tests', () => {
  const [node, sql] = ['only packages/chain may call a node', 'only packages/store may use SQL']
  const { output } = check({
    'packages/contract/src/a.ts': "import { id, type JsonRpcProvider } from 'ethers'\nimport type { Client } from 'pg'",
    'packages/contract/src/a.test.ts': "import { Client } from 'pg'",
    'packages/contract/src/b.ts': "import { id, Interface } from 'ethers'",
    'packages/contract/test/c.ts': "import { Client } from 'pg'",
    'packages/chain/src/d.ts': "import { JsonRpcProvider } from 'ethers'\nimport 'ws'",
    'packages/store/src/e.ts': "import { PrismaPg } from '@prisma/adapter-pg'\nexport { Client } from 'pg'",
    'apps/api/src/f.ts':
      "import express from 'express'\nexport type { Job } from 'bullmq'\nimport * as all from 'ethers'",
    'apps/indexer/src/queue/queue.ts': "import { Queue } from 'bullmq'\nlet pool: import('pg').Pool",
    'apps/indexer/src/queue/bull-board.ts': "import express from 'express'",
  })
  expect(output.split('\n')).toEqual([
    `apps/api/src/f.ts: ethers is imported, but ${node}`,
    'apps/api/src/f.ts: bullmq is imported, but only the queue may use Redis',
    `apps/indexer/src/queue/queue.ts: pg is imported, but ${sql}`,
    `packages/contract/src/a.ts: ethers is imported, but ${node}`,
    `packages/contract/src/a.ts: pg is imported, but ${sql}`,
    '',
  ])
})

test('the domain must be pure: no import that does I/O, no clock, random numbers or environment', () => {
  const { output, exitCode } = check({
    'packages/dex/src/a.ts': "import { readFileSync } from 'node:fs'\nimport { z } from 'zod'\nimport './b.ts'",
    'packages/dex/src/b.ts':
      '// Date.now() of process.env\nexport const of = (time: number) => new Date(time).getTime()',
    'packages/dex/src/c.ts': "import type { Db } from '@x/store'\nexport const now = () => Date.now()",
    'packages/dex/src/d.ts': 'export const today = new Date()',
    'packages/dex/src/e.ts': 'export const name = process.env.NAME',
    'packages/dex/src/f.ts': 'export const one = Math.random()',
    'packages/dex/src/g.ts': 'export const later = (work: () => void) => setTimeout(work, 1)',
    'packages/dex/src/a.test.ts': "import 'node:fs'\nexport const now = Date.now()",
    'packages/dex/test/h.ts': 'export const now = Date.now()',
    'packages/service/src/i.ts': "import 'node:fs'\nexport const now = Date.now() + Number(process.env.NAME)",
  })
  const pure = 'packages/dex does no I/O: it may import only ethers and zod'
  expect(output.split('\n')).toEqual([
    `packages/dex/src/a.ts: node:fs is imported, but ${pure}`,
    `packages/dex/src/c.ts: @x/store is imported, but ${pure}`,
    'packages/dex/src/c.ts: Date.now is used, but packages/dex must not use a clock',
    'packages/dex/src/d.ts: new Date() is used, but packages/dex must not use a clock',
    'packages/dex/src/e.ts: process is used, but packages/dex must not use a clock or the environment',
    'packages/dex/src/f.ts: Math.random is used, but packages/dex must not use random numbers',
    'packages/dex/src/g.ts: setTimeout is used, but packages/dex must not use a clock or the environment',
    '',
  ])
  expect(exitCode).toBe(1)
})

test('restricted globals are reported, too', () => {
  const { output } = check({
    'apps/indexer/src/follow/a.ts': 'export const response = await fetch(url)',
    'apps/indexer/src/cli/status.ts': 'export const response = await fetch(url)',
    'packages/chain/src/b.ts': 'export const socket = new WebSocket(url)',
    'apps/api/src/c.ts': 'export const kept = (board: Board) => board.fetch(1)',
  })
  expect(output).toBe('apps/indexer/src/follow/a.ts: fetch( is used, but only packages/chain may call a node\n')
})
