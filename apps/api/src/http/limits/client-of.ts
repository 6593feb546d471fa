import type { Request } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'

/** Returns the client that rates and quotas count: an IPv4 address, or an IPv6 network of 56 bits. */
export function clientOf(request: Request): string {
  // Without this header the connection is the client's own, even from a trusted proxy.
  const isForwarded = request.headers['x-forwarded-for'] !== undefined
  return keyOf(isForwarded ? request.ip : request.socket.remoteAddress)
}

function keyOf(ip: string | undefined): string {
  if (ip === undefined) return ''
  // The usual case: an IPv4 address is its own key.
  return ip.includes(':') ? ipKeyGenerator(ip) : ip
}
