import { isIP } from 'node:net'
import { dateOfDay, dayOf, NETWORK_NAMES, type NetworkName, SECOND } from '@dexfeed/dex'
import * as z from 'zod'
import { LOG_FORMATS, LOG_LEVELS } from '../logger.ts'
import { maskUrls } from '../mask-urls.ts'
import { type ApiKey, INDEXER_ROLES, type RpcRate } from './settings.ts'

const NAMED_PROXIES = ['loopback', 'linklocal', 'uniquelocal']

/** Thrown for a wrong value. The message follows "NAME: ". */
class Refused extends Error {}

function variable<T>(read: (text: string) => T) {
  return z
    .string()
    .transform((text, context): T => {
      try {
        return read(text)
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        for (const message of error.message.split('\n')) context.addIssue({ code: 'custom', message })
        return z.NEVER
      }
    })
    .optional()
}

export function keptDays(min: number, max: number) {
  return variable((text): number | null => {
    if (text.toLowerCase() === 'all') return null
    const days = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (days >= min && days <= max) return days
    throw new Refused(`must be all or a whole number from ${min} to ${max}, not ${quote(text)}`)
  })
}

/** In days since 1970 (UTC). */
export const date = variable((text): number => {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  const day = dayOf(time / SECOND)
  if (Number.isNaN(day) || dateOfDay(day) !== text) throw new Refused(`must be a date (YYYY-MM-DD), not ${quote(text)}`)
  return day
})

export function wholeNumber(from: number, to: number) {
  return variable((text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= from && value <= to)) {
      throw new Refused(`must be a whole number from ${from} to ${to}, not ${quote(text)}`)
    }
    return value
  })
}

function oneOf<Name extends string>(names: readonly Name[]) {
  return variable((text): Name => {
    const name = names.find((known) => known === text.toLowerCase())
    if (name === undefined) throw new Refused(`must be one of ${names.join(', ')}, not ${quote(text)}`)
    return name
  })
}

export const logLevel = oneOf(LOG_LEVELS)
export const logFormat = oneOf(LOG_FORMATS)
export const indexerRole = oneOf(INDEXER_ROLES)

export const onOrOff = variable((text): boolean => {
  if (!/^(on|off)$/i.test(text)) throw new Refused(`must be on or off, not ${quote(text)}`)
  return text.toLowerCase() === 'on'
})

export const networkList = variable((text): readonly NetworkName[] => {
  const names = listOf(text)
  const unknown = names.filter((name) => networkOf(name) === undefined)
  if (unknown.length > 0) {
    throw new Refused(
      unknown.map((name) => `${quote(name)} is unknown; there are ${NETWORK_NAMES.join(', ')}`).join('\n'),
    )
  }
  if (names.length === 0) throw new Refused('names no network')
  return NETWORK_NAMES.filter((network) => names.some((name) => networkOf(name) === network))
})

export const startBlocks = variable((text): Partial<Record<NetworkName, number>> => {
  const blocks: Partial<Record<NetworkName, number>> = {}
  for (const entry of listOf(text)) {
    const [name = '', block = '', ...rest] = entry.split(':').map((part) => part.trim())
    const network = networkOf(name)
    if (!network || !/^\d{1,12}$/.test(block) || rest.length > 0) {
      throw new Refused(`must be a list of network:block (such as eth:19000000,bsc:38000000), not ${quote(entry)}`)
    }
    if (blocks[network] !== undefined) throw new Refused(`names ${network} twice`)
    blocks[network] = Number(block)
  }
  return blocks
})

/** Reads a URL with one of the schemes, which end with a colon. Messages never show its user, path or query. */
export function urlOf(schemes: readonly string[]) {
  return variable((text) => checkUrl(text, schemes))
}

export const archiveUrl = urlOf(['https:', 'http:'])

const RPC_SCHEMES = ['http:', 'https:', 'ws:', 'wss:']

export const rpcUrls = variable((text): readonly string[] => {
  const urls = [...new Set(listOf(text))]
  if (urls.length === 0) throw new Refused('names no URL')
  const problems: string[] = []
  for (const url of urls) {
    try {
      checkUrl(url, RPC_SCHEMES)
    } catch (error) {
      problems.push((error as Error).message)
    }
  }
  if (problems.length === 0 && !urls.some((url) => /^https?:/i.test(url))) {
    problems.push(`needs at least one http:// or https:// URL beside ${urls.map(maskUrls).join(', ')}`)
  }
  if (problems.length > 0) throw new Refused(problems.join('\n'))
  return urls
})

/** Reads rates such as `25`, `100:30` with a burst, or `330cu` in compute units; `auto` is null. */
export const rpcRates = variable((text): readonly (RpcRate | null)[] => {
  const rates = listOf(text)
  if (rates.length === 0) throw new Refused('names no rate')
  return rates.map((entry) => {
    if (entry.toLowerCase() === 'auto') return null
    const [, rate = '0', units, burst = rate] = /^(\d{1,9})(cu)?(?::(\d{1,9}))?$/i.exec(entry) ?? []
    if (Number(rate) === 0 || Number(burst) === 0) {
      throw new Refused(
        `must be requests a second (25), with a burst (100:30), compute units (330cu) or auto, not ${quote(entry)}`,
      )
    }
    return { perS: Number(rate), burst: Number(burst), unit: units === undefined ? 'items' : 'compute units' }
  })
})

export const shareOfBlocks = variable((text): number => {
  if (text.toLowerCase() === 'all') return 1
  const percent = /^(\d{1,3}(?:\.\d{1,4})?)\s*%?$/.exec(text)?.[1]
  if (percent === undefined || Number(percent) > 100) {
    throw new Refused(`must be all or a percentage of the blocks (5, 0.1), not ${quote(text)}`)
  }
  return Number(percent) / 100
})

export const computeUnits = variable((text): Readonly<Record<string, number>> => {
  const units: Record<string, number> = {}
  for (const entry of listOf(text)) {
    const [, method, price] = /^(eth_[A-Za-z]{1,60})\s*:\s*(\d{1,6})$/.exec(entry) ?? []
    if (method === undefined || price === undefined) {
      throw new Refused(`must be a list of method:units (such as eth_getLogs:60,eth_call:26), not ${quote(entry)}`)
    }
    if (units[method] !== undefined) throw new Refused(`names ${method} twice`)
    units[method] = Number(price)
  }
  return units
})

export const trustProxy = variable((text): number | readonly string[] => {
  if (/^\d{1,3}$/.test(text)) return Number(text)
  const proxies = listOf(text)
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/')
    const width = isIP(address) === 6 ? 128 : 32
    const isRange = isIP(address) !== 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= width))
    if (!isRange && !NAMED_PROXIES.includes(proxy)) {
      throw new Refused(
        `must be a number of proxies or a list of addresses, ranges or ${NAMED_PROXIES}, not ${quote(proxy)}`,
      )
    }
  }
  return proxies
})

const MAX_PER_SECOND = 1_000_000
const API_KEY = /^([a-z0-9][a-z0-9-]{0,31}):([\w-]{16,128}):(\d{1,7})$/i

/** Reads a list of `name:secret:rate`. Messages never show a secret. */
export const apiKeys = variable((text): readonly ApiKey[] => {
  const keys = listOf(text).map((item, at) => {
    const [, name = '', secret = '', rate = ''] = API_KEY.exec(item) ?? []
    if (name === '' || Number(rate) > MAX_PER_SECOND) {
      throw new Refused(
        `must be a list of name:secret:rate, with secrets of 16 to 128 letters, digits, - and _; item ${at + 1} is not`,
      )
    }
    return { name, secret, perSecond: Number(rate) }
  })
  for (const part of ['name', 'secret'] as const) {
    if (new Set(keys.map((key) => key[part])).size < keys.length)
      throw new Refused(`has two items with the same ${part}`)
  }
  return keys
})

/** Libraries for Standard Webhooks decode a secret from base64, with or without the prefix. */
const ALERTS_SECRET =
  /^([\w.-]{1,64}):((?:whsec_)?(?:[A-Za-z0-9+/]{4}){8,64}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/

/** Reads a list of `name:secret`. Messages never show a secret. */
export const alertsSecrets = variable((text): ReadonlyMap<string, string> => {
  const secrets = new Map<string, string>()
  for (const [at, item] of listOf(text).entries()) {
    const [, name, secret] = ALERTS_SECRET.exec(item) ?? []
    if (name === undefined || secret === undefined) {
      throw new Refused(
        `must be a list of name:secret, with secrets of at least 24 bytes in base64; item ${at + 1} is not`,
      )
    }
    if (secrets.has(name)) throw new Refused(`names ${name} twice`)
    secrets.set(name, secret)
  }
  return secrets
})

export const anyText = variable((text) => text)

/** `s3://bucket/prefix`, or the path of a folder. */
export const lakeUrl = variable((text): { folder: string } | { bucket: string; prefix: string } => {
  if (!/^\w+:\/\//.test(text)) return { folder: text }
  const [, bucket = '', path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{2,62})(?:\/([\w./=-]*))?$/.exec(text) ?? []
  if (bucket === '') throw new Refused('must be a folder, or s3://bucket/prefix')
  const prefix = path.replace(/^\/+|\/+$/g, '')
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` }
})

export const hostName = variable((text) => {
  if (!/^[\w.:%-]{1,253}$/.test(text)) throw new Refused(`must be a host name or an address, not ${quote(text)}`)
  return text
})

function checkUrl(text: string, schemes: readonly string[]): string {
  const allowed = schemes.map((scheme) => `${scheme}//`).join(', ')
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !text.slice(url.protocol.length).startsWith('//')) throw new Refused(`is not a URL (${allowed})`)
  if (!schemes.includes(url.protocol)) throw new Refused(`must begin with ${allowed}, not ${url.protocol}//`)
  if (url.hostname === '' && !url.searchParams.has('host')) throw new Refused(`${url.protocol}// names no host`)
  return text
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function networkOf(name: string): NetworkName | undefined {
  return NETWORK_NAMES.find((known) => known === name.toLowerCase())
}

function quote(text: string): string {
  const masked = maskUrls(text)
  return JSON.stringify(masked.length > 60 ? `${masked.slice(0, 60)}…` : masked)
}
