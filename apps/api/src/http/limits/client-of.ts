import { isIP } from 'node:net'
import type { Request } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'

/** Returns what identifies a client for rates and quotas: an IPv4 address, or an IPv6 network of 56 bits. */
export function clientOf(request: Request): string {
  // Without this header the connection belongs to the client, even if it comes from a trusted proxy.
  const isForwarded = request.headers['x-forwarded-for'] !== undefined
  const ip = isForwarded ? withoutPort(request.ip ?? '') : ''
  // If it is no address, each spelling would be another client.
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
