import { systemClock } from '@dexfeed/chain'
import { MINUTE, SECOND } from '@dexfeed/dex'
import type { PoolTrades } from '@dexfeed/store'
import { type LoopContext, repeatLogged, wakeSignal } from '../../loops/loop.ts'
import type { PoolRanks } from './read-order.ts'
import { type HoursOptions, storeHours } from './store-hours.ts'

const POLL_MS = SECOND / 4
/**
 * Share of the time for all other pools. While history sends requests, that is less than a tenth of what the head
 * leaves.
 */
const SHARE_OF_OTHERS = 1 / 3

export interface ReadPoolsOptions extends LoopContext {
  pools: {
    read(): Promise<boolean>
    hasTopUnread(): boolean
    onWork(listener: (work: 'read' | 'commit') => void): () => void
  }
  now?: () => number
}

/** One read sends requests while the other waits. */
const TOP_AT_A_TIME = 2

export async function readPools(
  { pools, log, clock = systemClock, now = () => performance.now() }: ReadPoolsOptions,
  ended: AbortSignal,
): Promise<void> {
  let restUntil = Number.NEGATIVE_INFINITY
  const work = wakeSignal(ended)
  const close = pools.onWork((kind) => (kind === 'read' ? work.wake() : undefined))
  const rest = async () => {
    const over = new AbortController()
    await Promise.race([clock.sleep(POLL_MS, over.signal), work.wait()])
    over.abort()
    return 0
  }
  const step = async () => {
    const isForTop = pools.hasTopUnread()
    if (now() < restUntil && !isForTop) return rest()
    const begun = now()
    const reads = await Promise.all(Array.from({ length: isForTop ? TOP_AT_A_TIME : 1 }, () => pools.read()))
    if (!reads.includes(true)) return rest()
    restUntil = now() + (now() - begun) * (1 / SHARE_OF_OTHERS - 1)
    return 0
  }
  await repeatLogged({ ended, log, clock }, 'pools could not be read, trying again', step).finally(close)
}

const MIN_PAUSE_MS = 5 * SECOND
/** Pause between counts, as a multiple of a count's duration, to bound the database's load. */
const PAUSE_FACTOR = 20

export interface RankPoolsOptions extends LoopContext {
  store: { poolTrades(): Promise<PoolTrades[]> }
  ranks: PoolRanks
}

export async function rankPools({ store, ranks, log, clock }: RankPoolsOptions, ended: AbortSignal): Promise<void> {
  const step = async () => {
    const begun = performance.now()
    await ranks.count(() => store.poolTrades())
    return Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * (performance.now() - begun))
  }
  await repeatLogged({ ended, log, clock, level: 'debug' }, 'trades of pools could not be counted, trying again', step)
}

export interface PruneOptions extends LoopContext, HoursOptions {
  store: HoursOptions['store'] & {
    networkRow(): Promise<{ finalNumber: number | null } | null>
    pruneStates(after: number, last: number): Promise<number>
  }
}

/** Deletes old states, after what pools hold at full hours is stored. */
export async function pruneStates(options: PruneOptions, ended: AbortSignal): Promise<void> {
  const { chain, store, log, clock } = options
  let pruned = -1
  const step = async () => {
    const number = (await store.networkRow())?.finalNumber ?? null
    const final = number === null || number <= pruned ? null : await chain.header(number, { anyEndpoint: true })
    if (final !== null) {
      await storeHours(options, final, ended)
      pruned = await store.pruneStates(pruned, final.number)
    }
    return MINUTE / 2
  }
  await repeatLogged({ ended, log, clock }, 'old pool states could not be deleted, trying again', step)
}
