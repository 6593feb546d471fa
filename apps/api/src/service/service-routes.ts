import type { StatusResponse } from '@dexfeed/contract'
import type { IndexedNetwork, Reader } from '@dexfeed/store'
import type { RequestHandler } from 'express'
import { notNow } from '../http/http-failure.ts'
import type { MarketFeed } from '../quote/market-feed.ts'
import { networkStatus, notReadyReason } from './readiness.ts'

/** A database that does not answer within this is not ready. */
const DATABASE_MS = 1_500

export interface ServiceRoutesOptions {
  reader: Pick<Reader, 'networks'>
  feed: Pick<MarketFeed, 'market'>
  maxAgeS: number
  /** Seconds. */
  now: () => number
  /** True from the moment that the process is to end. */
  isDraining: () => boolean
}

/** `/livez`: the process runs. */
export const liveRoute: RequestHandler = (_request, response) => {
  response.set('Cache-Control', 'no-store').json({ status: 'ok' })
}

/** `/readyz`: all networks are covered over their start window and fresh. */
export function readyRoute({ reader, feed, maxAgeS, now, isDraining }: ServiceRoutesOptions): RequestHandler {
  return async (_request, response) => {
    if (isDraining()) throw notNow('not ready: shutting down')
    const networks = await withinTime(reader.networks())
    const reasons = networks.flatMap((network) => {
      const reason = notReadyReason(network, now(), maxAgeS)
      if (reason !== null) return [`${network.network}: ${reason}`]
      return feed.market(network.network) ? [] : [`${network.network}: the pools are being loaded`]
    })
    if (networks.length === 0) reasons.push('no network is indexed yet')
    if (reasons.length > 0) throw notNow(`not ready: ${reasons.join('; ')}`)
    response.set('Cache-Control', 'no-store').json({ status: 'ok' })
  }
}

/** `/status`: how far every network is. */
export function statusRoute({ reader, maxAgeS, now }: ServiceRoutesOptions): RequestHandler {
  return async (_request, response) => {
    const networks = (await reader.networks()).map((network) => networkStatus(network, now(), maxAgeS))
    const body: StatusResponse = {
      ready: networks.length > 0 && networks.every(({ ready }) => ready),
      networks,
    }
    response.set('Cache-Control', 'no-store').json(body)
  }
}

async function withinTime(reading: Promise<IndexedNetwork[]>): Promise<IndexedNetwork[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(notNow('not ready: the database does not answer')), DATABASE_MS)
  })
  try {
    return await Promise.race([reading, late])
  } finally {
    clearTimeout(timer)
    reading.catch(() => undefined)
  }
}
