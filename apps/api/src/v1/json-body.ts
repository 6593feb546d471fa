import { InvalidRequest, V1_BATCH } from '@dexfeed/contract'
import express, { type RequestHandler } from 'express'
import { HttpFailure } from '../http/http-failure.ts'
import { clientOf } from '../http/limits/client-of.ts'
import type { RateLimit } from '../http/limits/rate-limit.ts'
import type { Turns } from '../http/limits/turns.ts'

const CHARGED_BYTES = 8_192

/** Compressed bodies are refused, because a small one can inflate to a large one. */
const readBytes = express.raw({ type: 'application/json', limit: V1_BATCH.maxBody, inflate: false })

export interface BodyLimits {
  rates: RateLimit
  turns: Turns
}

export function readBody({ rates, turns }: BodyLimits): RequestHandler[] {
  return [
    readBytes,
    async (request, response, next) => {
      const bytes: unknown = request.body
      if (!Buffer.isBuffer(bytes)) throw new HttpFailure(415, 'the body must be JSON: Content-Type: application/json')
      rates.charge(request, response, Math.floor(bytes.length / CHARGED_BYTES))
      await turns.next(clientOf(request))
      checkBounds(bytes)
      request.body = parse(bytes)
      next()
    },
  ]
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new HttpFailure(400, 'the request is malformed')
  }
}

/** The deepest valid body, a batch of quotes, has six. */
const MAX_LEVELS = 8
const MAX_FIELDS = 32
const MAX_ITEMS = 1_000

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OBJECT = [0x7b, 0x7d] as const
const ARRAY = [0x5b, 0x5d] as const

/**
 * Refuses JSON that is deeper, or has more fields or items, than any valid request. Runs before the parser, because
 * thousands of unknown fields would take longer than a hundred quotes. Text that is not JSON may pass.
 *
 * @throws InvalidRequest
 */
export function checkBounds(json: Uint8Array): void {
  const left: number[] = []
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === QUOTE) at = endOfString(json, at)
    else if (byte === OBJECT[0]) left.push(MAX_FIELDS)
    else if (byte === ARRAY[0]) left.push(MAX_ITEMS)
    else if (byte === OBJECT[1] || byte === ARRAY[1]) left.pop()
    else if (byte === COMMA) {
      const ofInnermost = left.pop()
      if (ofInnermost !== undefined) left.push(ofInnermost - 1)
    }
    if (left.length > MAX_LEVELS) throw new InvalidRequest(`the body has more than ${MAX_LEVELS} levels`)
    if (left.at(-1) === 0) {
      throw new InvalidRequest(`the body has more than ${MAX_FIELDS} fields or ${MAX_ITEMS} items in one place`)
    }
  }
}

function endOfString(json: Uint8Array, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return at
}
