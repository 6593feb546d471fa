import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { V1_STREAM } from '@dexfeed/contract'
import { onUpgrades, responseOn, type Upgrade } from '@dexfeed/service'
import { pathOf } from '../../http/front.ts'

const upgrades = new WeakMap<IncomingMessage, Upgrade>()

/** What a request wants its connection to be, if that is something else. */
export function upgradeOf(request: IncomingMessage): Upgrade | undefined {
  return upgrades.get(request)
}

/**
 * Gives requests for a WebSocket of the stream to the app, where they meet what every request meets; an answer of the
 * app ends the connection.
 */
export function acceptUpgrades(server: Server, app: RequestListener): void {
  onUpgrades(server, wantsStream, (request, upgrade) => {
    upgrades.set(request, upgrade)
    app(request, responseOn(request, upgrade.socket))
  })
}

function wantsStream({ url, headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' && pathOf(url ?? '') === V1_STREAM.path
}
