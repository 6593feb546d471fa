import { SECOND } from '@dexfeed/dex'
import { Cache, type Dependencies } from '../http/cache.ts'
import { type CachedResponse, textResponse } from '../http/cached-response.ts'
import type { Changes } from '../service/change-feed.ts'
import type { Answer, Requester } from './answer.ts'

const MIB = 1024 * 1024
const KEPT = { maxBytes: 32 * MIB, maxEntryBytes: 2 * MIB, bytesOf: ({ length }: CachedResponse) => length }

/** Returns the kept answer of an identical request, or reads it. */
export type KeptAnswers = (
  asked: { key: string; maxAgeS: number; by: Requester },
  answer: () => Promise<Answer>,
) => Promise<CachedResponse>

/** Keeps answers until the next change. Concurrent identical requests of a client share one read. */
export function keptAnswers({ changes, mark }: Pick<Dependencies, 'mark'> & { changes: Changes }): KeptAnswers {
  const cache = new Cache<CachedResponse>(() => performance.now() / SECOND, KEPT)
  changes.subscribe(() => cache.clear())
  // Another client's read may be waiting for that client's earlier requests.
  return ({ key, maxAgeS, by: { client: flight, signal } }, answer) =>
    cache.read(key, { flight, mark, signal }, async () => {
      const { headers, text } = await answer()
      return { value: textResponse(text, headers), until: performance.now() / SECOND + maxAgeS }
    })
}
