import type { Socket } from 'node:net'
import { SECOND } from '@dexfeed/dex'
import type { Request, Response } from 'express'
import { clientOf } from './client-of.ts'
import { type QuotaLimits, Quotas } from './quotas.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** So much fits beside the market in the memory that docker-compose.yml gives; whoever reads what it asks for holds little. */
const LIMITS: QuotaLimits = { total: 256 * MIB, perClient: 128 * MIB }
/** Answers up to this length have a part of each limit to themselves, so that they pass where large ones are refused. */
const SMALL = 64 * KIB
const FOR_SMALL = 1 / 8
const LOOK_MS = SECOND
/** A reader that took less than this for so long is stalled. The system takes from us in steps of some size. */
const STEP = 32 * KIB
const STALLED_MS = 4 * SECOND

/**
 * Counts a part of a response as held by the client until the response is sent or its connection is closed. If there is
 * no room, the connections of the largest stalled responses are closed.
 *
 * @param length of the part, in characters
 * @throws HttpFailure 503 when the client, or all together, hold as much as they may
 */
export type HoldBody = (request: Request, response: Response, length: number) => void

/** An answer that is held. */
interface Held {
  client: string
  socket: Socket
  length: number
  /** When the client last took a step of it, and how many bytes the system had taken from the connection then. */
  since: number
  taken: number
  release: (() => void)[]
}

/** Bounds what is kept in memory of whole answers that clients have asked for and do not take. */
export function heldBodies(limits: QuotaLimits = LIMITS): HoldBody {
  const small = new Quotas(partOf(limits, FOR_SMALL))
  const large = new Quotas(partOf(limits, 1 - FOR_SMALL))
  const answers = new Map<Response, Held>()
  let looking: NodeJS.Timeout | undefined

  const release = (response: Response) => {
    for (const releaseOne of answers.get(response)?.release ?? []) releaseOne()
    answers.delete(response)
    if (answers.size > 0) return
    clearInterval(looking)
    looking = undefined
  }
  /** Closes one that stalled, of the client or of all; false: there is none. */
  const cut = (client: string | null): boolean => {
    const victim = largestStalled(answers, client)
    if (victim === undefined) return false
    victim[1].socket.destroy()
    release(victim[0])
    return true
  }
  const take = (client: string, length: number, isSmall: boolean) => {
    if (isSmall && small.fullFor(client) === null) return small.take(client, 'answers', length)
    let full = large.fullFor(client)
    while (full !== null && cut(full === 'client' ? client : null)) full = large.fullFor(client)
    return large.take(client, 'answers', length)
  }
  return (request, response, length) => {
    if (response.closed) return
    const client = clientOf(request)
    const known = answers.get(response)
    const releaseOne = take(client, length, (known?.length ?? 0) + length <= SMALL)
    if (known !== undefined) {
      known.length += length
      known.release.push(releaseOne)
      return
    }
    const { socket } = request
    answers.set(response, { client, socket, length, ...markOf(socket), release: [releaseOne] })
    looking ??= setInterval(() => look(answers), LOOK_MS).unref()
    // One listener, however many parts: Node takes more than ten for a leak.
    response.once('close', () => release(response))
  }
}

function partOf({ total, perClient }: QuotaLimits, part: number): QuotaLimits {
  return { total: part * total, perClient: part * perClient }
}

/** Notes which answers went on, and which wait for us and not for their readers. */
function look(answers: ReadonlyMap<Response, Held>): void {
  for (const [response, held] of answers) {
    const waitsForUs = !response.headersSent || held.socket.writableLength === 0
    if (waitsForUs || takenFrom(held.socket) - held.taken >= STEP) Object.assign(held, markOf(held.socket))
  }
}

/** Of the answers that stalled, of all clients or of one, the one that holds most, the longer it stalls the more. */
function largestStalled(answers: Iterable<[Response, Held]>, client: string | null): [Response, Held] | undefined {
  const now = performance.now()
  let most = 0
  let largest: [Response, Held] | undefined
  for (const entry of answers) {
    const [, held] = entry
    const stalledMs = now - held.since
    if (stalledMs < STALLED_MS || (client !== null && held.client !== client)) continue
    if (held.length * stalledMs <= most) continue
    most = held.length * stalledMs
    largest = entry
  }
  return largest
}

function markOf(socket: Socket): Pick<Held, 'since' | 'taken'> {
  return { since: performance.now(), taken: takenFrom(socket) }
}

/** Bytes that the system has taken from a connection. What waits to be written only Node's handle knows. */
function takenFrom(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number; bytesWritten?: number } | null }
  return (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0)
}
