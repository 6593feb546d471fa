import { z } from 'zod'
import { readAddress } from '../checksum-address.ts'
import { textParameter } from '../parameters.ts'

// Each parameter returns its value in the form that the store uses.

/** What can be searched for. Postgres refuses some control characters and lone surrogates. */
export const PLAIN_TEXT = /^[^\p{Cc}\p{Cs}]{0,128}$/u

/** Returns an address in lower case. Mixed case must match the EIP-55 checksum. */
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
    .meta({
      pattern: '^0x[0-9a-fA-F]{40}$',
      description,
      example: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c',
    })
}

function hexParameter(name: string, what: string, meta: { description: string; pattern: string }) {
  return textParameter(name, what, new RegExp(meta.pattern))
    .transform((text) => text.toLowerCase() as `0x${string}`)
    .meta(meta)
}

export function hashParameter(name: string, description: string) {
  const pattern = '^0x[0-9a-fA-F]{64}$'
  return hexParameter(name, '0x and 64 hex digits', { pattern, description })
}

export const POOL_FORM = '0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64}|[0-9a-fA-F]{80}|[0-9a-fA-F]{104})'

/** Accepts a pool's contract; its manager or vault followed by its address or id there; or just its 32-byte id. */
export function poolParameter(name: string, description: string) {
  const pattern = `^${POOL_FORM}$`
  return hexParameter(name, '0x and 40, 64, 80 or 104 hex digits', {
    pattern,
    description: `${description}: its contract address, or its 32-byte id, optionally preceded by the address of its manager or vault`,
  })
}

export const PROTOCOL_FORM = /^[a-zA-Z0-9][a-zA-Z0-9.-]{0,63}$/

export function protocolParameter(name: string) {
  return textParameter(name, 'a name of at most 64 letters, digits, dots and hyphens', PROTOCOL_FORM).meta({
    description: 'Name of a DEX, from `/v1/protocols`',
    example: 'uniswap-v3',
  })
}

const FIRST_TIME = Date.UTC(2009, 0)
const LAST_TIME = Date.UTC(2200, 0)

const TIME_FORM =
  'a time like 2026-11-21T12:00:00Z, 2026-11-21T12:00:00.000Z, 2026-11-21T14:00:00+02:00, 2026-11-21 (its first ' +
  'second in UTC) or 1795262400 (seconds since 1970)'

// A plus sign that a client did not encode arrives as a space.
const MOMENT =
  /^(\d{4}-\d\d-\d\d)(?:T((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(Z|[+ -](?:0\d|1[0-4]):[0-5]\d))?$/
const SECONDS = /^\d{9,10}$/

/** Returns seconds since 1970, rounded up so that they are never before the moment. */
export function timeParameter(name: string, description: string) {
  const message = `${name} must be given once, as ${TIME_FORM}`
  return z
    .string({ error: message })
    .transform((text, context): number => {
      const seconds = secondsOf(text)
      if (seconds * 1_000 >= FIRST_TIME && seconds * 1_000 < LAST_TIME) return seconds
      context.addIssue({ code: 'custom', message, input: text })
      return z.NEVER
    })
    .meta({
      pattern: `${MOMENT.source}|${SECONDS.source}`,
      description: `${description}: an ISO 8601 time with Z or an offset, a date, or seconds since 1970`,
      example: '2026-11-21T12:00:00Z',
    })
}

/** Returns NaN if the text is not a time. */
function secondsOf(text: string): number {
  if (SECONDS.test(text)) return Number(text)
  const [, date = '', minute = '00:00', second = '00', fraction = '', zone = 'Z'] = MOMENT.exec(text) ?? []
  // Date.parse reads 30 February as 2 March.
  const day = Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(day) || !new Date(day).toISOString().startsWith(date)) return Number.NaN
  const seconds = Date.parse(`${date}T${minute}:${second}${zone.replace(' ', '+')}`) / 1_000
  return /[1-9]/.test(fraction) ? seconds + 1 : seconds
}

export function usdParameter(name: string, description: string) {
  const form = /^\d{1,18}(\.\d{1,8})?$/
  return textParameter(name, 'a decimal number with at most 18 digits before and 8 after the point', form).meta({
    description,
    pattern: form.source,
    example: '1000',
  })
}

/** For routes that read days that only the lake has. */
export const lakeHeaders = {
  'X-Lake-Days': z.string().optional().meta({
    description:
      'The first and last day that were read from the lake, because the database no longer keeps them; absent if none was',
    example: '2026-10-20/2026-11-12',
  }),
}

export const networkHeaders = z.object({
  'X-Indexed-Block': z
    .string()
    .meta({ description: 'The last indexed block of the network, such as `bsc=456`', example: 'bsc=48213377' }),
})

export const intervalHeaders = networkHeaders.extend(lakeHeaders)

export const intervalTimes = {
  from: timeParameter('from', 'Only intervals that begin at this time or later').optional(),
  to: timeParameter('to', 'Only intervals that begin before this time').optional(),
}

/** Seconds since 1970. */
export const intervalStart = z.int().min(0).max(7_258_118_400)
