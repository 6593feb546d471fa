import { createHash } from 'node:crypto'
import { SECOND } from '@dexfeed/dex'
import type { ApiKey } from '@dexfeed/service'
import type { Request, Response } from 'express'
import { type Guard, pathOf } from '../guards.ts'
import { HttpFailure } from '../http-failure.ts'
import { clientOf } from './client-of.ts'

const HEALTH = new Set(['/livez', '/readyz'])
const MANY_CLIENTS = 10_000

interface KeyLimit {
  id: string
  perSecond: number
}

interface Client {
  perSecond: number
  endsAt: number
  requests: number
  policy: string
}

/**
 * Limits the requests per second of each client or API key; 0 disables a limit. Headers follow
 * draft-ietf-httpapi-ratelimit-headers-08. Not express-rate-limit: its hash per request costs more than all other work
 * before a response. Each process counts alone, because the proxy sends all requests of a client to one process.
 */
export class RateLimit {
  readonly #usual: number
  /** Keyed by the hash of the secret, so that lookup times reveal nothing about it. */
  readonly #keys: ReadonlyMap<string, KeyLimit>
  readonly #clients = new Map<string, Client>()

  constructor(perSecond: number, keys: readonly ApiKey[] = []) {
    this.#usual = perSecond
    this.#keys = new Map(keys.map(({ name, secret, perSecond }) => [hashOf(secret), { id: `key ${name}`, perSecond }]))
  }

  /** @throws HttpFailure 429 above the limit, 401 for an unknown key */
  get guard(): Guard {
    if (this.#usual === 0 && this.#keys.size === 0) return () => {}
    return (request, response) => {
      const { url } = request
      // A target may be a whole URL (RFC 9112 section 3.2.2).
      if (HEALTH.has(url.startsWith('/') ? pathOf(url) : request.path)) return
      const key = this.#keyOf(request)
      const client = this.#clientOf(request, key, performance.now())
      if (client !== null) {
        client.requests++
        setHeaders(response, client)
        if (client.requests > client.perSecond) throw tooMany()
      }
      if (key === 'unknown') throw new HttpFailure(401, 'unknown API key', { 'WWW-Authenticate': 'Bearer' })
    }
  }

  /**
   * Charges further reads of an accepted request all at once: a client above its limit already waits for the next
   * second.
   *
   * @throws HttpFailure 429
   */
  charge(request: Request, response: Response, further: number): void {
    const client = this.#clientOf(request, this.#keyOf(request), performance.now())
    if (client === null) return
    if (client.requests > client.perSecond) throw tooMany()
    client.requests += further
    setHeaders(response, client)
  }

  #keyOf({ headers }: Request): KeyLimit | 'unknown' | null {
    if (this.#keys.size === 0) return null
    const secret = headers['x-api-key'] ?? /^Bearer +(.*)$/i.exec(headers.authorization ?? '')?.[1]
    if (secret === undefined) return null
    return this.#keys.get(hashOf(String(secret).trim())) ?? 'unknown'
  }

  #clientOf(request: Request, key: KeyLimit | 'unknown' | null, now: number): Client | null {
    const own = key === 'unknown' ? null : key
    const perSecond = own?.perSecond ?? this.#usual
    if (perSecond === 0) return null
    const id = own?.id ?? clientOf(request)
    const known = this.#clients.get(id)
    if (known !== undefined && known.endsAt > now) return known
    if (this.#clients.size >= MANY_CLIENTS) dropEnded(this.#clients, now)
    const policy = known?.policy ?? `${nameOf(perSecond)}; q=${perSecond}; w=1; pk=:${partitionOf(id)}:`
    const client = { perSecond, endsAt: now + SECOND, requests: 0, policy }
    this.#clients.set(id, client)
    return client
  }
}

function nameOf(perSecond: number): string {
  return `"${perSecond}-in-1sec"`
}

function setHeaders(response: Response, { perSecond, requests, policy }: Client): void {
  response.setHeader('RateLimit', `${nameOf(perSecond)}; r=${Math.max(0, perSecond - requests)}; t=1`)
  response.setHeader('RateLimit-Policy', policy)
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64')
}

function tooMany(): HttpFailure {
  return new HttpFailure(429, 'too many requests; try again in a second', { 'Retry-After': '1' })
}

function partitionOf(client: string): string {
  const hash = createHash('sha256').update(client).digest('hex')
  return Buffer.from(hash.slice(0, 12)).toString('base64')
}

function dropEnded(clients: Map<string, Client>, now: number): void {
  for (const [ip, { endsAt }] of clients) if (endsAt <= now) clients.delete(ip)
}
