import { createHash } from 'node:crypto'
import { SECOND } from '@dexfeed/dex'
import type { Request, Response } from 'express'
import { type Guard, pathOf } from '../front.ts'
import { HttpFailure } from '../http-failure.ts'
import { clientOf } from './client-of.ts'

const HEALTH = new Set(['/livez', '/readyz'])
/** With more clients than this, those whose second is over are dropped. */
const MANY_CLIENTS = 10_000

/** The requests of a client in the second that began with its first request. */
interface Client {
  endsAt: number
  requests: number
  policy: string
}

/**
 * Limits each client to `perSecond` requests per second. Health checks are free; 0 disables the limit. An IPv6 network
 * of 56 bits is one client. Headers as in draft-ietf-httpapi-ratelimit-headers-08. express-rate-limit does not count
 * here: its hash per request costs more than all other work before a response.
 *
 * Each process counts alone. The proxy of the containers sends all requests of a client to the same process.
 */
export class RateLimit {
  readonly #perSecond: number
  readonly #name: string
  readonly #clients = new Map<string, Client>()

  constructor(perSecond: number) {
    this.#perSecond = perSecond
    this.#name = `"${perSecond}-in-1sec"`
  }

  get guard(): Guard {
    const perSecond = this.#perSecond
    if (perSecond === 0) return () => {}
    return (request, response) => {
      const { url } = request
      // A target may be a whole URL (RFC 9112 section 3.2.2).
      if (HEALTH.has(url.startsWith('/') ? pathOf(url) : request.path)) return
      const client = this.#clientOf(clientOf(request), performance.now())
      client.requests++
      this.#setHeaders(response, client)
      if (client.requests > perSecond) throw tooMany()
    }
  }

  /**
   * Counts the reads of a request that has passed, beside the request itself. They are taken as a whole: a client that
   * has exceeded its limit already waits for the next second.
   *
   * @throws HttpFailure 429
   */
  charge(request: Request, response: Response, further: number): void {
    if (this.#perSecond === 0) return
    const client = this.#clientOf(clientOf(request), performance.now())
    if (client.requests > this.#perSecond) throw tooMany()
    client.requests += further
    this.#setHeaders(response, client)
  }

  #setHeaders(response: Response, { requests, policy }: Client): void {
    response.setHeader('RateLimit', `${this.#name}; r=${Math.max(0, this.#perSecond - requests)}; t=1`)
    response.setHeader('RateLimit-Policy', policy)
  }

  #clientOf(ip: string, now: number): Client {
    const known = this.#clients.get(ip)
    if (known !== undefined && known.endsAt > now) return known
    if (this.#clients.size >= MANY_CLIENTS) dropEnded(this.#clients, now)
    const policy = known?.policy ?? `${this.#name}; q=${this.#perSecond}; w=1; pk=:${partitionOf(ip)}:`
    const client = { endsAt: now + SECOND, requests: 0, policy }
    this.#clients.set(ip, client)
    return client
  }
}

function tooMany(): HttpFailure {
  return new HttpFailure(429, 'too many requests; try again in a second', { 'Retry-After': '1' })
}

/** Returns the name of a client in its own headers. */
function partitionOf(client: string): string {
  const hash = createHash('sha256').update(client).digest('hex')
  return Buffer.from(hash.slice(0, 12)).toString('base64')
}

function dropEnded(clients: Map<string, Client>, now: number): void {
  for (const [ip, { endsAt }] of clients) if (endsAt <= now) clients.delete(ip)
}
