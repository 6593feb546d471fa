import { isIP } from 'node:net'
import type { Request } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'

/** Returns the client that rates and quotas count: an IPv4 address, or an IPv6 network of 56 bits. */
export function clientOf(request: Request): string {
  // Without this header the connection is the client's own, even from a trusted proxy.
  const isForwarded = request.headers['x-forwarded-for'] !== undefined
  const ip = isForwarded ? withoutPort(request.ip ?? '') : ''
  // A text that is not an address would make one client of each of its spellings.
  return keyOf(isIP(ip) === 0 ? request.socket.remoteAddress : ip)
}

/** Returns an address of X-Forwarded-For as it is alone: some proxies add the port, and brackets for IPv6. */
export function withoutPort(address: string): string {
  return address.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')
}

function keyOf(ip: string | undefined): string {
  if (ip === undefined) return ''
  // The usual case: an IPv4 address is its own key.
  return ip.includes(':') ? ipKeyGenerator(ip) : ip
}
