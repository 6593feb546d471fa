import { LRUCache } from 'lru-cache'
import { type CachedResponse, textResponse } from '../http/cached-response.ts'
import type { Changes } from '../service/change-feed.ts'
import type { RouteResponse } from './route-response.ts'

const MAX_LENGTH = 32 * 1024 * 1024
const MAX_ENTRY_LENGTH = 2 * 1024 * 1024
const MS = 1_000

interface KeptRequest {
  key: string
  client: string
  maxAgeS: number
}

/**
 * Caches responses until the database changes, at most as long as clients may. Identical requests of a client share a
 * read.
 */
export class KeptResponses {
  readonly #kept = new LRUCache<string, CachedResponse>({
    maxSize: MAX_LENGTH,
    maxEntrySize: MAX_ENTRY_LENGTH,
    sizeCalculation: ({ length }, key) => length + key.length,
  })
  #running = new Map<string, Promise<CachedResponse>>()

  constructor(changes: Changes) {
    changes.subscribe(() => {
      this.#kept.clear()
      // A running read may not see the change, so later requests do not wait for it, and it is not cached.
      this.#running = new Map()
    })
  }

  /** @throws what `read` throws; a failure is not shared, because it may concern only one connection */
  async of(request: KeptRequest, read: () => Promise<RouteResponse>): Promise<CachedResponse> {
    const { key, client } = request
    // Another client's read may be waiting for that client's earlier requests.
    const own = `${client} ${key}`
    for (;;) {
      const kept = this.#kept.get(key) ?? (await this.#running.get(own)?.catch(() => undefined))
      if (kept !== undefined) return kept
      if (!this.#running.has(own)) return await this.#read(request, own, read)
    }
  }

  async #read({ key, maxAgeS }: KeptRequest, own: string, read: () => Promise<RouteResponse>): Promise<CachedResponse> {
    const running = this.#running
    const reading = read().then(({ headers, text }) => textResponse(text, headers))
    running.set(own, reading)
    try {
      const response = await reading
      if (running === this.#running) this.#kept.set(key, response, { ttl: maxAgeS * MS })
      return response
    } finally {
      running.delete(own)
    }
  }
}
