import { SECOND } from '@dexfeed/dex'
import type { Request, Response } from 'express'
import { Cache, type Dependencies } from '../http/cache.ts'
import { type CachedResponse, inCoding, sendCached, textResponse } from '../http/cached-response.ts'
import { clientOf, disconnectSignal } from '../http/limits/client-of.ts'
import type { HoldBody } from '../http/limits/held-bodies.ts'
import type { RateLimit } from '../http/limits/rate-limit.ts'
import type { Turns } from '../http/limits/turns.ts'
import type { Changes } from '../service/change-feed.ts'

const MIB = 1024 * 1024
const KEPT = { maxBytes: 32 * MIB, maxEntryBytes: 2 * MIB, bytesOf: ({ length }: CachedResponse) => length }

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Who requests a read. */
export interface Requester {
  client: string
  signal: AbortSignal
  charge: (further: number) => void
}

export interface Answer {
  /** In addition to those for caching; JSON unless these name another type. */
  headers?: Readonly<Record<string, string>>
  text: string
}

interface Dispatched {
  /** Cache key; null: not cached. Cached answers are dropped at the next change, and after `maxAgeS`. */
  key: readonly unknown[] | null
  maxAgeS: number
  /** Whether the header `Accept` decides the type. */
  variesByAccept?: boolean
}

export interface Limits {
  rates: RateLimit
  hold: HoldBody
  turns: Turns
}

/** Takes a request of `/v1`, or of another service's protocol, to its response: kept or read, rendered, sent. */
export class Dispatcher {
  readonly limits: Limits
  readonly #mark: Dependencies['mark']
  readonly #kept = new Cache<CachedResponse>(() => performance.now() / SECOND, KEPT)

  constructor({ changes, mark, ...limits }: Limits & Pick<Dependencies, 'mark'> & { changes: Changes }) {
    this.limits = limits
    this.#mark = mark
    changes.subscribe(() => this.#kept.clear())
  }

  requester(request: Request, response: Response): Requester {
    return {
      client: clientOf(request),
      signal: disconnectSignal(response),
      charge: (further) => this.limits.rates.charge(request, response, further),
    }
  }

  /** Concurrent identical requests of a client share one read; another client's read may wait for that client's turn. */
  async dispatch(
    request: Request,
    response: Response,
    { key, maxAgeS, variesByAccept = false }: Dispatched,
    read: (by: Requester) => Promise<Answer>,
  ): Promise<void> {
    const by = this.requester(request, response)
    const caching = { 'Cache-Control': maxAgeS === 0 ? 'no-store' : `public, max-age=${maxAgeS}` }
    const answer = async () => {
      const { headers, text } = await read(by)
      return { headers: { ...caching, 'Content-Type': JSON_TYPE, ...headers }, text }
    }
    const prepare = async (length: number) => {
      await this.limits.turns.next(by.client)
      this.limits.hold(request, response, length)
      if (variesByAccept) response.vary('Accept')
    }
    if (key === null) {
      const { headers, text } = await answer()
      await prepare(text.length)
      response.set(headers).send(text)
      return
    }
    const { client: flight, signal } = by
    const plain = await this.#kept.read(JSON.stringify(key), { flight, mark: this.#mark, signal }, async () => {
      const { headers, text } = await answer()
      return { value: textResponse(text, headers), until: performance.now() / SECOND + maxAgeS }
    })
    const coded = await inCoding(request, response, plain)
    await prepare(coded.length)
    sendCached(request, response, coded)
  }
}
