import { z } from 'zod'
import { readAddress } from '../checksum-address.ts'

// Parameters of several routes. Each returns its value as the store uses it.

/** An address in any case, returned in lower case. Mixed case must be the EIP-55 checksum. */
export function addressParameter(name: string, description: string) {
  const message = `${name} must be given once, as 0x and 40 hex digits, mixed case by EIP-55`
  return z
    .string({ error: message })
    .transform((text, context): `0x${string}` => {
      const address = readAddress(text)
      if (address !== null) return address
      context.addIssue({ code: 'custom', message, input: text })
      return z.NEVER
    })
    .meta({ pattern: '^0x[0-9a-fA-F]{40}$', description, example: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c' })
}

function hexParameter(name: string, what: string, form: RegExp, meta: { description: string; pattern: string }) {
  const message = `${name} must be given once, as ${what}`
  return z
    .string({ error: message })
    .regex(form, { error: message })
    .transform((text) => text.toLowerCase() as `0x${string}`)
    .meta(meta)
}

/** A transaction's hash. */
export function hashParameter(name: string, description: string) {
  const pattern = '^0x[0-9a-fA-F]{64}$'
  return hexParameter(name, '0x and 64 hex digits', new RegExp(pattern), { pattern, description })
}

/** A pool's identifier: its contract, or its manager or vault and the pool's address or id there. */
export function poolParameter(name: string, description: string) {
  const pattern = '^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{80}|[0-9a-fA-F]{104})$'
  return hexParameter(name, '0x and 40, 80 or 104 hex digits', new RegExp(pattern), { pattern, description })
}

/** The name of a DEX, as `/v1/protocols` lists them. */
export function protocolParameter(name: string) {
  const message = `${name} must be given once, as a name of at most 64 letters, digits, dots and hyphens`
  return z
    .string({ error: message })
    .regex(/^[a-zA-Z0-9][a-zA-Z0-9.-]{0,63}$/, { error: message })
    .meta({ description: 'Name of a DEX, as `/v1/protocols` lists them', example: 'uniswap-v3' })
}

const FIRST_TIME = Date.UTC(2009, 0)
const LAST_TIME = Date.UTC(2200, 0)

/** A moment in UTC, returned as whole seconds since 1970. */
export function timeParameter(name: string, description: string) {
  const message = `${name} must be given once, as a moment in UTC like 2026-11-21T12:00:00Z`
  return z
    .string({ error: message })
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, { error: message })
    .transform((text, context): number => {
      const ms = Date.parse(text)
      // Date.parse reads the 30th of February as the 2nd of March.
      const isDate = ms >= FIRST_TIME && ms < LAST_TIME && new Date(ms).toISOString().startsWith(text.slice(0, -1))
      if (isDate) return ms / 1_000
      context.addIssue({ code: 'custom', message, input: text })
      return z.NEVER
    })
    .meta({ format: 'date-time', description, example: '2026-11-21T12:00:00Z' })
}

/** An amount in USD with at most eight fractional digits, as text. */
export function usdParameter(name: string, description: string) {
  const message = `${name} must be given once, as a decimal number with at most 18 digits before and 8 after the point`
  const pattern = '^\\d{1,18}(\\.\\d{1,8})?$'
  return z
    .string({ error: message })
    .regex(new RegExp(pattern), { error: message })
    .meta({ description, pattern, example: '1000' })
}
// Headers and parameters of every list of time intervals.

export const intervalHeaders = z.object({
  'X-Indexed-Block': z
    .string()
    .meta({ description: 'Last indexed block of the network, as `bsc=456`', example: 'bsc=48213377' }),
})

export const intervalTimes = {
  from: timeParameter('from', 'Intervals that begin at this moment or later').optional(),
  to: timeParameter('to', 'Intervals that begin before this moment').optional(),
}

/** First second of an interval, since 1970. */
export const intervalStart = z.int().min(0).max(7_258_118_400)
