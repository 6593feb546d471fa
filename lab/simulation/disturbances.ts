import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '@dexfeed/devnet'
import { SECOND } from '@dexfeed/dex'
import type { Database } from '@dexfeed/store'
import type { BackfillRequests } from './backfill-requests.ts'
import type { SimulatedNetwork } from './simulated-network.ts'
import type { WorkerProcess } from './worker-process.ts'

export interface DisturbanceTally {
  restarts: number
  restartsInJobs: number
  kills: number
  killsInJobs: number
  cutConnections: number
}

export interface Disturbances {
  come(): Promise<void>
}

export interface DisturbanceOptions {
  network: SimulatedNetwork
  requests: BackfillRequests
  /** Null if the indexers do the jobs. */
  process: WorkerProcess | null
  database: Database
  random: Random
  tally: DisturbanceTally
  signal: AbortSignal
}

const CUT_CHANCE = 0.01
const PAUSE = 40
const FIRST_PAUSE = 14
/** How long to wait for a job; a fault may keep the worker from starting. */
const JOB_WAIT_MS = 2 * SECOND
const PROCESS_WAIT_MS = 8 * SECOND
const MOMENT_MS = 25
const MIN_BLOCKS = 12
const PIECES = 20

export function disturbancesOf(options: DisturbanceOptions): Disturbances {
  const { network, requests, process, database, random, tally, signal } = options
  if (!signal.aborted) process?.ensure()
  const piece = Math.max(MIN_BLOCKS, Math.ceil(network.startBlock / PIECES))
  let until = 1 + random.integer(FIRST_PAUSE)

  const jobsRunning = (): Promise<number> | number =>
    process === null ? network.indexings.reduce((sum, { jobs }) => sum + jobs(), 0) : requests.taken()
  const inJob = async () => {
    await requests.request(piece).catch(() => undefined)
    const count = async () => Promise.resolve(jobsRunning()).catch(() => 0)
    const waitMs = process === null ? JOB_WAIT_MS : PROCESS_WAIT_MS
    for (const end = Date.now() + waitMs; !signal.aborted && (await count()) === 0 && Date.now() < end; ) await delay(1)
    signal.throwIfAborted()
    await delay(random.integer(MOMENT_MS))
    return (await count()) > 0
  }
  const cut = async () => {
    tally.cutConnections++
    await cutConnections(database)
  }
  const restart = async () => {
    const isInJob = process === null && (await inJob())
    const busy = network.indexings.findIndex(({ jobs }) => jobs() > 0)
    const one = network.indexings[busy < 0 ? random.integer(network.indexings.length) : busy]
    // Without connections the indexer cannot release its jobs.
    if (random.next() < 0.5) await cut()
    tally.restarts++
    if (isInJob) tally.restartsInJobs++
    await one?.stop()
    await one?.start(process === null ? 'both' : 'follow')
  }
  const kill = async () => {
    process?.ensure()
    tally.kills++
    if (await inJob()) tally.killsInJobs++
    await process?.kill()
    process?.ensure()
  }
  return {
    async come() {
      if (random.next() < CUT_CHANCE) await cut()
      if (until-- > 0) return
      until = 1 + random.integer(2 * PAUSE)
      if (process !== null && (tally.kills === 0 || random.next() < 0.5)) await kill()
      else await restart()
    },
  }
}

async function cutConnections({ pool }: Database): Promise<void> {
  await pool
    .query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    )
    .catch(() => undefined)
}
