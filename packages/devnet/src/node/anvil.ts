import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { present, SECOND } from '@dexfeed/dex'

const START_TIMEOUT_MS = 20 * SECOND
const STOP_TIMEOUT_MS = 3 * SECOND
/** As many states as full nodes keep by default; each takes about a megabyte. */
const KEPT_STATES = 128

export interface AnvilOptions {
  chainId: number
  /** Seconds since 1970. */
  genesisTime: number
  accounts: number
  host: string
  port: number
  /** State to continue from; null for a new chain with only a genesis block. */
  stateFile: string | null
  anyCodeSize?: boolean
}

export interface Anvil {
  url: string
  wsUrl: string
  pid: number
  /** Resolves with an explanation if the node ends without being stopped. */
  died: Promise<string>
  stop(): Promise<void>
}

/** Starts a node that mines on demand only. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const child = spawn(anvilBinary(), anvilArguments(options), {
    // In its own session, the node does not receive a Ctrl-C: this process does, and stops the node in order.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(`exit ${code ?? signal}`))
  })
  const dismissGuard = guardAgainstOrphaning(child)
  void ended.then(dismissGuard)
  const stop = () => endProcess(child, ended)
  try {
    const port = await listeningPort(child, ended)
    return {
      // One port serves HTTP and WebSocket, and always on loopback, too.
      url: `http://127.0.0.1:${port}`,
      wsUrl: `ws://127.0.0.1:${port}`,
      pid: present(child.pid),
      died: ended.then((how) => `anvil of chain ${options.chainId} ended: ${how}`),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function anvilArguments(options: AnvilOptions): string[] {
  const { chainId, genesisTime, accounts, host, port, stateFile, anyCodeSize = false } = options
  const flags = {
    'chain-id': chainId,
    timestamp: genesisTime,
    host,
    port,
    accounts,
    balance: 1_000_000_000,
    // Pinned, because forks change gas rules. Later forks also add a word of state per block, and this node takes
    // longer per block as its state grows.
    hardfork: 'cancun',
    'gas-limit': 500_000_000,
    'base-fee': 1_000_000_000,
    order: 'fifo',
    // Otherwise the node writes all older states to disk.
    'prune-history': KEPT_STATES,
    ...(stateFile === null ? {} : { 'load-state': stateFile }),
  }
  const switches = ['--no-mining', ...(anyCodeSize ? ['--disable-code-size-limit'] : [])]
  return [...switches, ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])]
}

/**
 * Finds the platform's executable. The launcher of @foundry-rs/anvil needs an install script, which npm may refuse to
 * run.
 */
function anvilBinary(): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const platform = process.platform === 'win32' ? 'win32' : process.platform
  const name = `@foundry-rs/anvil-${platform}-${arch}`
  const { resolve } = createRequire(import.meta.url)
  try {
    const folder = dirname(resolve(`${name}/package.json`))
    return join(folder, 'bin', process.platform === 'win32' ? 'anvil.exe' : 'anvil')
  } catch (cause) {
    throw new Error(`no local chain for this platform: npm package ${name} is not installed`, { cause })
  }
}

async function listeningPort(child: ChildProcess, ended: Promise<string>): Promise<number> {
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('anvil was started without pipes')
  let complaint = ''
  stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-1000)
  })
  const timer = AbortSignal.timeout(START_TIMEOUT_MS)
  const port = new Promise<number>((resolve) => {
    // Keep reading: a full pipe would stop the node.
    createInterface({ input: stdout }).on('line', (line) => {
      const match = /^Listening on .*:(\d+)$/.exec(line)
      if (match) resolve(Number(match[1]))
    })
  })
  return await Promise.race([
    port,
    ended.then((how) => Promise.reject(new Error(`anvil did not start (${how}): ${complaint.trim()}`))),
    once(timer, 'abort').then(() => Promise.reject(new Error('anvil did not start in time'))),
  ])
}

/**
 * Kills the node even if this process is killed: a shell waits for the end of a pipe that only this process holds.
 * Returns a function that ends the shell, to call after the node has ended.
 */
function guardAgainstOrphaning(node: ChildProcess): () => void {
  if (process.platform === 'win32' || node.pid === undefined) return () => undefined
  const script = 'read -r _; kill -KILL "$1"'
  const guard = spawn('/bin/sh', ['-c', script, 'sh', String(node.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.on('error', () => undefined)
  guard.unref()
  return () => guard.kill('SIGKILL')
}

async function endProcess(child: ChildProcess, ended: Promise<string>): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await ended
  clearTimeout(force)
}
