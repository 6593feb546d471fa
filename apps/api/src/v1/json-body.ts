import { V1_BATCH } from '@dexfeed/contract'
import express, { type RequestHandler } from 'express'
import { HttpFailure } from '../http/http-failure.ts'
import { clientOf } from '../http/limits/client-of.ts'
import type { RateLimit } from '../http/limits/rate-limit.ts'
import type { Turns } from '../http/limits/turns.ts'
import { checkBounds } from './json-bounds.ts'

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
