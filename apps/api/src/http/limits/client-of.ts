import type { Request } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'

declare module 'express-serve-static-core' {
  interface Request {
    /** What `clientOf` found: Express works the address out anew whenever it is asked. */
    clientKey?: string
  }
}

/** Who asks, as far as rates and shares go: an IPv4 address, or the network of 56 bits that one gets by IPv6. */
export function clientOf(request: Request): string {
  request.clientKey ??= keyOf(request.ip)
  return request.clientKey
}

function keyOf(ip: string | undefined): string {
  if (ip === undefined) return ''
  // Most have an IPv4 address, and it stands as it is.
  return ip.includes(':') ? ipKeyGenerator(ip) : ip
}
