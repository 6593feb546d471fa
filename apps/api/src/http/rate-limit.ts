import { createHash } from 'node:crypto'
import { SECOND } from '@dexfeed/dex'
import type { RequestHandler } from 'express'
import { clientOf } from './client-of.ts'
import { sendFailure } from './failure-handler.ts'
import { HttpFailure } from './http-failure.ts'

const HEALTH = new Set(['/livez', '/readyz'])
/** With more of them those whose second is over are forgotten. */
const MANY_CLIENTS = 10_000

/** What a client has asked for in the second that began with its first request. */
interface Client {
  endsAt: number
  requests: number
  policy: string
}

/**
 * At most `perSecond` requests a second and client; health checks are free, 0 is no limit. An IPv6 network of 56 bits is
 * one client. Headers as in draft-ietf-httpapi-ratelimit-headers-08. The counting is our own: the library's costs more
 * than all else in front of an answer, most of it for a hash a request.
 */
export function rateLimit(perSecond: number): RequestHandler {
  if (perSecond === 0) return (_request, _response, next) => next()
  const name = `"${perSecond}-in-1sec"`
  const clients = new Map<string, Client>()
  const countOf = (ip: string, now: number): Client => {
    const known = clients.get(ip)
    if (known !== undefined && known.endsAt > now) return known
    if (clients.size >= MANY_CLIENTS) forgetOver(clients, now)
    const policy = known?.policy ?? `${name}; q=${perSecond}; w=1; pk=:${partitionOf(ip)}:`
    const client = { endsAt: now + SECOND, requests: 0, policy }
    clients.set(ip, client)
    return client
  }
  return (request, response, next) => {
    if (HEALTH.has(request.path)) return next()
    const client = countOf(clientOf(request), performance.now())
    client.requests++
    response.setHeader('RateLimit', `${name}; r=${Math.max(0, perSecond - client.requests)}; t=1`)
    response.setHeader('RateLimit-Policy', client.policy)
    if (client.requests <= perSecond) return next()
    sendFailure(response, new HttpFailure(429, 'too many requests; try again in a second', { 'Retry-After': '1' }))
  }
}

/** Names the client to itself. */
function partitionOf(client: string): string {
  const hash = createHash('sha256').update(client).digest('hex')
  return Buffer.from(hash.slice(0, 12)).toString('base64')
}

function forgetOver(clients: Map<string, Client>, now: number): void {
  for (const [ip, { endsAt }] of clients) if (endsAt <= now) clients.delete(ip)
}
