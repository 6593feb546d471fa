import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import { closeAfter } from '@dexfeed/test-setup'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { vi } from 'vitest'
import { type ProxyOptions, startProxy } from '../src/start-proxy.ts'

/** A process of the API, as far as the proxy sees it, at an address of its own of this machine. */
interface StandIn {
  address: string
  server: Server
  /** Requests but those for /readyz. */
  asked: number
  ready: boolean
  /** Ends it as a killed process ends. */
  kill(): Promise<void>
  start(): Promise<void>
}

/** Starts stand-ins that listen on the same port, as containers of one service do. */
async function startReplicas(listeners: readonly RequestListener[]): Promise<{ all: StandIn[]; port: number }> {
  let port = 0
  const all: StandIn[] = []
  for (const [at, listener] of listeners.entries()) {
    const address = `127.0.0.${at + 2}`
    const server = createServer({ requireHostHeader: false }, (request, response) => {
      if (request.url === '/readyz') return void response.writeHead(standIn.ready ? 200 : 503).end('{}')
      standIn.asked++
      listener(request, response)
    })
    const kill = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.resetAndDestroy()
      })
    const sockets = new Set<Socket>()
    server.on('connection', (socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    })
    const start = () =>
      new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(port, address, resolve)
      })
    const standIn: StandIn = { address, server, asked: 0, ready: true, kill, start }
    await start()
    port = (server.address() as AddressInfo).port
    closeAfter(kill)
    all.push(standIn)
  }
  return { all, port }
}

export interface ProxyFixture {
  url: string
  port: number
  replicas: StandIn[]
  /** What the name of the API stands for; the proxy sees it at its next look. */
  names: string[]
  /** Waits until the proxy counts so many replicas of a standing. */
  sees(standing: 'ready' | 'answering' | 'silent', count: number): Promise<void>
  metric(name: string): Promise<string>
  stop(): Promise<void>
}

/** A proxy in front of stand-ins, which looks at them all the time. */
export async function openProxy(
  listeners: readonly RequestListener[],
  options: Partial<ProxyOptions> = {},
): Promise<ProxyFixture> {
  const { all, port } = await startReplicas(listeners)
  const names = all.map(({ address }) => address)
  const registry = new Registry()
  const proxy = await startProxy({
    ...{ apiUrl: `http://api:${port}`, host: '127.0.0.1', port: 0, trustProxy: null, registry },
    ...{ log: pino({ level: 'silent' }), resolve: async () => [...names], lookMs: 20, finishMs: 200 },
    ...options,
  })
  const stop = closeAfter(() => proxy.stop())
  const metric = (name: string) => registry.getSingleMetricAsString(name)
  return {
    url: proxy.url,
    port: Number(new URL(proxy.url).port),
    replicas: all,
    names,
    metric,
    stop,
    async sees(standing, count) {
      const line = `dexfeed_proxy_replicas{standing="${standing}"} ${count}`
      await vi.waitFor(async () => {
        if (!(await metric('dexfeed_proxy_replicas')).split('\n').includes(line)) throw new Error(line)
      }, 10_000)
    },
  }
}

/** Sends text and gives all that comes until the connection ends. */
export function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let reply = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'))
    socket.setEncoding('latin1').on('data', (data: string) => {
      reply += data
    })
    socket.on('error', () => undefined).on('close', () => resolve(reply))
  })
}
