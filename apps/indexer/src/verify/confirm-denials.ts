import { MINUTE } from '@dexfeed/dex'
import type { IndexerStore, UnconfirmedDenial } from '@dexfeed/store'
import type { IndexerLog } from '../loops/indexer-log.ts'
import { type LoopClock, repeatStep } from '../loops/repeat-step.ts'
import type { PoolRegistry } from '../pools/pool-registry.ts'
import { type PassedOverDependencies, readAgain } from './cover-passed-over.ts'

export interface DenialDependencies extends Omit<PassedOverDependencies, 'registry' | 'store'> {
  registry: Pick<PoolRegistry, 'known' | 'isConfirmedDenial'>
  store: PassedOverDependencies['store'] & Pick<IndexerStore, 'unconfirmedDenials' | 'settleDenial'>
  log: IndexerLog
  clock?: LoopClock
}

/**
 * Asks again about emitters that one endpoint alone denied, whichever process left them out: a minute later at the
 * earliest, and once their blocks are final, the first of these blocks is read again, which asks anew. Of those that
 * prove to be pools all blocks are read again; of the others the second answer counts.
 */
export async function confirmDenials(dependencies: DenialDependencies, ended: AbortSignal): Promise<void> {
  const { store, log, clock } = dependencies
  // Of a minute ago.
  let due: UnconfirmedDenial[] = []
  const step = async () => {
    const failures: unknown[] = []
    for (const denial of due) {
      try {
        await settle(dependencies, denial, ended)
      } catch (error) {
        if (ended.aborted) return MINUTE
        // It must not keep the others from being settled; it is still stored.
        failures.push(error)
      }
    }
    due = await store.unconfirmedDenials((await store.networkRow())?.finalNumber ?? -1)
    if (failures.length > 0) log.warn({ err: failures[0] }, 'an emitter that was denied once could not be asked about')
    return MINUTE
  }
  const onFailure = (error: unknown) =>
    log.warn({ err: error }, 'emitters that were denied once could not be looked up')
  await repeatStep({ ended, clock }, step, onFailure)
}

async function settle(dependencies: DenialDependencies, denial: UnconfirmedDenial, ended: AbortSignal): Promise<void> {
  const { registry, store } = dependencies
  const { emitter, from, to } = denial
  const isPool = () => registry.known.pools.has(emitter)
  if (!isPool() && !registry.isConfirmedDenial(emitter)) await readAgain(dependencies, { from, to: from }, ended)
  if (isPool()) await readAgain(dependencies, { from, to }, ended)
  await store.settleDenial(denial)
}
