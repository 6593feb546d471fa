import type { Hex } from '@dexfeed/dex'
import type { RpcVerdict } from '../errors/classify-rpc-error.ts'
import { readArray } from '../json-rpc/rpc-value.ts'

/** What an endpoint made of a request: a result, a JSON-RPC error, or no JSON-RPC response. */
export type Outcome =
  | { kind: 'result'; result: unknown }
  | { kind: 'error'; verdict: RpcVerdict; what: string }
  | { kind: 'down'; what: string }

export interface SurveyedBlock {
  number: number
  hash: Hex
  timestamp: number
}

export function isRateLimited(outcome: Outcome): boolean {
  return outcome.kind === 'error' && outcome.verdict.kind === 'rate'
}

/** Reads a header; null if it is not one. */
export function blockOf(outcome: Outcome): SurveyedBlock | null {
  if (outcome.kind !== 'result' || typeof outcome.result !== 'object' || outcome.result === null) return null
  const { number, hash, timestamp } = outcome.result as Partial<Record<keyof SurveyedBlock, unknown>>
  const block = { number: Number(number), hash: hash as Hex, timestamp: Number(timestamp) }
  const isWhole = Number.isSafeInteger(block.number) && Number.isSafeInteger(block.timestamp)
  return isWhole && typeof hash === 'string' ? block : null
}

/** Reads a quantity; null if it is not one. */
export function quantityOf(outcome: Outcome): number | null {
  const number = outcome.kind === 'result' && typeof outcome.result === 'string' ? Number(outcome.result) : Number.NaN
  return Number.isSafeInteger(number) ? number : null
}

/** Reads a list; null if it is not one. */
export function listOf(outcome: Outcome): readonly unknown[] | null {
  if (outcome.kind !== 'result') return null
  try {
    return readArray(outcome.result, 'result')
  } catch {
    return null
  }
}

/** Says why an outcome is not the expected result. */
export function whyNot(outcome: Outcome): string {
  if (outcome.kind !== 'result') return outcome.what
  return outcome.result === null ? 'it has no such block' : 'a result that cannot be read'
}
