import { LRUCache } from 'lru-cache'
import { type CachedResponse, textResponse } from '../http/cached-response.ts'
import type { ChangeFeed } from '../service/change-feed.ts'
import type { RouteResponse } from './route-response.ts'

/** Most characters of all responses, and of one. */
const MOST = 32 * 1024 * 1024
const MOST_OF_ONE = 2 * 1024 * 1024
const MS = 1_000

interface KeptRequest {
  /** Cache key: everything that the response depends on except the database. */
  key: string
  client: string
  maxAgeS: number
}

/**
 * The responses of identical requests. Each is kept until the database changes, at most as long as clients may keep it.
 * Identical requests of a client that run at the same time share one read.
 */
export class KeptResponses {
  readonly #kept = new LRUCache<string, CachedResponse>({
    maxSize: MOST,
    maxEntrySize: MOST_OF_ONE,
    sizeCalculation: ({ length }, key) => length + key.length,
  })
  #running = new Map<string, Promise<CachedResponse>>()

  constructor(changes: Pick<ChangeFeed, 'subscribe'>) {
    changes.subscribe(() => {
      this.#kept.clear()
      // A read that has begun may not see the change. Later requests do not wait for it, and it is not kept.
      this.#running = new Map()
    })
  }

  /**
   * Returns the response of a request.
   *
   * @throws what `read` throws: a failure is not shared, because it may belong to one connection
   */
  async of(request: KeptRequest, read: () => Promise<RouteResponse>): Promise<CachedResponse> {
    const { key, client } = request
    // Another client's read may wait for its earlier requests.
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
