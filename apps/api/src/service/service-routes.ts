import { setTimeout as delay } from 'node:timers/promises'
import type { StatusResponse } from '@dexfeed/contract'
import { type NetworkName, SECOND } from '@dexfeed/dex'
import type { IndexedNetwork, Reader } from '@dexfeed/store'
import type { RequestHandler } from 'express'
import { notNow } from '../http/http-failure.ts'
import { networkStatus, notReadyReason, type Readiness } from './readiness.ts'

/** A database that does not answer within this is not ready. */
const DATABASE_MS = 1.5 * SECOND

export interface ServiceRoutesOptions {
  reader: Pick<Reader, 'networks' | 'awaitedKeys' | 'venueCoverage'>
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
export const liveRoute: RequestHandler = (_request, response) => {
  response.set('Cache-Control', 'no-store').json({ status: 'ok' })
}

/** `/readyz`: all networks are covered over their start window and fresh, and their most traded pools are read. */
export function readyRoute({
  reader,
  feed,
  expected,
  readiness,
  now,
  isDraining,
}: ServiceRoutesOptions): RequestHandler {
  return async (_request, response) => {
    if (isDraining()) throw notNow('not ready: shutting down')
    const late = delay(DATABASE_MS, undefined, { ref: false }).then(() => {
      throw notNow('not ready: the database does not answer')
    })
    const [networks, awaited] = await Promise.race([Promise.all([reader.networks(), reader.awaitedKeys()]), late])
    const reasons = networks.flatMap((network) => {
      const reason = notReadyReason(network, awaited, now(), readiness)
      if (reason !== null) return [`${network.network}: ${reason}`]
      return feed.market(network.network) ? [] : [`${network.network}: the pools are being loaded`]
    })
    reasons.push(...missing(expected, networks).map((network) => `${network}: nothing is indexed yet`))
    if (networks.length === 0 && expected.length === 0) reasons.push('no network is indexed yet')
    if (reasons.length > 0) throw notNow(`not ready: ${reasons.join('; ')}`)
    response.set('Cache-Control', 'no-store').json({ status: 'ok' })
  }
}

/** `/status`: how far every network is. */
export function statusRoute({ reader, expected, readiness, now }: ServiceRoutesOptions): RequestHandler {
  return async (_request, response) => {
    const [indexed, awaited, venues] = await Promise.all([
      reader.networks(),
      reader.awaitedKeys(),
      reader.venueCoverage(),
    ])
    const networks = indexed.map((network) => networkStatus(network, { awaited, venues }, now(), readiness))
    const complete = networks.length > 0 && missing(expected, indexed).length === 0
    const body: StatusResponse = { ready: complete && networks.every(({ ready }) => ready), networks }
    response.set('Cache-Control', 'no-store').json(body)
  }
}

function missing(expected: readonly NetworkName[], indexed: readonly IndexedNetwork[]): NetworkName[] {
  return expected.filter((name) => indexed.every(({ network }) => network !== name))
}
