import { setTimeout as delay } from 'node:timers/promises'
import { NETWORK_NAMES, NETWORKS } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import type { Client } from 'pg'
import type { BenchOptions } from './bench-arguments.ts'
import { startBenchDatabase, withClient } from './bench-database.ts'
import type { BenchResult } from './bench-result.ts'
import { startIndexer, stopProgram } from './indexer-process.ts'
import { HeadWatch, watchHeads } from './mainnet/measure/head-lag.ts'
import type { NodePlan } from './node/node-messages.ts'
import { startNode } from './node-process.ts'

const SWAPS_PER_BLOCK = 50
const POOLS = 400
/** Blocks that are there before the first one is published. */
const HISTORY = 200
/** Publications at the beginning that do not count: the program warms up. */
const WARM_UP = 5
const POLL_MS = '100'
const LOOK_EVERY_MS = 50
const SECOND = 1_000
/** The newest block of each network with rows. */
const NEWEST_ROWS = `SELECT chain_id, number FROM network CROSS JOIN LATERAL (
  SELECT max(block_number) AS number FROM swap WHERE swap.chain_id = network.chain_id) AS newest WHERE number IS NOT NULL`

/**
 * Publishes a block a second on each network, on all at the same instant, and measures for each how long it takes until
 * another connection sees its rows.
 */
export async function benchLive(options: BenchOptions, shutdown: Shutdown): Promise<BenchResult> {
  const { networks, poll, blocks, profile, read } = options
  const published = blocks + WARM_UP
  const plan: NodePlan = {
    networks: NETWORK_NAMES.slice(0, networks),
    head: HISTORY - 1,
    pools: POOLS,
    chain: {
      seed: 1,
      swaps: (HISTORY + published) * SWAPS_PER_BLOCK,
      swapsPerBlock: SWAPS_PER_BLOCK,
      otherTransactions: 50,
      firstTime: 1_700_000_000,
      blockTime: 1,
      keepStates: published + HISTORY,
      receipts: read === 'receipts',
    },
  }
  const node = await startNode(plan, shutdown)
  const { folder, create } = await startBenchDatabase(shutdown)
  const databaseUrl = await create('live', { migrated: true })
  const env: Record<string, string> = poll ? { POLL_MS } : {}
  const child = startIndexer({ databaseUrl, folder, served: node.served, env, socket: !poll, profile }, shutdown)
  return withClient(databaseUrl, shutdown, async (client) => {
    const watch = new HeadWatch()
    await watchHeads(client, watch, NEWEST_ROWS)
    for (const { network } of node.served) await settled(client, NETWORKS[network].chainId)
    node.publish(published, ({ network, number, at }) => {
      watch.shown(NETWORKS[network].chainId, { number, at })
    })
    const deadline = Date.now() + (published + 30) * SECOND
    const timesOf = () => node.served.map(({ network }) => watch.delays(NETWORKS[network].chainId))
    while (timesOf().some(({ length }) => length < published)) {
      if (child.exitCode !== null) throw new Error(`the indexer ended with ${child.exitCode}`)
      if (Date.now() > deadline)
        throw new Error(`rows of ${timesOf().map(({ length }) => length)} blocks appeared, not of ${published}`)
      await delay(LOOK_EVERY_MS)
    }
    await stopProgram(child)
    return report(
      { networks, poll },
      timesOf().flatMap((times) => times.slice(WARM_UP)),
    )
  })
}

/** History is covered, and the states of its pools are known. */
async function settled(client: Client, chainId: number): Promise<void> {
  for (let settled = false; !settled; await delay(LOOK_EVERY_MS)) {
    const { rows } = await client.query<{ settled: boolean }>(
      `SELECT EXISTS (SELECT FROM covered_range WHERE chain_id = $1 AND from_block = 0 AND to_block >= $2)
         AND NOT EXISTS (SELECT FROM pool WHERE chain_id = $1 AND NOT EXISTS (
           SELECT FROM pool_state WHERE pool_state.chain_id = $1 AND pool_state.pool = pool.address)) AS settled`,
      [chainId, HISTORY - 1],
    )
    settled = rows[0]?.settled ?? false
  }
}

function report({ networks, poll }: Pick<BenchOptions, 'networks' | 'poll'>, times: readonly number[]): BenchResult {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) => Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) * 10) / 10
  return {
    table: [
      ['networks, heads', `${networks}, ${poll ? `polled every ${POLL_MS} ms` : 'by WebSocket'}`],
      ['blocks measured', String(times.length)],
      ['block published -> rows visible, median', `${at(0.5)} ms`],
      ['  95 % within', `${at(0.95)} ms`],
      ['  slowest', `${at(1)} ms`],
    ],
    figures: { networks, median_ms: at(0.5), p95_ms: at(0.95) },
  }
}
