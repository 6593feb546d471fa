import { createHash } from 'node:crypto'
import { SECOND } from '@dexfeed/dex'
import type { Request, Response } from 'express'
import { type Guard, pathOf } from '../front.ts'
import { HttpFailure } from '../http-failure.ts'
import { clientOf } from './client-of.ts'
import type { SharedLimit } from './shared-limits.ts'

const HEALTH = new Set(['/livez', '/readyz'])
/** With more of them those whose second is over are forgotten. */
const MANY_CLIENTS = 10_000
/** Who asks for less than this part of the limit is no matter for other processes: there are not so many of those. */
const LITTLE = 1 / 32

/** What a client has asked for in the second that began with its first request. */
interface Client {
  endsAt: number
  requests: number
  /** In the second before that, where that has just ended. */
  before: number
  /** What it may ask for here. */
  allowed: number
  policy: string
}

/**
 * At most `perSecond` requests a second and client; health checks are free, 0 is no limit. An IPv6 network of 56 bits is
 * one client. Headers as in draft-ietf-httpapi-ratelimit-headers-08. The counting is our own: the library's costs more
 * than all else in front of an answer, most of it for a hash a request.
 *
 * A client that asks other processes, too, may ask here for what these leave, or for the part of the limit that its
 * requests here are of all.
 */
export class RateLimit implements SharedLimit {
  readonly #perSecond: number
  readonly #name: string
  readonly #clients = new Map<string, Client>()
  #elsewhere: ReadonlyMap<string, number> = new Map()

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
      this.#tell(response, client)
      if (client.requests > client.allowed) throw tooMany()
    }
  }

  /**
   * Counts what a request that has passed asks for beside itself. It is taken as a whole; who has asked for more than is
   * allowed already waits for the next second.
   *
   * @throws HttpFailure 429
   */
  charge(request: Request, response: Response, further: number): void {
    if (this.#perSecond === 0) return
    const client = this.#clientOf(clientOf(request), performance.now())
    if (client.requests > client.allowed) throw tooMany()
    client.requests += further
    this.#tell(response, client)
  }

  #tell(response: Response, { allowed, requests, policy }: Client): void {
    response.setHeader('RateLimit', `${this.#name}; r=${Math.max(0, allowed - requests)}; t=1`)
    response.setHeader('RateLimit-Policy', policy)
  }

  /** Requests of the last second, those that were refused among them. */
  taken(): Record<string, number> {
    const now = performance.now()
    const taken: Record<string, number> = {}
    for (const [ip, client] of this.#clients) {
      const asked = askedBy(client, now)
      if (asked > LITTLE * this.#perSecond) taken[ip] = asked
    }
    return taken
  }

  takenElsewhere(byClient: ReadonlyMap<string, number>): void {
    const now = performance.now()
    for (const ip of new Set([...this.#elsewhere.keys(), ...byClient.keys()])) {
      const client = this.#clients.get(ip)
      if (client !== undefined) client.allowed = this.#allowed(byClient.get(ip) ?? 0, askedBy(client, now))
    }
    this.#elsewhere = byClient
  }

  #allowed(elsewhere: number, here: number): number {
    if (elsewhere === 0) return this.#perSecond
    const part = Math.floor((this.#perSecond * here) / (here + elsewhere))
    return Math.max(1, this.#perSecond - elsewhere, part)
  }

  #clientOf(ip: string, now: number): Client {
    const known = this.#clients.get(ip)
    if (known !== undefined && known.endsAt > now) return known
    if (this.#clients.size >= MANY_CLIENTS) forgetOver(this.#clients, now)
    const before = known === undefined ? 0 : askedBy(known, now)
    const elsewhere = this.#elsewhere.get(ip) ?? 0
    const policy = known?.policy ?? `${this.#name}; q=${this.#perSecond}; w=1; pk=:${partitionOf(ip)}:`
    const client = { endsAt: now + SECOND, requests: 0, before, allowed: this.#allowed(elsewhere, before), policy }
    this.#clients.set(ip, client)
    return client
  }
}

function tooMany(): HttpFailure {
  return new HttpFailure(429, 'too many requests; try again in a second', { 'Retry-After': '1' })
}

/** Of the last second, or of the one before that where it asked for more then; nothing once both are over. */
function askedBy({ requests, before, endsAt }: Client, now: number): number {
  if (now > endsAt + SECOND) return 0
  return now > endsAt ? requests : Math.max(requests, before)
}

/** Names the client to itself. */
function partitionOf(client: string): string {
  const hash = createHash('sha256').update(client).digest('hex')
  return Buffer.from(hash.slice(0, 12)).toString('base64')
}

function forgetOver(clients: Map<string, Client>, now: number): void {
  for (const [ip, { endsAt }] of clients) if (endsAt <= now) clients.delete(ip)
}
