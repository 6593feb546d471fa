import { lookup } from 'node:dns/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { SECOND } from '@dexfeed/dex'
import { closeServer, createServer, type Logger, listenOn, onUpgrades, urlOf } from '@dexfeed/service'
import type { Registry } from 'prom-client'
import { clientsBehind } from './client-address.ts'
import { proxyMetrics } from './proxy-metrics.ts'
import { relay } from './relay.ts'
import { isWebSocket, relayUpgrade } from './relay-upgrade.ts'
import { openReplicas } from './replicas/replicas.ts'

/** Less than the grace that the process has. */
const FINISH_MS = 8 * SECOND

/** The proxy answers for itself here, at the port of its clients: whether the API is well, `/readyz` tells. */
const LIVE = '/livez'

export interface ProxyOptions {
  /** The API; each address of its name is a replica. */
  apiUrl: string
  host: string
  /** 0: any free port. */
  port: number
  /** Proxies in front of this one, whose X-Forwarded-For tells the client: how many, or which addresses. */
  trustProxy: number | readonly string[] | null
  /** Of all clients together. */
  maxConnections?: number
  log: Logger
  registry: Registry
  /** The addresses of a name now. */
  resolve?: (name: string) => Promise<readonly string[]>
  /** Between two looks at the addresses and at how each replica is. */
  lookMs?: number
  finishMs?: number
}

export interface RunningProxy {
  url: string
  /** No new connections; open requests end, or are cut off after a few seconds. */
  stop(): Promise<void>
}

/** Starts the proxy once the replicas were looked at for the first time. @throws when it cannot listen */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const { log, resolve = addressesOf } = options
  const metrics = proxyMetrics(options.registry)
  const replicas = await openReplicas({ ...options, resolve, onLook: metrics.replicas })
  const { clientOf, isProxy } = clientsBehind(options.trustProxy)
  const context = { replicas, clientOf, metrics, log }
  let draining = false
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    if (draining) response.shouldKeepAlive = false
    // It was told that it may stay.
    else response.once('finish', () => draining && request.socket.end())
    if (isAboutLife(request)) return sayAlive(response)
    void relay(request, response, context)
  }
  const server = createServer(answer, {}, { isProxy, maxConnections: options.maxConnections })
  const upgraded = new Set<Socket>()
  onUpgrades(server, isWebSocket, (request, upgrade) => {
    const { socket } = upgrade
    upgraded.add(socket)
    socket.once('close', () => upgraded.delete(socket))
    void relayUpgrade(request, upgrade, context)
  })
  try {
    await listenOn(server, options.host, options.port)
  } catch (error) {
    await replicas.close()
    throw error
  }
  return {
    url: urlOf(server),
    async stop() {
      draining = true
      for (const socket of upgraded) socket.destroy()
      await closeServer(server, options.finishMs ?? FINISH_MS)
      await replicas.close()
    },
  }
}

function isAboutLife({ method, url, headers }: IncomingMessage): boolean {
  return method === 'GET' && url === LIVE && headers['transfer-encoding'] === undefined
}

function sayAlive(response: ServerResponse): void {
  response.writeHead(200, { 'Cache-Control': 'no-store', 'Content-Type': 'application/json; charset=utf-8' })
  response.end('{"status":"ok"}')
}

async function addressesOf(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}
