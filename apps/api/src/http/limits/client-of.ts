import type { Request } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'

/** Who asks, as far as rates and shares go: an IPv4 address, or the network of 56 bits that one gets by IPv6. */
export function clientOf(request: Request): string {
  // Without that header nobody speaks for anybody else, whoever is trusted to.
  const isForwarded = request.headers['x-forwarded-for'] !== undefined
  return keyOf(isForwarded ? request.ip : request.socket.remoteAddress)
}

function keyOf(ip: string | undefined): string {
  if (ip === undefined) return ''
  // Most have an IPv4 address, and it stands as it is.
  return ip.includes(':') ? ipKeyGenerator(ip) : ip
}
