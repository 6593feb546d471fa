import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom } from '@dexfeed/devnet'
import { DAY_S, HOUR_S, MINUTE, NETWORK_NAMES, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { type Database, openDatabase } from '@dexfeed/store'
import { type Crowd, type Fault, NOTICED_IMMEDIATELY, type PortalFault } from '../index.ts'
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
  /** Per network, at least: a run goes on until it has met each of its faults and reported a false block. */
  blocks: number
  /** Faults of the nodes, by default all. */
  faults?: readonly Fault[]
  networks?: readonly NetworkName[]
  /** Multiplies the usual time-outs of the indexers. */
  patience?: number
  /** How full the blooms are; null: by the seed. */
  blooms?: Crowd | null
  onProgress?: (text: string) => void
  /** Ends the run immediately: it throws. */
  signal: AbortSignal
}

export interface SimulationResult extends DisturbanceTally {
  faults: Partial<Record<Fault, number>>
  portalFaults: Partial<Record<PortalFault, number>>
  /** What the nodes of each network show to prove its blocks, and how these were read. */
  blocksRead: Record<string, ReadTally & { proofs: string }>
  reorgs: number
  /** Commits that rolled blocks back. */
  rollbacks: number
  /** Reads like the API's that were compared during the run. */
  reads: number
  /** Commits of followers, and their leases. */
  commits: number
  epochs: number
}

/** Blocks that exist at the start, as a share of all. */
const FIRST_SHARE = 0.3
const MIN_FIRST_BLOCKS = 90
/** The network whose history only a separate process fills in, which is killed. */
const KILLED: NetworkName = 'polygon'
/** The network whose history a Portal has, too. */
const ARCHIVED: NetworkName = 'bsc'
/** The maximum distance between the chain and the indexing. */
const ROOM = 10
const STALLED_MS = 3 * MINUTE
const READ_CHANCE = 0.06
const SHOWN_LINES = 12
const BLOOMS: readonly Crowd[] = ['full', 'usual', 'none']

/**
 * Indexes networks, by default all three, from hostile nodes and compares the database with the chains.
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
      const own = await simulatedNetwork({
        ...{ network, databaseUrl, firstBlocks, blooms, faults, patience, hasPortal: network === ARCHIVED, ...share },
        seed: seed * 1_000 + index * 100,
      })
      closers.push(() => own.close())
      networks.push(own)
    }
    const killed = networks.filter((one) => one.network === KILLED)
    const process = workerOf(databaseUrl, killed, closers)
    const running = runThrough(options, database, networks, process, closers)
    // Does not wait for connections that are being opened.
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
    const reorgs = networks.reduce((sum, network) => sum + network.reorgs(), 0)
    const rollbacks = networks.reduce((sum, network) => sum + network.rollbacks(), 0)
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

/** Starts everything, moves the chains during faults, and ends when everything has recovered. */
async function runThrough(
  { databaseUrl, seed, blocks, onProgress, signal: outer }: SimulationOptions,
  database: Database,
  networks: readonly SimulatedNetwork[],
  process: WorkerProcess,
  closers: (() => Promise<unknown>)[],
) {
  const failed = new AbortController()
  const signal = AbortSignal.any([outer, failed.signal])
  const tally = { restarts: 0, restartsInJobs: 0, kills: 0, killsInJobs: 0, cutConnections: 0 }
  const folder = mkdtempSync(join(tmpdir(), 'dexfeed-lists-'))
  closers.push(async () => rmSync(folder, { recursive: true, force: true }))
  const checks = readChecks(
    database,
    networks.map(({ chain }) => chain),
    folder,
  )
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
    const own = network.network === KILLED ? process : null
    const disturbances = disturbancesOf({ network, requests, process: own, database, random, tally, signal })
    while (network.chain.blocks.length < blocks || awaitedBy(network).length > 0) {
      signal.throwIfAborted()
      await roomOn(network, signal)
      network.move()
      await disturbances.come()
      if (network.random.next() < READ_CHANCE) await checks.read(network.network, network.random.integer(2 * HOUR_S))
      onProgress?.(networks.map(({ network: name, chain }) => `${name} ${chain.blocks.length}`).join(', '))
    }
  })
  // If one of them fails, the others must end, too.
  await Promise.all(live).catch((error: unknown) => failed.abort(error))
  await Promise.allSettled(live)
  signal.throwIfAborted()
  await process.kill()
  for (const { schedule, portal } of networks) {
    schedule.clear()
    portal?.clear()
  }
  for (const network of networks.filter((one) => one.network === KILLED)) {
    await network.stop()
    await network.start('both')
  }
  for (const requests of requesters.values()) await requests.request(blocks)
  await settle(networks, database, signal)
  // Every run rolls committed blocks back: earlier reorgs may have come before their blocks were indexed.
  for (const network of networks) network.reorg()
  await settle(networks, database, signal)
  for (const { network } of networks) await checks.read(network, DAY_S)
  return { ...tally, reads: checks.count() }
}

/** Returns what must happen before a run ends. One false block may go unread, by an indexer that is stopped. */
function awaitedBy({ schedule, falseBlocks, reads }: SimulatedNetwork): string[] {
  const isUnreported = falseBlocks() > 0 && reads.falseBlocks === 0
  return [...schedule.awaited, ...(isUnreported ? [`a report of one of ${falseBlocks()} false blocks`] : [])]
}

/** Rejects with the signal's reason when it aborts. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

/** Returns the worker that is killed. On a busy machine it would take the jobs of any network that it knows. */
function workerOf(
  databaseUrl: string,
  networks: readonly SimulatedNetwork[],
  closers: (() => Promise<unknown>)[],
): WorkerProcess {
  const folder = mkdtempSync(join(tmpdir(), 'dexfeed-worker-'))
  closers.push(async () => rmSync(folder, { recursive: true, force: true }))
  const config = join(folder, 'dex-config.json')
  const entries = networks.map(({ chain: { market } }) => {
    const { network, ...deployment } = market.deployment
    return [network, deployment]
  })
  writeFileSync(config, JSON.stringify(Object.fromEntries(entries)))
  const urls = networks.map(({ network, rpcUrls }) => [`${network.toUpperCase()}_RPC_URL`, rpcUrls.join(',')])
  const worker = workerProcess({ DATABASE_URL: databaseUrl, DEX_CONFIG: config, ...Object.fromEntries(urls) })
  closers.push(() => worker.kill())
  return worker
}

async function roomOn(network: SimulatedNetwork, signal: AbortSignal): Promise<void> {
  const head = () => network.chain.blocks.length - 1
  const where = () => `${network.network} is at ${network.committedHead()} of ${head()}`
  await until(
    () => network.committedHead() >= head() - ROOM || network.indexings.some(({ hasEnded }) => hasEnded()),
    STALLED_MS,
    () => `${where()}\n${linesOf([network], 40).join('\n')}\n---`,
    signal,
  )
  if (network.indexings.some(({ hasEnded }) => hasEnded())) throw new Error(`${network.network} ended by itself`)
}

/** Waits until everything is indexed after the faults. */
async function settle(networks: readonly SimulatedNetwork[], { pool }: Database, signal: AbortSignal): Promise<void> {
  // Cascades of reorgs end first.
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

/**
 * Checks that no block was accepted without proof if every node can prove each block.
 *
 * @returns one text per violation
 */
function checkProofs({ network, proofs, reads }: SimulatedNetwork): string[] {
  const [problems, { proven, unproven, archived }]: [string[], typeof reads] = [[], reads]
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
