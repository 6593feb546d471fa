import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Deployment, NetworkName } from '@dexfeed/dex'
import { projectRoot, type Shutdown } from '@dexfeed/service'
import { freePort } from './read-metrics.ts'
import { type Caller, callerOf, type Functions } from './remote.ts'

const LOOK_MS = 100

interface IndexedNode {
  network: NetworkName
  httpUrl: string
  wsUrl: string
  first: number
  deployment: Deployment
}

export interface IndexerRun {
  databaseUrl: string
  folder: string
  nodes: readonly IndexedNode[]
  env?: Readonly<Record<string, string>>
  socket: boolean
  profile: string | null
}

export function startIndexer(run: IndexerRun, shutdown: Shutdown): ChildProcess {
  const { profile } = run
  return startProgram('apps/indexer/dist/indexer.js', [], shutdown, {
    // As in package.json.
    execArgv: ['--max-semi-space-size=32', ...(profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`])],
    env: environmentOf(run),
  })
}

function environmentOf({
  databaseUrl,
  folder,
  nodes,
  env = {},
  socket,
}: IndexerRun): Record<string, string | undefined> {
  const dexConfig = join(folder, 'dex-config.json')
  const deployments = nodes.map(({ deployment: { network, ...deployment } }) => [network, deployment])
  writeFileSync(dexConfig, JSON.stringify(Object.fromEntries(deployments)))
  const urls = nodes.map(({ network, httpUrl, wsUrl }) => [
    `${network.toUpperCase()}_RPC_URL`,
    socket ? `${httpUrl},${wsUrl}` : httpUrl,
  ])
  return {
    PATH: process.env.PATH,
    // As in docker-compose.yml.
    MALLOC_ARENA_MAX: '1',
    DATABASE_URL: databaseUrl,
    DEX_CONFIG: dexConfig,
    NETWORKS: nodes.map(({ network }) => network).join(','),
    START_BLOCK: nodes.map(({ network, first }) => `${network}:${first}`).join(','),
    LOG_LEVEL: 'warn',
    HISTORY_THREADS: '0',
    ...Object.fromEntries(urls),
    ...env,
  }
}

export async function startApi(
  databaseUrl: string,
  shutdown: Shutdown,
  { env = {}, execArgv = [] }: Pick<ForkOptions, 'env' | 'execArgv'> = {},
): Promise<{ child: ChildProcess; url: string }> {
  const lists = mkdtempSync(join(tmpdir(), 'dexfeed-lists-'))
  shutdown.add('lists', () => rmSync(lists, { recursive: true, force: true }))
  const port = await freePort()
  const settings = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    LIST_CACHE_DIR: lists,
    PORT: String(port),
    RATE_LIMIT_PER_S: '0',
    LOG_LEVEL: 'error',
  }
  const child = startProgram('apps/api/dist/api.js', [], shutdown, { execArgv, env: { ...settings, ...env } })
  const url = `http://127.0.0.1:${port}`
  await untilServed(`${url}/livez`, child, shutdown.signal)
  return { child, url }
}

/**
 * Waits until the URL returns 200.
 *
 * @throws if the program ends or `signal` aborts
 */
export async function untilServed(url: string, child: ChildProcess, signal: AbortSignal, method = 'GET') {
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('the API ended')
    const response = await fetch(url, { method }).catch(() => null)
    await response?.arrayBuffer()
    if (response?.status === 200) return
    await delay(LOOK_MS, undefined, { signal })
  }
}

/** Starts a file of the repository. The process ends with this program. */
export function startProgram(
  file: string,
  args: readonly string[],
  shutdown: Shutdown,
  options: ForkOptions = {},
): ChildProcess {
  shutdown.signal.throwIfAborted()
  const child = fork(join(projectRoot(), file), args, options)
  // Kill it now, because other programs wait for its end.
  const kill = () => void child.kill()
  shutdown.signal.addEventListener('abort', kill)
  child.once('exit', () => shutdown.signal.removeEventListener('abort', kill))
  shutdown.add(file, () => stopProgram(child))
  return child
}

export function startPeer<F extends Functions>(
  file: string,
  { heapMb, args = [], shutdown }: { heapMb: number; args?: readonly string[]; shutdown: Shutdown },
): { child: ChildProcess; call: Caller<F> } {
  const child = startProgram(file, args, shutdown, { execArgv: [`--max-old-space-size=${heapMb}`, '--expose-gc'] })
  return { child, call: callerOf<F>(child) }
}

export async function stopProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  await ended
}
