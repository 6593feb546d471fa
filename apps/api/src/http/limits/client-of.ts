import { isIP } from 'node:net'
import type { Request, Response } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'

/** Returns the key by which rates and quotas identify a client: its IPv4 address, or its /56 IPv6 network. */
export function clientOf(request: Request): string {
  // Without this header the connection belongs to the client, even if it comes from a trusted proxy.
  const isForwarded = request.headers['x-forwarded-for'] !== undefined
  const ip = isForwarded ? withoutPort(request.ip ?? '') : ''
  // An invalid address is ignored, because each spelling of it would count as another client.
  return keyOf(isIP(ip) === 0 ? request.socket.remoteAddress : ip)
}

/** Removes the port and brackets that some proxies put into X-Forwarded-For. */
export function withoutPort(address: string): string {
  return address.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')
}

function keyOf(ip: string | undefined): string {
  if (ip === undefined) return ''
  return ip.includes(':') ? ipKeyGenerator(ip) : ip
}

export function disconnectSignal(response: Response): AbortSignal {
  const disconnected = new AbortController()
  response.once('close', () => disconnected.abort(new Error('the client is gone')))
  return disconnected.signal
}
