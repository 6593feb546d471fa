import { once } from 'node:events'
import { connect } from 'node:net'
import type { NetworkStatus } from '@dexfeed/contract'
import type { Devnet } from '@dexfeed/devnet'
import { freePort } from '@dexfeed/test-setup/connections'
import { expect, vi } from 'vitest'
import { runNode } from './run-node.ts'

const HOST = '127.0.0.1'
const READY_MS = 120_000

interface Reply {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test checks what it reads from a response
  body: any
}

/** Indexer and API as processes that end with the test. */
export interface Programs {
  base: string
  get(path: string, init?: RequestInit): Promise<Reply>
  upToDate(): Promise<void>
  /** Returns exit codes, and the ports that still listen. */
  stop(signals?: {
    indexer: NodeJS.Signals
    api: NodeJS.Signals
  }): Promise<{ codes: (number | null)[]; open: number[] }>
}

export interface ProgramsOptions {
  devnet: { chains: Partial<Devnet['chains']>; dexConfigFile: string }
  databaseUrl: string
  indexerSettings?: Readonly<Record<string, string>>
}

export async function startPrograms({ devnet, databaseUrl, indexerSettings }: ProgramsOptions): Promise<Programs> {
  const ports = [await freePort(), await freePort(), await freePort()]
  const [port, ...metricsPorts] = ports.map(String)
  const shared = {
    DATABASE_URL: databaseUrl,
    DEX_CONFIG: devnet.dexConfigFile,
    HOST,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PER_S: '0',
    // The chains do not advance while they are compared.
    MAX_QUOTE_AGE_S: '3600',
  }
  // As in containers, the API gets no node URL.
  const nodes = Object.fromEntries(
    Object.values(devnet.chains).map(({ network, rpcUrl, wsUrl }) => {
      return [`${network.toUpperCase()}_RPC_URL`, `${rpcUrl},${wsUrl}`]
    }),
  )
  const own = { METRICS_PORT: metricsPorts[0] ?? '', HISTORY_THREADS: '0' }
  const indexer = runNode(['apps/indexer/dist/indexer.js'], { ...shared, ...nodes, ...own, ...indexerSettings })
  const api = runNode(['apps/api/dist/api.js'], { ...shared, PORT: port ?? '', METRICS_PORT: metricsPorts[1] ?? '' })
  const base = `http://${HOST}:${port}`
  const get: Programs['get'] = async (path, init) => {
    // A server may close an idle connection at the moment of its next use.
    const response = await fetch(base + path, { ...init, headers: { connection: 'close', ...init?.headers } })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parsed(text) }
  }
  return {
    base,
    get,
    async upToDate() {
      const heads = await Promise.all(
        Object.values(devnet.chains).map(async ({ network, rpc }) => {
          return [network, Number(await rpc.send<string>('eth_blockNumber', []))]
        }),
      )
      const state = async () => {
        for (const [name, { child, stdout, stderr }] of Object.entries({ indexer, api })) {
          if (child.exitCode !== null) return `${name} ended: ${stdout()}${stderr()}`
        }
        const ready = await get('/readyz').catch((error: Error) => ({ status: 0, text: error.message }))
        if (ready.status !== 200) return ready.text
        const { body } = await get('/status')
        const status = body.networks.map(({ network, indexed_block }: NetworkStatus) => [network, indexed_block])
        // A busy machine may still send the previous list.
        const { headers } = await get('/api/swaps_24h?limit=1')
        return { status, listed: headers.get('x-indexed-block') }
      }
      const current = { status: heads, listed: heads.map((head) => head.join('=')).join(', ') }
      await vi.waitFor(async () => expect(await state()).toEqual(current), { timeout: READY_MS, interval: 150 })
    },
    async stop(signals = { indexer: 'SIGINT', api: 'SIGTERM' }) {
      indexer.child.kill(signals.indexer)
      api.child.kill(signals.api)
      const codes = await Promise.all([indexer.exitCode, api.exitCode])
      const listening = await Promise.all(ports.map(isOpen))
      return { codes, open: ports.filter((_, at) => listening[at]) }
    },
  }
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, HOST)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
