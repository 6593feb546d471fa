import type { Hex } from '@dexfeed/dex'
import * as z from 'zod'
import { quoted } from '../duck.ts'
import type { TableName } from '../tables.ts'

// What requests may say, and the conditions that follow from it.

export const hex = (form: RegExp) => z.custom<Hex>((text) => typeof text === 'string' && form.test(text))
export const address = hex(/^0x[0-9a-f]{40}$/)
export const pool = hex(/^0x([0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{80}|[0-9a-f]{104})$/)
export const protocol = z.string().max(200)

export function bytes(value: Hex): string {
  return `unhex('${value.slice(2)}')`
}

export function timestamp(seconds: number): string {
  return `make_timestamptz(${seconds}::BIGINT * 1000000)`
}

export function within({ from, to }: { from: number; to: number }, time: string): string {
  return `${time} >= ${timestamp(from)} AND ${time} < ${timestamp(to)}`
}

export function isOfProtocol(from: (table: TableName) => string, name: string): string {
  return `pool_key IN (SELECT pool_key FROM ${from('pools')} WHERE dex = ${quoted(name)})`
}
