import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { NetworkName } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import { type IndexerRun, startVerifyStates } from '../../indexer-process.ts'

export interface VerifiedStates {
  compared: number
  differing: number
}

/**
 * Lets `npm run verify -- --states` compare every pool state that is stored with the chain, beside the running indexer.
 *
 * @throws if it could not
 */
export async function verifyStates(run: IndexerRun, network: NetworkName, shutdown: Shutdown): Promise<VerifiedStates> {
  const child = startVerifyStates(run, network, shutdown)
  if (child.stdout === null || child.stderr === null) throw new Error('verify has no output')
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  const found = readVerified(out)
  if (found === null) throw new Error(`the states of ${network} were not compared: ${errors}${out}`)
  return found
}

/** Reads the last line; null: it shows no states. */
export function readVerified(out: string): VerifiedStates | null {
  const [, compared, rest] = /and (\d+) pool states compared(.*)$/m.exec(out) ?? []
  if (compared === undefined || rest === undefined) return null
  return { compared: Number(compared), differing: Number(/(\d+) differences/.exec(rest)?.[1] ?? 0) }
}
