import type { Chain } from '@dexfeed/chain'
import { type BlockRange, MINUTE } from '@dexfeed/dex'
import type { IndexerStore, UnconfirmedDenial } from '@dexfeed/store'
import type { BlockProcessor } from '../blocks/process-blocks.ts'
import { repeatStep } from '../loops/loop.ts'
import type { PoolRegistry } from '../pools/pool-registry.ts'
import { type PassedOverDependencies, readAgain } from './cover-dropped.ts'

export interface DenialDependencies extends Omit<PassedOverDependencies, 'registry' | 'store'> {
  chain: Pick<Chain, 'readRange'>
  processor: Pick<BlockProcessor, 'verifyEmitters'>
  registry: Pick<PoolRegistry, 'known' | 'isConfirmedDenial'>
  store: PassedOverDependencies['store'] & Pick<IndexerStore, 'unconfirmedDenials' | 'settleDenials'>
}

/** Blocks that a round reads again, at most. Clones that emit our events may each have a block of their own. */
const ROUND_BLOCKS = 32

/**
 * Asks again about emitters that one endpoint alone denied, whichever process left them out: once their blocks are final,
 * a minute after they were seen first and each further minute, by the events of the first of these blocks. A block is read
 * once for all its emitters. Of those that prove to be pools all blocks are read again.
 */
export async function confirmDenials(dependencies: DenialDependencies, ended: AbortSignal): Promise<void> {
  const { store, log, clock } = dependencies
  const rounds = new DenialRounds(dependencies, ended)
  // Of a minute ago.
  let due: UnconfirmedDenial[] = []
  const step = async () => {
    const { settled, failures } = await rounds.next(due)
    if (ended.aborted) return MINUTE
    await store.settleDenials(settled)
    due = await store.unconfirmedDenials((await store.networkRow())?.finalNumber ?? -1)
    if (failures.length > 0) log.warn({ err: failures[0] }, 'an emitter that was denied once could not be asked about')
    return MINUTE
  }
  const onFailure = (error: unknown) =>
    log.warn({ err: error }, 'emitters that were denied once could not be looked up')
  await repeatStep({ ended, clock }, step, onFailure)
}

/** What cannot be read keeps no other emitter from being settled; it is still stored, and is tried again. */
class DenialRounds {
  readonly #deps: DenialDependencies
  readonly #ended: AbortSignal
  /** The block that was read last: the next round goes on behind it, so that each has its turn. */
  #lastBlock = -1
  #failures: unknown[] = []

  constructor(dependencies: DenialDependencies, ended: AbortSignal) {
    this.#deps = dependencies
    this.#ended = ended
  }

  /** Gives the denials that are settled: confirmed by more than one answer, or the rows are there. */
  async next(due: readonly UnconfirmedDenial[]): Promise<{ settled: UnconfirmedDenial[]; failures: unknown[] }> {
    const { registry } = this.#deps
    this.#failures = []
    for (const block of this.#blocksOf(due)) await this.#ask(block, due)
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

  /** Asks about all emitters of a block, unless another block of this round has settled what is due of them. */
  async #ask(block: number, due: readonly UnconfirmedDenial[]): Promise<void> {
    const { chain, processor } = this.#deps
    if (!due.some((denial) => denial.from === block && this.#isOpen(denial))) return
    this.#lastBlock = block
    await this.#attempt(async () => processor.verifyEmitters((await chain.readRange(block, block)).blocks))
  }

  /** Reads the blocks of pools again, those of several at once, and gives the denials of which that succeeded. */
  async #readAgain(ofPools: readonly UnconfirmedDenial[]): Promise<UnconfirmedDenial[]> {
    const read: UnconfirmedDenial[] = []
    for (const { range, denials } of overlapping(ofPools)) {
      if (await this.#attempt(() => readAgain(this.#deps, range, this.#ended))) read.push(...denials)
    }
    return read
  }

  /** Whether it succeeded. */
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

/** Denials whose blocks overlap, together. */
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
