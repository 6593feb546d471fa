import type { Hex } from '@dexfeed/dex'
import type { EndpointPool } from '../../endpoints/endpoint-pool.ts'
import { ChainError } from '../../errors/chain-error.ts'
import { askHeader } from '../read-header.ts'

/** The hashes of a block at every endpoint that answers; null: it does not have the block. */
export interface HashesAt {
  hashes: (Hex | null)[]
  /** How many do not answer, or serve another chain. */
  silent: number
}

/** Asks every endpoint for its chain, whatever it was before, and for a block's hash. */
export async function hashesAt(pool: EndpointPool, number: number): Promise<HashesAt> {
  const answers = await Promise.all(
    pool.endpoints.map(async (endpoint) => {
      endpoint.chain = 'unchecked'
      try {
        return [await pool.once(endpoint, 'live', async (session) => (await askHeader(session, number))?.hash ?? null)]
      } catch (error) {
        if (!(error instanceof ChainError)) throw error
        return []
      }
    }),
  )
  const hashes = answers.flat()
  return { hashes, silent: answers.length - hashes.length }
}
