import type { Request, Response } from 'express'
import { clientOf } from './client-of.ts'
import { type ShareLimits, Shares } from './shares.ts'

const MIB = 1024 * 1024

/** So much fits beside the market in the memory that docker-compose.yml gives; whoever reads what it asks for holds little. */
const LIMITS: ShareLimits = { total: 256 * MIB, perClient: 128 * MIB }

/**
 * Counts a part of an answer as held by the client until the answer has gone out, or nobody reads it any more.
 *
 * @param length of the part, in characters
 * @throws HttpFailure 503 when the client, or all together, hold as much as they may
 */
export type HoldBody = (request: Request, response: Response, length: number) => void

/** Bounds what is kept in memory of whole answers that clients have asked for and do not take. */
export function heldBodies(limits: ShareLimits = LIMITS): HoldBody {
  const shares = new Shares(limits)
  const held = new WeakMap<Response, (() => void)[]>()
  return (request, response, length) => {
    if (response.closed) return
    const giveUp = shares.take(clientOf(request), 'answers', length)
    const parts = held.get(response)
    if (parts !== undefined) {
      parts.push(giveUp)
      return
    }
    // One listener, however many parts: Node takes more than ten for a leak.
    const first = [giveUp]
    held.set(response, first)
    response.once('close', () => {
      for (const giveUpPart of first) giveUpPart()
    })
  }
}
