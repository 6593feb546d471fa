import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { isProcessAlive } from '@dexfeed/service'
import { connectTo, temporaryFolder, testDatabase } from '@dexfeed/test-setup'
import { freePort } from '@dexfeed/test-setup/connections'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { expect, test } from 'vitest'
import { startProgram } from './scene/programs.ts'
import { scriptedScene } from './scene/scripted-scene.ts'
import { startSlowNode } from './scene/slow-node.ts'

/** Long, because the process has a low priority and tests keep all processors busy. */
const WAIT = { interval: 250, timeout: 300_000 }

function childrenOf(pid: number | undefined): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  return lines.flatMap((line) => {
    const [own, parent] = line.trim().split(/\s+/).map(Number)
    return own !== undefined && parent === pid ? [own] : []
  })
}

async function metric(port: number, name: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => null)
  const text = (await response?.text()) ?? ''
  return Number(new RegExp(`^${name}\\{network="bsc"\\} (.*)$`, 'm').exec(text)?.[1] ?? 0)
}

test('a process of the indexer fills history, is counted with it, and ends with it', async () => {
  const scene = await scriptedScene('bsc', 66)
  const node = await startSlowNode(scene.rpcUrl, { maxBlocks: 5, delayMs: 15 })
  const [databaseUrl, port] = await Promise.all([testDatabase(), freePort()])
  const dexConfigFile = join(temporaryFolder(), 'dex-config.json')
  scene.writeConfig(dexConfigFile)
  const client = await connectTo(databaseUrl)
  const program = startProgram('indexer', {
    place: { databaseUrl, redisUrl: null },
    rpcUrl: node.url,
    dexConfigFile,
    env: { HISTORY_THREADS: '1', METRICS_PORT: String(port) },
  })
  const covered = async () => {
    const { rows } = await client.query<{ blocks: number }>(
      'SELECT coalesce(sum(to_block - from_block + 1), 0)::int AS blocks FROM covered_range',
    )
    return rows[0]?.blocks ?? 0
  }
  await expect.poll(covered, WAIT).toBeGreaterThan(scene.head().number)
  // The process's last reports may not have arrived yet.
  const counted = () => metric(port, 'dexfeed_blocks_committed_total')
  await expect.poll(counted, WAIT).toBeGreaterThan(scene.head().number)
  const children = childrenOf(program.pid)
  expect(children).toHaveLength(1)
  program.kill('SIGTERM')
  expect(await once(program, 'exit')).toEqual([0, null])
  expect(children.filter(isProcessAlive)).toEqual([])
  expect(await dumpTables(databaseUrl)).toEqual(await scene.cleanIndex())
}, 700_000)
