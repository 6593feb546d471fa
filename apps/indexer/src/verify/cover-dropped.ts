import {
  type Block,
  type BlockRange,
  MINUTE,
  missingRanges,
  type PoolAddress,
  SECOND,
  sharedRanges,
} from '@dexfeed/dex'
import type { UnconfirmedDenial } from '@dexfeed/store'
import type { RangeSource } from '../blocks/read-ahead.ts'
import { type IndexerLog, type LoopClock, repeatLogged } from '../loops/loop.ts'
import type { PartChecker } from './range-checker.ts'

const IDLE_MS = 5 * SECOND

interface RereadStore {
  networkRow(): Promise<{ finalNumber: number | null } | null>
  coveredRanges(): Promise<BlockRange[]>
}

interface RereadDependencies {
  store: RereadStore
  checker: PartChecker
  log: IndexerLog
}

interface DroppedDependencies extends RereadDependencies {
  registry: { takeDropped(): BlockRange[]; postponeDropped(ranges: readonly BlockRange[]): void }
  clock?: LoopClock
}

export async function coverDropped(dependencies: DroppedDependencies, ended: AbortSignal): Promise<void> {
  const { registry, log, clock } = dependencies
  const step = async () => {
    const failures: unknown[] = []
    for (const range of registry.takeDropped()) {
      try {
        registry.postponeDropped(ended.aborted ? [range] : await readAgain(dependencies, range, ended))
      } catch (error) {
        registry.postponeDropped([range])
        failures.push(error)
      }
    }
    if (failures.length > 0 && !ended.aborted) throw failures[0]
    return IDLE_MS
  }
  await repeatLogged({ ended, log, clock }, 'could not read again the blocks of pools that had been rejected', step)
}

/** Compares the final, covered blocks of a range with the chain and repairs them. Returns the other blocks. */
async function readAgain(
  { store, checker, log }: RereadDependencies,
  range: BlockRange,
  ended: AbortSignal,
): Promise<BlockRange[]> {
  const finalNumber = (await store.networkRow())?.finalNumber ?? -1
  const final = { from: range.from, to: Math.min(range.to, finalNumber) }
  const ready = final.from > final.to ? [] : sharedRanges(await store.coveredRanges(), final)
  for (const part of ready) {
    for await (const { outcome, from, to, pools } of checker.check(part, true, ended)) {
      if (outcome === 'unsettled') throw new Error(`the nodes contradict each other about blocks ${from} to ${to}`)
      if (outcome !== 'repaired') continue
      log.warn({ from, to, pools }, 'added rows of pools that had been rejected by mistake')
    }
  }
  return missingRanges(range, ready)
}

interface DenialStore extends RereadStore {
  unconfirmedDenials(final: number): Promise<UnconfirmedDenial[]>
  settleDenials(denials: readonly UnconfirmedDenial[]): Promise<unknown>
}

interface DenialDependencies extends RereadDependencies {
  chain: RangeSource
  processor: { verifyEmitters(blocks: readonly Block[]): Promise<void> }
  registry: { known: { pools: { has(pool: PoolAddress): boolean } }; isConfirmedDenial(emitter: PoolAddress): boolean }
  store: DenialStore
  clock?: LoopClock
}

/** Limit per round, because thousands of cloned contracts may each need a block of their own. */
const ROUND_BLOCKS = 32

/**
 * Checks again the emitters that a single response said are not pools. Waits until their blocks are final, and verifies
 * each emitter by the events of one block. If it proves to be a pool, all its blocks are read again.
 */
export async function confirmDenials(dependencies: DenialDependencies, ended: AbortSignal): Promise<void> {
  const { store, log, clock } = dependencies
  const rounds = new DenialRounds(dependencies, ended)
  // Loaded in the last round: a lone endpoint confirms a denial only by repeating it a minute later.
  let due: UnconfirmedDenial[] = []
  const step = async () => {
    const { settled, failures } = await rounds.next(due)
    if (ended.aborted) return MINUTE
    await store.settleDenials(settled)
    due = await store.unconfirmedDenials((await store.networkRow())?.finalNumber ?? -1)
    if (failures.length > 0)
      log.warn({ err: failures[0] }, 'could not check again whether a rejected contract is a pool, trying again')
    return MINUTE
  }
  await repeatLogged({ ended, log, clock }, 'could not load the contracts that were rejected as pools', step)
}

/** A block that cannot be read does not hold up the others. */
class DenialRounds {
  readonly #deps: DenialDependencies
  readonly #ended: AbortSignal
  #lastBlock = -1
  #failures: unknown[] = []

  constructor(dependencies: DenialDependencies, ended: AbortSignal) {
    this.#deps = dependencies
    this.#ended = ended
  }

  /** A denial is settled once a second response confirms it, or the pool's rows are stored. */
  async next(due: readonly UnconfirmedDenial[]): Promise<{ settled: UnconfirmedDenial[]; failures: unknown[] }> {
    const { registry } = this.#deps
    this.#failures = []
    for (const block of this.#blocksOf(due)) await this.#verify(block, due)
    const isPool = ({ emitter }: UnconfirmedDenial) => registry.known.pools.has(emitter)
    const readAgain = await this.#readAgain(due.filter(isPool))
    const confirmed = due.filter((denial) => !isPool(denial) && registry.isConfirmedDenial(denial.emitter))
    return { settled: [...confirmed, ...readAgain], failures: this.#failures }
  }

  #isOpen({ emitter }: UnconfirmedDenial): boolean {
    const { registry } = this.#deps
    return !registry.known.pools.has(emitter) && !registry.isConfirmedDenial(emitter)
  }

  #blocksOf(due: readonly UnconfirmedDenial[]): number[] {
    const blocks = [...new Set(due.filter((denial) => this.#isOpen(denial)).map(({ from }) => from))]
    const behind = blocks.filter((block) => block > this.#lastBlock)
    return [...behind, ...blocks.filter((block) => block <= this.#lastBlock)].slice(0, ROUND_BLOCKS)
  }

  async #verify(block: number, due: readonly UnconfirmedDenial[]): Promise<void> {
    const { chain, processor } = this.#deps
    if (!due.some((denial) => denial.from === block && this.#isOpen(denial))) return
    this.#lastBlock = block
    await this.#attempt(async () => processor.verifyEmitters((await chain.readRange(block, block)).blocks))
  }

  async #readAgain(ofPools: readonly UnconfirmedDenial[]): Promise<UnconfirmedDenial[]> {
    const read: UnconfirmedDenial[] = []
    for (const { range, denials } of overlapping(ofPools)) {
      if (await this.#attempt(() => readAgain(this.#deps, range, this.#ended))) read.push(...denials)
    }
    return read
  }

  async #attempt(work: () => Promise<unknown>): Promise<boolean> {
    if (this.#ended.aborted) return false
    try {
      await work()
      return true
    } catch (error) {
      this.#failures.push(error)
      return false
    }
  }
}

function overlapping(denials: readonly UnconfirmedDenial[]): { range: BlockRange; denials: UnconfirmedDenial[] }[] {
  const groups: { range: BlockRange; denials: UnconfirmedDenial[] }[] = []
  for (const denial of [...denials].sort((a, b) => a.from - b.from)) {
    const last = groups.at(-1)
    if (last === undefined || denial.from > last.range.to) {
      groups.push({ range: { from: denial.from, to: denial.to }, denials: [denial] })
    } else {
      last.range.to = Math.max(last.range.to, denial.to)
      last.denials.push(denial)
    }
  }
  return groups
}
