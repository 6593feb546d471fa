import type { IncomingMessage, RequestListener } from 'node:http'
import { parseStreamRequest, V1_STREAM } from '@dexfeed/contract'
import { NETWORK_NAMES } from '@dexfeed/dex'
import { responseOn, type Upgrade, type Upgrades } from '@dexfeed/service'
import { type Reader, StoreError } from '@dexfeed/store'
import type { Request, RequestHandler, Response } from 'express'
import type { Gauge } from 'prom-client'
import { pathOf } from '../../http/guards.ts'
import { clientOf } from '../../http/limits/client-of.ts'
import type { QuotaLimits, Quotas } from '../../http/limits/quotas.ts'
import { withAddresses } from '../../quote/resolve-token.ts'
import { indexedOf } from '../../service/freshness.ts'
import type { TokenCatalog } from '../../token-catalog.ts'
import { checkKnown } from '../check-known.ts'
import type { V1Context } from '../v1-context.ts'
import { openEvents, openSocket, SSE_HEADERS } from './connections.ts'
import { type StreamFilter, streamFilter } from './stream-filter.ts'
import type { StreamHub } from './stream-hub.ts'

export const LISTENER_LIMITS: QuotaLimits = { total: 1_500, perClient: 50 }

const upgrades = new WeakMap<IncomingMessage, Upgrade>()

/** Passes WebSocket requests of the stream to the app, so that they go through all guards. */
export function streamUpgrades(app: RequestListener): Upgrades {
  return {
    isAccepted: ({ url, headers }) =>
      headers.upgrade?.toLowerCase() === 'websocket' && pathOf(url ?? '') === V1_STREAM.path,
    accept(request, upgrade) {
      upgrades.set(request, upgrade)
      app(request, responseOn(request, upgrade.socket))
    },
  }
}

export interface StreamRouteOptions {
  hub: StreamHub
  catalog: TokenCatalog
  reader: Reader
  protocols: V1Context['protocols']
  quotas: Quotas
  metrics: { listeners: Gauge }
}

export function streamRoute({ hub, quotas, metrics, ...known }: StreamRouteOptions): RequestHandler {
  const listen = async (request: Request, response: Response, filter: StreamFilter, lastId: string | null) => {
    const upgrade = upgrades.get(request)
    if (upgrade === undefined) {
      // The client may already have gone, which would not be noticed later.
      const closed = new Promise<void>((resolve) => response.once('close', resolve))
      if (response.destroyed) return
      const leave = hub.join(openEvents(response), filter, lastId)
      await closed.finally(leave)
    } else {
      const { connection, closed } = await openSocket(request, response, upgrade)
      const leave = hub.join(connection, filter, lastId)
      await closed.finally(leave)
    }
  }
  return async (request, response) => {
    const parameters = parseStreamRequest(request.query)
    const lastId = request.get('Last-Event-ID') ?? parameters.last_event_id ?? null
    const release = quotas.take(clientOf(request), 'streams')
    try {
      const filters = await withAddresses(parameters, known.catalog, () => hub.networks())
      const { network, protocol } = parameters
      const networks = await hub.networks()
      if (network !== undefined) indexedOf(network, networks)
      await checkKnown(known, network === undefined ? NETWORK_NAMES : [network], { protocol }).catch(letIn)
      if (request.method === 'HEAD') return void response.set(SSE_HEADERS).end()
      metrics.listeners.inc()
      await listen(request, response, streamFilter(filters, networks), lastId).finally(() => metrics.listeners.dec())
    } finally {
      release()
    }
  }
}

/** Without a database, a listener is let in unchecked: the stream goes on once the database is back. */
function letIn(error: unknown): void {
  if (!(error instanceof StoreError)) throw error
}
