import type { Socket } from 'node:net'
import { SECOND } from '@dexfeed/dex'
import type { Request, Response } from 'express'
import { clientOf } from './client-of.ts'
import { type QuotaLimits, Quotas } from './quotas.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** Fits, together with the market, into the memory limit of docker-compose.yml. */
const LIMITS: QuotaLimits = { total: 256 * MIB, perClient: 128 * MIB }
/** Responses up to this length have a reserved share of each limit, so that they pass when large ones are refused. */
const SMALL = 64 * KIB
const FOR_SMALL = 1 / 8
const MARK_MS = SECOND
/** A client that reads less than `STEP` in `STALLED_MS` is stalled. The kernel accepts bytes in steps. */
const STEP = 32 * KIB
const STALLED_MS = 4 * SECOND

/**
 * Counts a part of a response (`length` characters) until it is sent or its connection closes. If a quota is full, cuts
 * off the largest stalled responses.
 *
 * @throws HttpFailure 503 if too much is still held
 */
export type HoldBody = (request: Request, response: Response, length: number) => void

interface Held {
  client: string
  socket: Socket
  length: number
  since: number
  taken: number
  release: (() => void)[]
}

export function heldBodies(limits: QuotaLimits = LIMITS): HoldBody {
  const small = new Quotas(partOf(limits, FOR_SMALL))
  const large = new Quotas(partOf(limits, 1 - FOR_SMALL))
  const responses = new Map<Response, Held>()
  let marking: NodeJS.Timeout | undefined

  const release = (response: Response) => {
    for (const releaseOne of responses.get(response)?.release ?? []) releaseOne()
    responses.delete(response)
    if (responses.size > 0) return
    clearInterval(marking)
    marking = undefined
  }
  const cut = (client: string | null): boolean => {
    const victim = largestStalled(responses, client)
    if (victim === undefined) return false
    victim[1].socket.destroy()
    release(victim[0])
    return true
  }
  const take = (client: string, length: number, isSmall: boolean) => {
    if (isSmall && small.fullFor(client) === null) return small.take(client, 'responses', length)
    let full = large.fullFor(client)
    while (full !== null && cut(full === 'client' ? client : null)) full = large.fullFor(client)
    return large.take(client, 'responses', length)
  }
  return (request, response, length) => {
    if (response.closed) return
    const client = clientOf(request)
    const known = responses.get(response)
    const releaseOne = take(client, length, (known === undefined ? length : known.length + length) <= SMALL)
    if (known !== undefined) {
      known.length += length
      known.release.push(releaseOne)
      return
    }
    const { socket } = request
    responses.set(response, { client, socket, length, ...markOf(socket), release: [releaseOne] })
    marking ??= setInterval(() => markProgress(responses), MARK_MS).unref()
    // One listener for all parts, because Node warns of a leak above ten.
    response.once('close', () => release(response))
  }
}

function partOf({ total, perClient }: QuotaLimits, part: number): QuotaLimits {
  return { total: part * total, perClient: part * perClient }
}

function markProgress(responses: ReadonlyMap<Response, Held>): void {
  for (const [response, held] of responses) {
    const waitsForApi = !response.headersSent || held.socket.writableLength === 0
    if (waitsForApi || takenFrom(held.socket) - held.taken >= STEP) Object.assign(held, markOf(held.socket))
  }
}

function largestStalled(responses: Iterable<[Response, Held]>, client: string | null): [Response, Held] | undefined {
  const now = performance.now()
  let largestProduct = 0
  let largest: [Response, Held] | undefined
  for (const entry of responses) {
    const [, held] = entry
    const stalledMs = now - held.since
    if (stalledMs < STALLED_MS || (client !== null && held.client !== client)) continue
    if (held.length * stalledMs <= largestProduct) continue
    largestProduct = held.length * stalledMs
    largest = entry
  }
  return largest
}

function markOf(socket: Socket): { since: number; taken: number } {
  return { since: performance.now(), taken: takenFrom(socket) }
}

/** Returns the bytes that the kernel has accepted. Only Node's handle knows how many still wait in Node. */
function takenFrom(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number; bytesWritten?: number } | null }
  return (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0)
}
