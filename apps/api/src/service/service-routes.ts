import type { StatusResponse } from '@dexfeed/contract'
import { DAY_S, type NetworkName, SECOND } from '@dexfeed/dex'
import type { ListedNetwork, NetworkProgress, Reader } from '@dexfeed/store'
import type { RequestHandler } from 'express'
import { type CachedRead, cachedRead, type Dependencies } from '../http/cache.ts'
import { jsonResponse, sendCached } from '../http/cached-response.ts'
import { notNow } from '../http/http-failure.ts'
import { endsInTime } from './ends-in-time.ts'
import { missingNetworks } from './freshness.ts'
import { isListed, networkStatus, notReadyReason, type Readiness, type StatusFacts } from './readiness.ts'

const DATABASE_MS = 1.5 * SECOND

/** Maximum age of the backfill's speed, which changes without a write. */
const PROGRESS_S = 10

interface Progress extends StatusFacts {
  networks: NetworkProgress[]
  unindexed: string[]
}

export type CachedProgress = CachedRead<Progress>

export function cachedProgress(reader: Reader, on: Dependencies): CachedProgress {
  return cachedRead(async (now) => {
    const [networks, awaited, venues, activities, unindexed] = await Promise.all([
      reader.networks(),
      reader.awaitedKeys(),
      reader.venueCoverage(),
      reader.activity(),
      reader.unindexedDates(),
    ])
    return { value: { networks, awaited, venues, activities, unindexed }, until: now + PROGRESS_S }
  }, on)
}

export interface ServiceRoutesOptions extends Dependencies {
  standing: CachedProgress
  /** Undefined while the pools of a network are being loaded. */
  feed: { market(network: NetworkName): unknown }
  day: { listed(network: NetworkName): ListedNetwork | undefined }
  expected: readonly NetworkName[]
  readiness: Readiness
  isDraining: () => boolean
}

export const liveRoute: RequestHandler = (_request, response) => {
  response.set('Cache-Control', 'no-store').json({ status: 'ok' })
}

/**
 * Serves `/readyz`: 200 if all networks are covered and fresh, and their pools and swaps of the last day are loaded.
 */
export function readyRoute(options: ServiceRoutesOptions): RequestHandler {
  const { standing, feed, day, expected, readiness, now, isDraining } = options
  return async (_request, response) => {
    if (isDraining()) throw notNow('not ready: shutting down')
    const { networks, awaited } = await soon(standing())
    const reasons = networks.flatMap((network) => {
      const reason = notReadyReason(network, awaited, now(), readiness)
      if (reason !== null) return [`${network.network}: ${reason}`]
      if (!feed.market(network.network)) return [`${network.network}: the pools are being loaded`]
      const listed = isListed(network, day.listed(network.network), now() - DAY_S)
      return listed ? [] : [`${network.network}: the list is being put together`]
    })
    reasons.push(...missingNetworks(expected, networks).map((network) => `${network}: nothing is indexed yet`))
    if (networks.length === 0 && expected.length === 0) reasons.push('no network is indexed yet')
    if (reasons.length > 0) throw notNow(`not ready: ${reasons.join('; ')}`)
    response.set('Cache-Control', 'no-store').json({ status: 'ok' })
  }
}

/** @throws HttpFailure 503 if the database takes too long */
export async function soon<T>(result: Promise<T>): Promise<T> {
  if (await endsInTime(result, DATABASE_MS)) return result
  throw notNow('not ready: the database does not respond')
}

export function statusRoute({ standing, expected, readiness, now, mark }: ServiceRoutesOptions): RequestHandler {
  // Rendered at most once a second, because the ages in the body change every second.
  const rendered = cachedRead(
    async (time) => {
      const { networks: indexed, unindexed, ...rest } = await standing()
      const networks = indexed.map((network) => networkStatus(network, rest, time, readiness))
      const complete = networks.length > 0 && missingNetworks(expected, indexed).length === 0
      const ready = complete && networks.every((network) => network.ready)
      const body: StatusResponse = { ready, networks, unindexed_days: unindexed }
      return { value: jsonResponse(body, { 'Cache-Control': 'no-store' }), until: time }
    },
    { now, mark },
  )
  return async (request, response) => sendCached(request, response, await rendered())
}
