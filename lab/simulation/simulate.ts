import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom } from '@dexfeed/devnet'
import { DAY_S, HOUR_S, MINUTE, NETWORK_NAMES, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { type Database, openDatabase } from '@dexfeed/store'
import { type Crowd, FAULTS, type Fault, NOTICED_IMMEDIATELY, type PortalFault } from '../index.ts'
import { assignFaults } from './assign-faults.ts'
import { readAudit, startAudit } from './audit.ts'
import { type BackfillRequests, backfillRequests } from './backfill-requests.ts'
import { checkCounters, checkDatabase } from './check-database.ts'
import { readChecks } from './check-reads.ts'
import { type DisturbanceTally, disturbancesOf } from './disturbances.ts'
import type { ReadTally } from './indexing.ts'
import { type SimulatedNetwork, simulatedNetwork, until } from './simulated-network.ts'
import { type WorkerProcess, workerProcess } from './worker-process.ts'

export interface SimulationOptions {
  databaseUrl: string
  seed: number
  /** Minimum blocks per network. A run lasts until each fault was met and a false block was reported. */
  blocks: number
  /** Default: all that are noticed immediately. */
  faults?: readonly Fault[]
  networks?: readonly NetworkName[]
  patience?: number
  blooms?: Crowd | null
  onProgress?: (text: string) => void
  signal: AbortSignal
}

export interface SimulationResult extends DisturbanceTally {
  faults: Partial<Record<Fault, number>>
  portalFaults: Partial<Record<PortalFault, number>>
  blocksRead: Record<string, ReadTally & { proofs: string }>
  reorgs: number
  rollbacks: number
  reads: number
  commits: number
  epochs: number
}

/** Share of blocks that exist at the start. */
const FIRST_SHARE = 0.3
const MIN_FIRST_BLOCKS = 90
/** The network whose history a separate process fills, which the simulation kills. */
const KILLED: NetworkName = 'polygon'
const ARCHIVED: NetworkName = 'bsc'
const ROOM = 10
const STALLED_MS = 3 * MINUTE
const READ_CHANCE = 0.06
const SHOWN_LINES = 12
const BLOOMS: readonly Crowd[] = ['full', 'usual', 'none']

/**
 * Indexes networks from hostile nodes and compares the database with the chains.
 *
 * @throws on a difference
 */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const {
    databaseUrl,
    seed,
    blocks,
    faults = NOTICED_IMMEDIATELY,
    networks: names = NETWORK_NAMES,
    patience = 1,
    signal,
  } = options
  const database = await openDatabase(databaseUrl, { applicationName: 'simulation' })
  const closers: (() => Promise<unknown>)[] = [() => database.close()]
  const networks: SimulatedNetwork[] = []
  try {
    await startAudit(database.pool)
    const blooms = options.blooms ?? BLOOMS[seed % BLOOMS.length]
    const firstBlocks = Math.max(MIN_FIRST_BLOCKS, Math.floor(blocks * FIRST_SHARE))
    for (const [index, { network, ...share }] of assignFaults(seed, faults, names).entries()) {
      const simulated = await simulatedNetwork({
        network,
        databaseUrl,
        firstBlocks,
        blooms,
        faults,
        patience,
        hasPortal: network === ARCHIVED,
        ...share,
        seed: seed * 1_000 + index * 100,
      })
      closers.push(() => simulated.close())
      networks.push(simulated)
    }
    const killed = networks.filter(({ network }) => network === KILLED)
    const folder = mkdtempSync(join(tmpdir(), 'dexfeed-simulation-'))
    closers.push(async () => rmSync(folder, { recursive: true, force: true }))
    const process = workerOf(databaseUrl, folder, killed)
    closers.push(() => process.kill())
    const running = runThrough(options, { database, networks, process, folder, closers })
    // Opening connections ignores `signal`, so do not wait for it after an abort.
    const result = await Promise.race([running, aborted(signal)])
    for (const network of networks) await network.stop()
    const differences = await checkDatabase(
      database.pool,
      networks.map(({ chain }) => chain),
    )
    differences.push(...(await checkCounters(database)))
    const { problems, commits, epochs } = await readAudit(database.pool)
    for (const network of networks) problems.push(...checkProofs(network))
    if (differences.length + problems.length > 0) throw new Error([...differences, ...problems].join('\n'))
    const reorgs = networks.reduce((sum, network) => sum + network.progress.reorgs, 0)
    const rollbacks = networks.reduce((sum, network) => sum + network.progress.rollbacks, 0)
    const portalFaults = Object.fromEntries(networks.flatMap(({ portal }) => [...(portal?.met ?? [])]))
    const blocksRead = Object.fromEntries(
      networks.map(({ network, proofs: shown, reads }) => [network, { ...reads, proofs: shown.join() }]),
    )
    return { ...result, commits, epochs, reorgs, rollbacks, blocksRead, faults: faultsOf(networks), portalFaults }
  } catch (error) {
    const cause = error instanceof Error ? error : new Error(String(error))
    const where = networks.map((network) => {
      const awaited = awaitedBy(network).join(', ') || 'none'
      return `${network.network}: ${network.chain.blocks.length} blocks, awaited: ${awaited}`
    })
    const lines = [...where, ...linesOf(networks, SHOWN_LINES)]
    throw new Error(`seed ${seed}, ${blocks} blocks: ${cause.message}\n${lines.join('\n')}`, { cause })
  } finally {
    await Promise.allSettled(closers.map((close) => close()))
  }
}

interface Scene {
  database: Database
  networks: readonly SimulatedNetwork[]
  process: WorkerProcess
  folder: string
  closers: (() => Promise<unknown>)[]
}

async function runThrough(
  { databaseUrl, seed, blocks, onProgress, signal: outer }: SimulationOptions,
  { database, networks, process, folder, closers }: Scene,
) {
  const failed = new AbortController()
  const signal = AbortSignal.any([outer, failed.signal])
  const tally = { restarts: 0, restartsInJobs: 0, kills: 0, killsInJobs: 0, cutConnections: 0 }
  const checks = readChecks(
    database,
    networks.map(({ chain }) => chain),
    folder,
  )
  closers.push(() => checks.close())
  const requesters = new Map<SimulatedNetwork, BackfillRequests>()
  for (const network of networks) {
    const requests = await backfillRequests(network, databaseUrl, database)
    closers.push(() => requests.close())
    requesters.set(network, requests)
    await network.start(network.network === KILLED ? 'follow' : 'both')
  }
  const live = networks.map(async (network, index) => {
    const requests = requesters.get(network)
    if (requests === undefined) return
    const random = createRandom(seed + 77 + index)
    const worker = network.network === KILLED ? process : null
    const disturbances = disturbancesOf({ network, requests, process: worker, database, random, tally, signal })
    while (network.chain.blocks.length < blocks || awaitedBy(network).length > 0) {
      signal.throwIfAborted()
      await roomOn(network, signal)
      network.move()
      await disturbances.come()
      if (network.random.next() < READ_CHANCE) await checks.read(network.network, network.random.integer(2 * HOUR_S))
      onProgress?.(networks.map(({ network: name, chain }) => `${name} ${chain.blocks.length}`).join(', '))
    }
  })
  await Promise.all(live).catch((error: unknown) => failed.abort(error))
  await Promise.allSettled(live)
  signal.throwIfAborted()
  await process.kill()
  for (const { schedule, portal } of networks) {
    schedule.clear()
    portal?.clear()
  }
  for (const network of networks.filter(({ network }) => network === KILLED)) {
    await network.stop()
    await network.start('both')
  }
  for (const requests of requesters.values()) await requests.request(blocks)
  await settle(networks, database, signal)
  // Earlier reorgs may have come before any indexing.
  for (const network of networks) network.reorg()
  await settle(networks, database, signal)
  for (const { network } of networks) await checks.read(network, DAY_S)
  return { ...tally, reads: checks.count() }
}

/**
 * Returns what the run still waits for: faults, and the report of a false block, which an indexer may miss if it stops.
 */
function awaitedBy({ schedule, reads }: SimulatedNetwork): string[] {
  const provable = [...schedule.met].filter(([fault]) => FAULTS[fault].lie === 'provable')
  const isUnreported = provable.length > 0 && reads.falseBlocks === 0
  return [
    ...schedule.awaited,
    ...(isUnreported ? [`a report of ${provable.map(([fault]) => fault).join(' or ')}`] : []),
  ]
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

/** On a busy machine, a worker for all networks would take all jobs. */
function workerOf(databaseUrl: string, folder: string, networks: readonly SimulatedNetwork[]): WorkerProcess {
  const config = join(folder, 'dex-config.json')
  const entries = networks.map(({ chain: { market } }) => {
    const { network, ...deployment } = market.deployment
    return [network, deployment]
  })
  writeFileSync(config, JSON.stringify(Object.fromEntries(entries)))
  const urls = networks.map(({ network, rpcUrls }) => [`${network.toUpperCase()}_RPC_URL`, rpcUrls.join(',')])
  return workerProcess({ DATABASE_URL: databaseUrl, DEX_CONFIG: config, ...Object.fromEntries(urls) })
}

async function roomOn(network: SimulatedNetwork, signal: AbortSignal): Promise<void> {
  const head = () => network.chain.blocks.length - 1
  const where = () => `${network.network} is at ${network.progress.head} of ${head()}`
  await until(
    () => network.progress.head >= head() - ROOM || network.indexings.some(({ hasEnded }) => hasEnded()),
    STALLED_MS,
    () => `${where()}\n${linesOf([network], 40).join('\n')}\n---`,
    signal,
  )
  if (network.indexings.some(({ hasEnded }) => hasEnded())) throw new Error(`${network.network} ended by itself`)
}

async function settle(networks: readonly SimulatedNetwork[], { pool }: Database, signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20))
  for (const network of networks) network.mine(60)
  for (const { network, chain } of networks) {
    let last: unknown = null
    const isSettled = async () => {
      const { chainId } = NETWORKS[network]
      const { rows } = await pool.query<
        Record<'ranges' | 'from' | 'pools' | 'states' | 'awaited', number> & { head: string; degraded: string | null }
      >(
        `SELECT encode(head_hash, 'hex') AS head,
           (SELECT count(*)::int FROM covered_range WHERE chain_id = $1) AS ranges,
           (SELECT min(from_block)::int FROM covered_range WHERE chain_id = $1) AS from,
           (SELECT count(*)::int FROM pool WHERE chain_id = $1) AS pools,
           (SELECT count(*)::int FROM awaited_value WHERE chain_id = $1) AS awaited,
           (SELECT count(DISTINCT pool)::int FROM pool_state WHERE chain_id = $1) AS states,
           degraded
         FROM network WHERE chain_id = $1`,
        [chainId],
      )
      const [row] = rows
      last = row
      return (
        row?.degraded === null &&
        `0x${row.head}` === chain.blocks.at(-1)?.hash &&
        row.ranges === 1 &&
        row.from === 0 &&
        row.awaited === 0 &&
        row.pools === row.states
      )
    }
    await until(
      isSettled,
      STALLED_MS,
      () => `${network} did not catch up after the faults: ${JSON.stringify(last)}`,
      signal,
    )
  }
}

function linesOf(networks: readonly SimulatedNetwork[], count: number): string[] {
  return networks.flatMap(({ indexings }) => indexings.flatMap(({ lines }) => lines.slice(-count)))
}

function faultsOf(networks: readonly SimulatedNetwork[]): Partial<Record<Fault, number>> {
  const counts = NOTICED_IMMEDIATELY.map(
    (fault) => [fault, networks.reduce((sum, { schedule }) => sum + (schedule.met.get(fault) ?? 0), 0)] as const,
  )
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}

/** Checks that blocks were proven if nodes can prove them, and only then. */
function checkProofs({ network, proofs, reads }: SimulatedNetwork): string[] {
  const problems: string[] = []
  const { proven, unproven, archived } = reads
  const canProve = proofs.filter((shown) => shown === 'block-receipts').length
  if (canProve === proofs.length && unproven > 0) {
    problems.push(`${network}: ${unproven} blocks were accepted without proof, although all nodes serve receipts`)
  }
  if (canProve > 0 && proven === 0) problems.push(`${network}: no block was proven`)
  if (canProve === 0 && proven > 0)
    problems.push(`${network}: ${proven} blocks were proven although no node can prove them`)
  if (proven + unproven + archived === 0) problems.push(`${network}: no block was read`)
  return problems
}
