import type { Request } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'

/** Who asks, as far as rates and shares go: an IPv4 address, or the network of 56 bits that one gets by IPv6. */
export function clientOf({ ip }: Pick<Request, 'ip'>): string {
  if (ip === undefined) return ''
  // Most have an IPv4 address, and it stands as it is.
  return ip.includes(':') ? ipKeyGenerator(ip) : ip
}
