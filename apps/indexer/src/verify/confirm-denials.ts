import type { Chain } from '@dexfeed/chain'
import { MINUTE } from '@dexfeed/dex'
import type { IndexerStore, UnconfirmedDenial } from '@dexfeed/store'
import type { BlockProcessor } from '../blocks/process-blocks.ts'
import { repeatStep } from '../loops/repeat-step.ts'
import type { PoolRegistry } from '../pools/pool-registry.ts'
import { type PassedOverDependencies, readAgain } from './cover-passed-over.ts'

export interface DenialDependencies extends Omit<PassedOverDependencies, 'registry' | 'store'> {
  chain: Pick<Chain, 'readRange'>
  processor: Pick<BlockProcessor, 'verifyEmitters'>
  registry: Pick<PoolRegistry, 'known' | 'isConfirmedDenial'>
  store: PassedOverDependencies['store'] & Pick<IndexerStore, 'unconfirmedDenials' | 'settleDenials'>
}

/**
 * Asks again about emitters that one endpoint alone denied, whichever process left them out: once their blocks are final,
 * a minute after they were seen first and each further minute, by the events of the first of these blocks. Of those that
 * prove to be pools all blocks are read again.
 */
export async function confirmDenials(dependencies: DenialDependencies, ended: AbortSignal): Promise<void> {
  const { store, log, clock } = dependencies
  // Of a minute ago.
  let due: UnconfirmedDenial[] = []
  const step = async () => {
    const settled: UnconfirmedDenial[] = []
    const failures: unknown[] = []
    for (const denial of due) {
      try {
        if (await isSettled(dependencies, denial, ended)) settled.push(denial)
      } catch (error) {
        if (ended.aborted) return MINUTE
        // It must not keep the others from being settled; it is still stored.
        failures.push(error)
      }
    }
    await store.settleDenials(settled)
    due = await store.unconfirmedDenials((await store.networkRow())?.finalNumber ?? -1)
    if (failures.length > 0) log.warn({ err: failures[0] }, 'an emitter that was denied once could not be asked about')
    return MINUTE
  }
  const onFailure = (error: unknown) =>
    log.warn({ err: error }, 'emitters that were denied once could not be looked up')
  await repeatStep({ ended, clock }, step, onFailure)
}

/** Whether the emitter is denied by more than one answer, or its rows are there. */
async function isSettled(
  dependencies: DenialDependencies,
  { emitter, from, to }: UnconfirmedDenial,
  ended: AbortSignal,
): Promise<boolean> {
  const { chain, processor, registry } = dependencies
  const isPool = () => registry.known.pools.has(emitter)
  if (!isPool() && !registry.isConfirmedDenial(emitter)) {
    await processor.verifyEmitters((await chain.readRange(from, from)).blocks)
  }
  if (!isPool()) return registry.isConfirmedDenial(emitter)
  await readAgain(dependencies, { from, to }, ended)
  return true
}
