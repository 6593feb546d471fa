import { V1_BATCH } from '@dexfeed/contract'
import express, { type Request } from 'express'
import { HttpFailure } from '../http/http-failure.ts'

/** Reads the JSON of a POST. It is not inflated: a small body could become large. */
export const readBody = express.json({ limit: V1_BATCH.maxBody, inflate: false })

/** @throws HttpFailure 415 if the request had no JSON */
export function checkBody(request: Request): void {
  if (request.body !== undefined) return
  throw new HttpFailure(415, 'the body must be JSON: Content-Type: application/json')
}
