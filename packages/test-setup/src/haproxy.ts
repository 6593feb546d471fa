import { spawn, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { closeAfter } from './close-after.ts'
import { freePort } from './connections.ts'

const fileOf = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url))

const ANSWER = 0x8180
const NO_SUCH_NAME = 0x8183
const A_RECORD = 1

const METRICS_MS = 5_000
/** Shorter than a test, so that a failure shows what the proxy saw. */
const SEES_MS = 40_000

export interface Haproxy {
  url: string
  port: number
  /** What the DNS server returns. If empty, the name does not exist. */
  addresses: string[]
  /** Waits until the proxy counts this many ready, or at least alive, replicas. */
  sees(count: number, which?: 'ready' | 'alive'): Promise<void>
  metric(name: string): Promise<string[]>
  /** Stops the proxy as Docker does, and waits until it has exited. */
  stop(): Promise<void>
}

export function hasHaproxy(): boolean {
  return spawnSync('haproxy', ['-v']).status === 0
}

/**
 * Starts HAProxy as docker-compose.yml does, for replicas that listen on `apiPort` at `addresses`. It ends with the
 * test.
 */
export async function startHaproxy(apiPort: number, addresses: string[], trustProxy = '0'): Promise<Haproxy> {
  const { command } = parse(readFileSync(fileOf('docker-compose.yml'), 'utf8')).services.proxy
  const [program, ...words] = command.map((word: string) =>
    word.replaceAll('$$', '$').replace('/usr/local/etc/haproxy/haproxy.cfg', fileOf('scripts/docker/haproxy.cfg')),
  )
  const port = await freePort()
  const metricsPort = await freePort()
  const dnsPort = await serveNames(addresses)
  const host = '127.0.0.1'
  const settings = [`HOST=${host}`, `PORT=${port}`, `METRICS_PORT=${metricsPort}`, `TRUST_PROXY=${trustProxy}`]
  const places = [`API_ADDRESS=api:${apiPort}`, `DNS_ADDRESS=127.0.0.1:${dnsPort}`]
  const child = spawn('env', [...settings, ...places, program, ...words])
  let log = ''
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
  }
  const stop = closeAfter(async () => {
    const exited = once(child, 'exit')
    if (child.exitCode === null && child.kill('SIGUSR1')) await exited
  })
  const metric = async (name: string) => {
    const signal = AbortSignal.timeout(METRICS_MS)
    const text = await (await fetch(`http://${host}:${metricsPort}/metrics`, { signal })).text()
    return text.split('\n').filter((line) => line.startsWith(`${name}{`))
  }
  const sees = async (count: number, which: 'ready' | 'alive' = 'ready') => {
    const line = `haproxy_backend_active_servers{proxy="${which}"} ${count}`
    const end = performance.now() + SEES_MS
    let seen: string[] = []
    while (child.exitCode === null) {
      seen = await metric('haproxy_backend_active_servers').catch((error: unknown) => [String(error)])
      if (seen.includes(line)) return
      if (performance.now() > end) throw new Error(`HAProxy does not see ${count}: ${seen.join('; ')}\n${log}`)
      await delay(20)
    }
    throw new Error(`HAProxy has exited:\n${log}`)
  }
  const proxy: Haproxy = { url: `http://${host}:${port}`, port, addresses, metric, stop, sees }
  // Replicas count as ready until they are checked, which can be sooner than anybody sees.
  await proxy.sees(addresses.length, 'alive')
  return proxy
}

async function serveNames(addresses: readonly string[]): Promise<number> {
  const server = createSocket('udp4')
  server.on('message', (query, { address, port }) => {
    const end = query.indexOf(0, 12) + 5
    const asksForA = query.readUInt16BE(end - 4) === A_RECORD
    const records = (asksForA ? addresses : []).map((ip) =>
      // A pointer to the question's name, type A, class IN, TTL 0, four bytes of data.
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...ip.split('.').map(Number)]),
    )
    const head = Buffer.alloc(12)
    query.copy(head, 0, 0, 2)
    head.writeUInt16BE(addresses.length === 0 ? NO_SUCH_NAME : ANSWER, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(records.length, 6)
    server.send(Buffer.concat([head, query.subarray(12, end), ...records]), port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  closeAfter(() => server.close())
  return (server.address() as AddressInfo).port
}
