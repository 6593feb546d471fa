import { setTimeout as delay } from 'node:timers/promises'
import type { StatusResponse } from '@dexfeed/contract'
import { type NetworkName, SECOND } from '@dexfeed/dex'
import type { AwaitedKeys, NetworkProgress, Reader, VenueCoverage } from '@dexfeed/store'
import type { RequestHandler } from 'express'
import { type Answer, jsonAnswer, sendAnswer } from '../http/answer.ts'
import type { ShortRoute } from '../http/front.ts'
import { notNow } from '../http/http-failure.ts'
import type { ChangeFeed } from './change-feed.ts'
import { missingNetworks } from './freshness.ts'
import { Kept } from './kept.ts'
import { networkStatus, notReadyReason, type Readiness } from './readiness.ts'

/** A database that does not answer within this is not ready. */
const DATABASE_MS = 1.5 * SECOND

/** Speeds of filling in history count for a minute, whether or not anything is written meanwhile. */
const STANDING_S = 10

/** How the networks stand, as the database has it. */
interface Standing {
  networks: NetworkProgress[]
  awaited: AwaitedKeys[]
  venues: Map<number, VenueCoverage>
}

type StandingReader = Pick<Reader, 'networks' | 'awaitedKeys' | 'venueCoverage'>

/** It is kept until the database changes, but for some seconds at most. */
export function keptStanding(reader: StandingReader, changes: Pick<ChangeFeed, 'subscribe'>): Kept<Standing> {
  const kept = new Kept(async (now): Promise<{ value: Standing; until: number }> => {
    const read = [reader.networks(), reader.awaitedKeys(), reader.venueCoverage()] as const
    const [networks, awaited, venues] = await Promise.all(read)
    return { value: { networks, awaited, venues }, until: now + STANDING_S }
  })
  changes.subscribe(() => kept.invalidate())
  return kept
}

export interface ServiceRoutesOptions {
  standing: Kept<Standing>
  /** Nothing while the pools of a network are being loaded. */
  feed: { market(network: NetworkName): unknown }
  /** Networks without which we are not ready, beside those that the database has. */
  expected: readonly NetworkName[]
  readiness: Readiness
  /** Seconds. */
  now: () => number
  /** True from the moment that the process is to end. */
  isDraining: () => boolean
}

/** `/livez`: the process runs. */
export const liveRoute: ShortRoute = (_request, response) => {
  response.set('Cache-Control', 'no-store').json({ status: 'ok' })
}

/** `/readyz`: all networks are covered over their start window and fresh, and their most traded pools are read. */
export function readyRoute({
  standing,
  feed,
  expected,
  readiness,
  now,
  isDraining,
}: ServiceRoutesOptions): RequestHandler {
  return async (_request, response) => {
    if (isDraining()) throw notNow('not ready: shutting down')
    const { networks, awaited } = standing.peek(now()) ?? (await soon(standing.get(now())))
    const reasons = networks.flatMap((network) => {
      const reason = notReadyReason(network, awaited, now(), readiness)
      if (reason !== null) return [`${network.network}: ${reason}`]
      return feed.market(network.network) ? [] : [`${network.network}: the pools are being loaded`]
    })
    reasons.push(...missingNetworks(expected, networks).map((network) => `${network}: nothing is indexed yet`))
    if (networks.length === 0 && expected.length === 0) reasons.push('no network is indexed yet')
    if (reasons.length > 0) throw notNow(`not ready: ${reasons.join('; ')}`)
    response.set('Cache-Control', 'no-store').json({ status: 'ok' })
  }
}

async function soon<T>(result: Promise<T>): Promise<T> {
  const ended = new AbortController()
  const late = delay(DATABASE_MS, undefined, { ref: false, signal: ended.signal }).then(
    () => Promise.reject(notNow('not ready: the database does not answer')),
    () => result,
  )
  try {
    return await Promise.race([result, late])
  } finally {
    ended.abort()
  }
}

/** `/status`: how far every network is. */
export function statusRoute({ standing, expected, readiness, now }: ServiceRoutesOptions): RequestHandler {
  // The ages in it change with the second.
  let made: { of: Standing; at: number; answer: Answer } | null = null
  return async (request, response) => {
    const time = now()
    const of = standing.peek(time) ?? (await standing.get(time))
    if (made?.of !== of || made.at !== time) {
      const { networks: indexed, ...rest } = of
      const networks = indexed.map((network) => networkStatus(network, rest, time, readiness))
      const complete = networks.length > 0 && missingNetworks(expected, indexed).length === 0
      const body: StatusResponse = { ready: complete && networks.every(({ ready }) => ready), networks }
      made = { of, at: time, answer: jsonAnswer(body, { 'Cache-Control': 'no-store' }) }
    }
    sendAnswer(request, response, made.answer)
  }
}
