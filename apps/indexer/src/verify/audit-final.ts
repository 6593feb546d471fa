import { type Address, type BlockRange, MINUTE, SECOND, sharedRanges, withoutRanges } from '@dexfeed/dex'
import type { IndexerStore, InvalidatedPool } from '@dexfeed/store'
import type { BlockEvents } from '../blocks/process-blocks.ts'
import { type IndexerLog, type LoopClock, repeatStep } from '../loops/loop.ts'
import type { ProvenBlocks } from './proven-blocks.ts'
import type { CheckedPart, RangeChecker } from './range-checker.ts'

/** Blocks per step. Few, so that the head never waits for them. */
const STEP_BLOCKS = 16
/** The pause is this many times as long as the step took, and at least the minimum below. */
const REST_FACTOR = 4
const SHORTEST_REST_MS = SECOND
/** Pause while there are too few new final blocks for a whole step. */
const IDLE_MS = 10 * SECOND
const LONGEST_PAUSE_MS = 5 * MINUTE
/** Attempts for blocks on which the nodes contradict each other. */
const TRIES = 5

export interface AuditDependencies {
  store: Pick<IndexerStore, 'networkRow' | 'coveredRanges' | 'oldRanges' | 'audited' | 'setAudited'>
  checker: Pick<RangeChecker, 'check'>
  proven: Pick<ProvenBlocks, 'has' | 'forgetUpTo'>
  log: IndexerLog
  onAudit(part: CheckedPart): void
  /** Has pools read from the chain again, at a later block: some of their events up to this block were not indexed. */
  invalidate(pools: readonly InvalidatedPool[]): Promise<void>
  /** Returns the pools whose states were moved by events that differ from these. */
  findDiffering(range: BlockRange, events: readonly BlockEvents[]): Iterable<Address>
  clock?: LoopClock
}

/**
 * Compares each block that was taken at the head without proof with the chain once it is final, and repairs
 * differences. The reason: a node can leave out some of such a block's logs unnoticed. The audit begins with blocks
 * that become final after its first start, and continues where it stopped.
 */
export async function auditFinal(dependencies: AuditDependencies, ended: AbortSignal): Promise<void> {
  const { log, clock } = dependencies
  const auditor = new Auditor(dependencies)
  const step = async () => {
    const started = performance.now()
    const isBusy = await auditor.step(ended)
    const rest = Math.max(SHORTEST_REST_MS, REST_FACTOR * (performance.now() - started))
    return isBusy ? rest : IDLE_MS
  }
  const onFailure = (error: unknown) => log.warn({ err: error }, 'the audit of final blocks failed, trying again')
  await repeatStep({ ended, longestPauseMs: LONGEST_PAUSE_MS, clock }, step, onFailure)
}

export class Auditor {
  readonly #deps: AuditDependencies
  #tries = 0
  /** Blocks up to this one are not checked once more, whatever reference prices prove wrong. */
  #rechecked = -1

  constructor(dependencies: AuditDependencies) {
    this.#deps = dependencies
  }

  /** @returns whether enough blocks for a whole step are left */
  async step(signal: AbortSignal): Promise<boolean> {
    const { store, checker, proven } = this.#deps
    const final = (await store.networkRow())?.finalNumber ?? null
    if (final === null) return false
    const done = await store.audited()
    if (done === null) {
      await store.setAudited(final)
      return false
    }
    // Blocks that are not covered, or by older rules, are done later, from final blocks, so they need no audit.
    const current = withoutRanges(await store.coveredRanges(), await store.oldRanges())
    const next = sharedRanges(current, { from: done + 1, to: final })[0]
    if (next === undefined) return false
    const isProven = proven.has(next.from)
    const last = isProven ? next.to : Math.min(next.to, next.from + STEP_BLOCKS - 1)
    const range = { from: next.from, to: next.from }
    while (range.to < last && proven.has(range.to + 1) === isProven) range.to++
    if (isProven) return this.#done(range.to, final)
    for await (const part of checker.check(range, true, signal)) {
      if (part.outcome === 'unsettled') this.#onUnsettled(part)
      else if (part.outcome === 'repaired') await this.#onRepaired(part)
      if (part.outcome !== 'unsettled') await this.#compareStates(part)
      this.#deps.onAudit(part)
      if (this.#mustRecheck(part)) return this.#returnTo(part)
    }
    return this.#done(range.to, final)
  }

  async #done(number: number, final: number): Promise<boolean> {
    this.#tries = 0
    await this.#deps.store.setAudited(number)
    this.#deps.proven.forgetUpTo(number)
    return final - number >= STEP_BLOCKS
  }

  async #compareStates(part: CheckedPart): Promise<void> {
    const { log, findDiffering } = this.#deps
    const pools = [...findDiffering(part, part.events)]
    if (pools.length === 0) return
    log.warn({ from: part.from, to: part.to, pools }, 'liquidity events of final blocks were not those indexed')
    await this.#invalidate(pools, part.to)
  }

  async #onRepaired({ from, to, differences, pools }: CheckedPart): Promise<void> {
    const { log } = this.#deps
    const blocks = [...new Set(differences.map(({ blockNumber }) => blockNumber))]
    log.warn({ from, to, differences: differences.length, blocks }, 'rows of final blocks were wrong: repaired')
    await this.#invalidate(pools, to)
  }

  async #invalidate(pools: readonly Address[], blockNumber: number): Promise<void> {
    await this.#deps.invalidate(pools.map((pool) => ({ pool, blockNumber })))
  }

  /** Rows that were compared by false reference prices count as not compared. Once per block, so that lies end. */
  #mustRecheck({ to, recheckFrom }: CheckedPart): boolean {
    return recheckFrom !== undefined && to > this.#rechecked
  }

  async #returnTo({ to, recheckFrom = to }: CheckedPart): Promise<boolean> {
    this.#deps.log.warn({ from: recheckFrom, to }, 'reference prices of the audit were wrong: comparing again')
    this.#rechecked = to
    await this.#deps.store.setAudited(recheckFrom - 1)
    return true
  }

  /** Retries a few times if nodes contradict each other, then leaves the blocks to `npm run verify`. */
  #onUnsettled({ from, to }: BlockRange): void {
    if (++this.#tries < TRIES) throw new Error(`the nodes contradict each other about blocks ${from} to ${to}`)
    this.#deps.log.error({ from, to }, 'blocks are left without an audit: the nodes contradict each other')
  }
}
