import { createRandom, FAULT_NAMES, type Fault } from '@dexfeed/devnet'
import { NETWORK_NAMES, NETWORKS } from '@dexfeed/dex'
import { openDatabase } from '@dexfeed/store'
import { checkDatabase } from './check-database.ts'
import { type SimulatedNetwork, simulatedNetwork, until } from './simulated-network.ts'

export interface SimulationOptions {
  databaseUrl: string
  seed: number
  /** Per network. */
  blocks: number
  onProgress?: (text: string) => void
}

export interface SimulationResult {
  faults: Partial<Record<Fault, number>>
  reorgs: number
  restarts: number
  cutConnections: number
}

const FIRST_BLOCKS = 90
/** How far the chain may run ahead of the indexing. */
const ROOM = 10
const STALLED_MS = 60_000
const RESTART_CHANCE = 0.015
const CUT_CHANCE = 0.01
const SHOWN_LINES = 12

/** Runs the indexing of three networks on hostile nodes and compares what is left with the chains. Throws on a difference. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { databaseUrl, seed, blocks } = options
  const database = await openDatabase(databaseUrl, { applicationName: 'simulation' })
  const networks: SimulatedNetwork[] = []
  const tally = { restarts: 0, cutConnections: 0 }
  const finals = new Map<number, number>()
  const watchFinal = async () => {
    const { rows } = await database.pool.query<{ chain_id: number; final: number | null }>(
      'SELECT chain_id, final_number::float8 AS final FROM network',
    )
    for (const { chain_id: id, final } of rows) {
      if (final !== null && final < (finals.get(id) ?? 0)) throw new Error(`the final block of ${id} went back`)
      if (final !== null) finals.set(id, final)
    }
  }
  try {
    for (const [index, name] of NETWORK_NAMES.entries()) {
      networks.push(
        await simulatedNetwork(name, { url: databaseUrl, database }, seed * 1_000 + index * 100, FIRST_BLOCKS),
      )
    }
    for (const network of networks) network.start()
    const cut = async (random: { next(): number }) => {
      if (random.next() >= CUT_CHANCE) return
      tally.cutConnections++
      await watchFinal()
      await database.pool
        .query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        )
        .catch(() => undefined)
    }
    const killer = createRandom(seed + 77)
    await Promise.all(
      networks.map(async (network) => {
        while (network.chain.blocks.length < blocks) {
          await roomOn(network)
          network.move()
          if (network.random.next() < RESTART_CHANCE) {
            tally.restarts++
            await network.stop()
            network.start()
          }
          await cut(killer)
          options.onProgress?.(networks.map(({ network: name, chain }) => `${name} ${chain.blocks.length}`).join(', '))
        }
      }),
    )
    await settle(networks, database.pool)
    await watchFinal()
    for (const network of networks) await network.stop()
    const differences = await checkDatabase(
      database.pool,
      networks.map(({ chain }) => chain),
    )
    if (differences.length > 0) throw new Error(differences.join('\n'))
    return { ...tally, reorgs: networks.reduce((sum, { reorgs }) => sum + reorgs(), 0), faults: faultsOf(networks) }
  } catch (error) {
    const cause = error instanceof Error ? error : new Error(String(error))
    const lines = networks.flatMap(({ lines }) => lines.slice(-SHOWN_LINES))
    throw new Error(`seed ${seed}, ${blocks} blocks: ${cause.message}\n${lines.join('\n')}`, { cause })
  } finally {
    for (const network of networks) await network.close()
    await database.close()
  }
}

async function roomOn(network: SimulatedNetwork): Promise<void> {
  const head = () => network.chain.blocks.length - 1
  await until(
    () => network.committedHead() >= head() - ROOM,
    STALLED_MS,
    () =>
      `${network.network} stands at ${network.committedHead()} of ${head()}\n${network.lines.slice(-40).join('\n')}\n---`,
  )
}

/** The faults stop: everything must be caught up soon. */
async function settle(
  networks: readonly SimulatedNetwork[],
  pool: { query<T extends object>(text: string, values?: unknown[]): Promise<{ rows: T[] }> },
): Promise<void> {
  for (const network of networks) network.weather.clear()
  // Cascades under way end first.
  await new Promise((resolve) => setTimeout(resolve, 20))
  for (const network of networks) network.mine(60)
  for (const { network, chain } of networks) {
    const isSettled = async () => {
      const { chainId } = NETWORKS[network]
      const { rows } = await pool.query<Record<'ranges' | 'pools' | 'states' | 'awaited', number> & { head: string }>(
        `SELECT encode(head_hash, 'hex') AS head,
           (SELECT count(*)::int FROM covered_range WHERE chain_id = $1) AS ranges,
           (SELECT count(*)::int FROM pool WHERE chain_id = $1) AS pools,
           (SELECT count(*)::int FROM awaited_value WHERE chain_id = $1) AS awaited,
           (SELECT count(DISTINCT pool)::int FROM pool_state WHERE chain_id = $1) AS states
         FROM network WHERE chain_id = $1 AND degraded IS NULL`,
        [chainId],
      )
      const [row] = rows
      return (
        row !== undefined &&
        `0x${row.head}` === chain.blocks.at(-1)?.hash &&
        row.ranges === 1 &&
        row.awaited === 0 &&
        row.pools === row.states
      )
    }
    await until(isSettled, STALLED_MS, () => `${network} did not catch up after the faults`)
  }
}

function faultsOf(networks: readonly SimulatedNetwork[]): Partial<Record<Fault, number>> {
  const counts = FAULT_NAMES.map(
    (fault) => [fault, networks.reduce((sum, { weather }) => sum + (weather.met.get(fault) ?? 0), 0)] as const,
  )
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}
