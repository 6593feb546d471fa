import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { present, SECOND } from '@dexfeed/dex'

const START_TIMEOUT_MS = 20 * SECOND
const STOP_TIMEOUT_MS = 3 * SECOND
/** The node keeps the states of the last blocks, as many as full nodes do by default; each takes about a megabyte. */
const KEPT_STATES = 128

export interface AnvilOptions {
  chainId: number
  /** Time of the genesis block, in seconds since 1970. */
  genesisTime: number
  /** Unlocked accounts with coins. */
  accounts: number
  host: string
  /** 0: a free one. */
  port: number
  /** An earlier state to continue; null: a chain with only its genesis block. */
  stateFile: string | null
  /** Allows contracts of any size, for those made for chains that accept them. */
  anyCodeSize?: boolean
}

export interface Anvil {
  url: string
  wsUrl: string
  pid: number
  /** Resolves with a sentence when the node ends without being stopped. */
  died: Promise<string>
  /** Ends the node and resolves once it is gone. */
  stop(): Promise<void>
}

/** Starts a local node that mines on demand only. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const child = spawn(anvilBinary(), anvilArguments(options), {
    // A separate session: a Ctrl-C in the terminal reaches only the parent, which then stops the node in order.
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
      // The node serves both on one port, always also on loopback.
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
    // Pinned, so that gas rules do not change with the next release of the node; the later ones add a word of state
    // with every block, and a block costs this node as much time as it has state.
    hardfork: 'cancun',
    'gas-limit': 500_000_000,
    'base-fee': 1_000_000_000,
    order: 'fifo',
    // Otherwise the node writes the states of all older blocks to disk.
    'prune-history': KEPT_STATES,
    ...(stateFile === null ? {} : { 'load-state': stateFile }),
  }
  const switches = ['--no-mining', ...(anyCodeSize ? ['--disable-code-size-limit'] : [])]
  return [...switches, ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])]
}

/**
 * Returns the node's executable from the package for this platform: the launcher of @foundry-rs/anvil needs an
 * install script, which npm may refuse to run.
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
    // Keeps reading after the port is known: a full pipe would stop the node.
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
 * Ends the node even if this process is killed before it could: a shell waits for the end of a pipe that only this
 * process holds. Returns a function that ends the shell, to be called after the node has ended.
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
