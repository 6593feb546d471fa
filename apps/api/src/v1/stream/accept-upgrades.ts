import type { IncomingMessage, RequestListener } from 'node:http'
import { V1_STREAM } from '@dexfeed/contract'
import { responseOn, type Upgrade, type Upgrades } from '@dexfeed/service'
import { pathOf } from '../../http/guards.ts'

const upgrades = new WeakMap<IncomingMessage, Upgrade>()

/** Returns the connection of an upgrade request. */
export function upgradeOf(request: IncomingMessage): Upgrade | undefined {
  return upgrades.get(request)
}

/**
 * Passes WebSocket requests of the stream to the app, so that they pass all guards. A response of the app ends the
 * connection.
 */
export function streamUpgrades(app: RequestListener): Upgrades {
  return {
    isAccepted: wantsStream,
    accept(request, upgrade) {
      upgrades.set(request, upgrade)
      app(request, responseOn(request, upgrade.socket))
    },
  }
}

function wantsStream({ url, headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' && pathOf(url ?? '') === V1_STREAM.path
}
