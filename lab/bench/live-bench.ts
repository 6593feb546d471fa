import { setTimeout as delay } from 'node:timers/promises'
import { NETWORK_NAMES, NETWORKS, SECOND } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import type { Client } from 'pg'
import { PLAIN } from '../chain/made/shapes.ts'
import { NO_LIMIT } from '../node/rpc/budget.ts'
import { startBenchDatabase, withClient } from './bench-database.ts'
import { type BenchResult, rounded } from './bench-result.ts'
import { HeadWatch, watchHeads } from './head-lag.ts'
import { quantileOf } from './load.ts'
import { type NodeProcess, startNodes } from './node-process.ts'
import type { BenchOptions } from './options.ts'
import { startIndexer, stopProgram } from './programs.ts'

const HISTORY = 200
const SHAPE = {
  ...PLAIN,
  blockTimeS: 1,
  transactions: 100,
  swaps: 50,
  logs: 250,
  blockBytes: 90_000,
  pools: 400,
  cycle: HISTORY,
}
const WARM_UP = 5
const POLL_MS = '100'
const LOOK_EVERY_MS = 50
const NEWEST_ROWS = `SELECT chain_id, number FROM network CROSS JOIN LATERAL (
  SELECT max(block_number) AS number FROM swap WHERE swap.chain_id = network.chain_id) AS newest WHERE number IS NOT NULL`

export async function benchLive(options: BenchOptions, shutdown: Shutdown): Promise<BenchResult> {
  const { networks, poll, blocks, profile, read } = options
  const limits = { budget: NO_LIMIT, latencyMs: 0, receipts: read === 'receipts' }
  const plans = NETWORK_NAMES.slice(0, networks).map((network) => {
    return { chain: { network, seed: 1, shape: SHAPE, history: HISTORY }, limits, portal: false }
  })
  const nodes = await startNodes(plans, () => Math.floor(Date.now() / SECOND), shutdown)
  const { folder, create } = await startBenchDatabase(shutdown)
  const databaseUrl = await create('live', { migrated: true })
  const env: Record<string, string> = poll ? { POLL_MS } : {}
  const child = startIndexer({ databaseUrl, folder, nodes, env, socket: !poll, profile }, shutdown)
  return withClient(databaseUrl, shutdown, async (client) => {
    const watch = new HeadWatch()
    await watchHeads(client, watch, NEWEST_ROWS)
    for (const node of nodes) await settled(client, node)
    for (const { network, onShown, call } of nodes) {
      onShown((block) => watch.shown(NETWORKS[network].chainId, block))
      await call('go')
    }
    const count = blocks + WARM_UP
    const deadline = Date.now() + (count + 30) * SECOND
    const timesOf = () => nodes.map(({ network }) => watch.delays(NETWORKS[network].chainId).slice(0, count))
    while (timesOf().some(({ length }) => length < count)) {
      if (child.exitCode !== null) throw new Error(`the indexer ended with ${child.exitCode}`)
      if (Date.now() > deadline) throw new Error(`rows of ${timesOf().map(({ length }) => length)} blocks appeared`)
      await delay(LOOK_EVERY_MS)
    }
    await stopProgram(child)
    const times = timesOf().flatMap((ofNetwork) => ofNetwork.slice(WARM_UP))
    const at = (share: number) => rounded(quantileOf(times, share), 1)
    return { figures: { networks, blocks: times.length, median_ms: at(0.5), p95_ms: at(0.95), slowest_ms: at(1) } }
  })
}

async function settled(client: Client, { network, first }: NodeProcess): Promise<void> {
  for (let settled = false; !settled; await delay(LOOK_EVERY_MS)) {
    const { rows } = await client.query<{ settled: boolean }>(
      `SELECT EXISTS (SELECT FROM covered_range WHERE chain_id = $1 AND from_block = $2 AND to_block >= $3)
         AND NOT EXISTS (SELECT FROM pool WHERE chain_id = $1 AND NOT EXISTS (
           SELECT FROM pool_state WHERE pool_state.chain_id = $1 AND pool_state.pool = pool.address)) AS settled`,
      [NETWORKS[network].chainId, first, SHAPE.aboutNumber],
    )
    settled = rows[0]?.settled ?? false
  }
}
