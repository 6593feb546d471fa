import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

const PROGRAM = `
import { startDevnet } from './src/index.ts'
const log = { info: () => undefined, warn: () => undefined }
const devnet = await startDevnet({ dataDir: process.argv[2], log, historyBlocks: 2, networks: ['eth'] })
console.log(devnet.chains.eth.pid)
`

test.skipIf(process.platform === 'win32')('a node does not outlive a devnet that was killed', async () => {
  const root = fileURLToPath(new URL('..', import.meta.url))
  // From this folder, Node finds node_modules.
  const folder = mkdtempSync(join(root, '.orphan-'))
  try {
    const outfile = join(folder, 'program.mjs')
    await build({
      stdin: { contents: PROGRAM, resolveDir: root, loader: 'ts' },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      external: ['ethers', 'ws'],
      logLevel: 'silent',
    })
    const parent = spawn(process.execPath, [outfile, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string]
    const node = Number(line)
    expect(isThere(node)).toBe(true)
    parent.kill('SIGKILL')
    await expect.poll(() => isThere(node)).toBe(false)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
