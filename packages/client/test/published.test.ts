import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const run = promisify(execFile)
const folder = fileURLToPath(new URL('..', import.meta.url))
const project = mkdtempSync(join(tmpdir(), 'dexfeed-client-'))

beforeAll(async () => {
  await run(process.execPath, ['build.mjs'], { cwd: folder })
  mkdirSync(join(project, 'node_modules', '@dexfeed'), { recursive: true })
  cpSync(join(folder, 'dist'), join(project, 'node_modules', '@dexfeed', 'client'), { recursive: true })
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

it('runs in plain Node', async () => {
  const code = `import { createClient, DexfeedError } from '@dexfeed/client'
    const client = createClient({ baseUrl: 'http://127.0.0.1:1', attempts: 1 })
    await client.call('getStatus', {}).catch((error) => console.log(error instanceof DexfeedError, error.status))`
  writeFileSync(join(project, 'use.js'), code)
  const { stdout } = await run(process.execPath, ['use.js'], { cwd: project })
  expect(stdout.trim()).toBe('true null')
})

it('has types for its users, and none for operations that do not exist', async () => {
  const good = `import { createClient, type Swap } from '@dexfeed/client'
    const client = createClient({ baseUrl: '' })
    export async function usd(): Promise<(string | null)[]> {
      const found: (string | null)[] = []
      for await (const swap of client.rows('searchSwaps', { network: 'bsc', limit: 5 })) found.push(worth(swap))
      const { result } = await client.call('getQuote', { sellToken: 'A', buyToken: 'B' })
      return [...found, result.price]
    }
    const worth = (swap: Swap): string | null => swap.trade_volume_usd\n`
  const bad = `import { createClient } from '@dexfeed/client'
    const client = createClient({ baseUrl: '' })
    await client.call('getQuote', { sellToken: 'A' })
    await client.call('nothing', {})
    client.rows('getQuote', { sellToken: 'A', buyToken: 'B' })
    client.rows('searchSwaps', { network: 'solana' })\n`
  writeFileSync(join(project, 'good.ts'), good)
  writeFileSync(join(project, 'bad.ts'), bad)
  const require = createRequire(import.meta.url)
  const manifest = require.resolve('typescript/package.json')
  const compiler = join(dirname(manifest), require(manifest).bin.tsc)
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom']
  const check = (file: string) => run(process.execPath, [compiler, ...options, file], { cwd: project })
  await check('good.ts')
  const { stdout } = await check('bad.ts').then(
    () => ({ stdout: '' }),
    (error) => error,
  )
  const lines = [...new Set([...stdout.matchAll(/^bad\.ts\((\d+),/gm)].map(([, line]) => line))]
  expect(lines).toEqual(['3', '4', '5', '6'])
})
