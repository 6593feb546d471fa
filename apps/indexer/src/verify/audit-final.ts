import { type Address, type BlockRange, MINUTE, SECOND, sharedRanges, withoutRanges } from '@dexfeed/dex'
import type { InvalidatedPool } from '@dexfeed/store'
import { type LoopContext, repeatStep } from '../loops/loop.ts'
import type { AuditNotes } from './audit-notes.ts'
import type { CheckedPart, PartChecker } from './range-checker.ts'

const STEP_BLOCKS = 16
/** Pause after a step, as a multiple of the step's duration. */
const REST_FACTOR = 4
const MIN_REST_MS = SECOND
const IDLE_MS = 10 * SECOND
const MAX_PAUSE_MS = 5 * MINUTE
const TRIES = 5

export interface AuditDependencies extends LoopContext {
  store: {
    networkRow(): Promise<{ finalNumber: number | null } | null>
    coveredRanges(): Promise<BlockRange[]>
    oldRanges(): Promise<BlockRange[]>
    audited(): Promise<number | null>
    setAudited(number: number): Promise<void>
  }
  checker: PartChecker
  notes: AuditNotes
  follower: { invalidate(pools: readonly InvalidatedPool[]): Promise<void> }
  onAudit(part: CheckedPart): void
}

/**
 * Audits blocks that were read at the head without proof: once they are final, compares them with the chain and repairs
 * them, because a node may have left out logs. Continues where it stopped.
 */
export async function auditFinal(dependencies: AuditDependencies, ended: AbortSignal): Promise<void> {
  const { log, clock } = dependencies
  const auditor = new Auditor(dependencies)
  const step = async () => {
    const started = performance.now()
    const isBusy = await auditor.step(ended)
    const rest = Math.max(MIN_REST_MS, REST_FACTOR * (performance.now() - started))
    return isBusy ? rest : IDLE_MS
  }
  const onFailure = (error: unknown) => log.warn({ err: error }, 'the audit of final blocks failed, trying again')
  await repeatStep({ ended, maxPauseMs: MAX_PAUSE_MS, clock }, step, onFailure)
}

export class Auditor {
  readonly #deps: AuditDependencies
  #tries = 0
  /** Blocks up to this one are not compared again. */
  #rechecked = -1

  constructor(dependencies: AuditDependencies) {
    this.#deps = dependencies
  }

  /** Returns whether a whole step is left. */
  async step(signal: AbortSignal): Promise<boolean> {
    const { store, checker, notes } = this.#deps
    const final = (await store.networkRow())?.finalNumber ?? null
    if (final === null) return false
    const done = await store.audited()
    if (done === null) {
      await store.setAudited(final)
      return false
    }
    // All other blocks are derived later, from final blocks.
    const current = withoutRanges(await store.coveredRanges(), await store.oldRanges())
    const next = sharedRanges(current, { from: done + 1, to: final })[0]
    if (next === undefined) return false
    const isProven = notes.isProven(next.from)
    const last = isProven ? next.to : Math.min(next.to, next.from + STEP_BLOCKS - 1)
    const range = { from: next.from, to: next.from }
    while (range.to < last && notes.isProven(range.to + 1) === isProven) range.to++
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
    this.#deps.notes.forgetProvenUpTo(number)
    return final - number >= STEP_BLOCKS
  }

  async #compareStates(part: CheckedPart): Promise<void> {
    const { log, notes } = this.#deps
    const pools = [...notes.differing(part, part.events)]
    if (pools.length === 0) return
    log.warn({ from: part.from, to: part.to, pools }, 'liquidity events of final blocks differed from the indexed ones')
    await this.#invalidate(pools, part.to)
  }

  async #onRepaired({ from, to, differences, pools }: CheckedPart): Promise<void> {
    const { log } = this.#deps
    const blocks = [...new Set(differences.map(({ blockNumber }) => blockNumber))]
    log.warn({ from, to, differences: differences.length, blocks }, 'rows of final blocks were wrong: repaired')
    await this.#invalidate(pools, to)
  }

  async #invalidate(pools: readonly Address[], blockNumber: number): Promise<void> {
    await this.#deps.follower.invalidate(pools.map((pool) => ({ pool, blockNumber })))
  }

  /**
   * Returns whether to compare again, because reference prices proved wrong. Each block is compared again only once.
   */
  #mustRecheck({ to, recheckFrom }: CheckedPart): boolean {
    return recheckFrom !== undefined && to > this.#rechecked
  }

  async #returnTo({ to, recheckFrom = to }: CheckedPart): Promise<boolean> {
    this.#deps.log.warn({ from: recheckFrom, to }, 'reference prices of the audit were wrong: comparing again')
    this.#rechecked = to
    await this.#deps.store.setAudited(recheckFrom - 1)
    return true
  }

  /** Throws to try again. After several tries, leaves the blocks to `npm run verify`. */
  #onUnsettled({ from, to }: BlockRange): void {
    if (++this.#tries < TRIES) throw new Error(`the nodes contradict each other about blocks ${from} to ${to}`)
    this.#deps.log.error({ from, to }, 'blocks were not audited, because the nodes contradict each other')
  }
}
