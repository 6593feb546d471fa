import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NETWORK_NAMES, type NetworkName, SECOND } from '@dexfeed/dex'
import { type DevnetChain, type OwnedChain, startChain } from './chain.ts'
import { openChainArchive } from './chain-archive.ts'
import { loadArtifacts } from './deployment/artifacts.ts'

const DEFAULT_HISTORY_DAYS = 7
const DEFAULT_HISTORY_BLOCKS = 400
const DEFAULT_SEED = 20_260_101
/** Pause between two live blocks of a chain, in ms. */
const MIN_PAUSE_MS = 900
const MAX_PAUSE_MS = 1_900
/** The maximum that a saved chain loses in a crash: far less than the blocks that an indexer still expects to change. */
const SAVE_PAUSE_MS = 30 * SECOND

/** A log, such as a pino logger. */
interface DevnetLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

export interface DevnetOptions<N extends NetworkName = NetworkName> {
  /** Where dex-config.json and devnet.json are written. */
  dataDir: string
  log: DevnetLog
  /** Default: all three. */
  networks?: readonly N[]
  /** How far back the history begins; default 7. */
  historyDays?: number
  /** Blocks of history on each chain; default 400. */
  historyBlocks?: number
  /** Of the random choices. The same seed makes the same trades. */
  seed?: number
  /** Address that the nodes listen on; default 127.0.0.1. */
  host?: string
  /** Default: free ones. */
  ports?: Partial<Record<NetworkName, number>>
  /** Saves the chains in `dataDir` while they run and when they stop, and continues those found there. Default: new chains every time.
   */
  keep?: boolean
  /** Aborts the start. */
  signal?: AbortSignal
}

export interface Devnet<N extends NetworkName = NetworkName> {
  chains: Record<N, DevnetChain>
  /** A DEX_CONFIG file for these chains. */
  dexConfigFile: string
  /** Data of the chains, for tests and checks from outside. */
  devnetFile: string
  /** Resolves with a sentence when a node ends unexpectedly. */
  died: Promise<string>
  /** Starts mining a block with a few transactions every one to two seconds on every chain. */
  startBots(): void
  /** Ends bots and nodes; resolves once no process is left. */
  stop(): Promise<void>
}

/** Starts local chains with the real DEX contracts and days of trades. On failure it ends everything that it started. */
export async function startDevnet<N extends NetworkName = NetworkName>(options: DevnetOptions<N>): Promise<Devnet<N>> {
  const networks = options.networks ?? (NETWORK_NAMES as readonly NetworkName[] as readonly N[])
  const abort = new AbortController()
  const signal = AbortSignal.any([abort.signal, ...(options.signal ? [options.signal] : [])])
  const artifacts = loadArtifacts()
  const shared = {
    artifacts,
    host: options.host ?? '127.0.0.1',
    now: Math.floor(Date.now() / SECOND),
    historyDays: options.historyDays ?? DEFAULT_HISTORY_DAYS,
    historyBlocks: options.historyBlocks ?? DEFAULT_HISTORY_BLOCKS,
    seed: options.seed ?? DEFAULT_SEED,
    signal,
  }
  const { dataDir, keep, ports } = options
  if (keep) await mkdir(dataDir, { recursive: true })
  const starts = networks.map(async (network) => {
    const archive = keep ? openChainArchive(dataDir, network) : null
    const owned = await startChain({ ...shared, network, port: ports?.[network] ?? 0, archive })
    report(options.log, owned.chain)
    return owned
  })
  for (const start of starts) start.catch((error: unknown) => abort.abort(error))
  const settled = await Promise.allSettled(starts)
  const owned = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  try {
    signal.throwIfAborted()
    return await assemble(options, owned)
  } catch (error) {
    await Promise.all(owned.map(({ stop }) => stop()))
    throw error
  }
}

async function assemble<N extends NetworkName>(options: DevnetOptions<N>, owned: readonly OwnedChain[]) {
  const chains = Object.fromEntries(owned.map(({ chain }) => [chain.network, chain])) as Record<N, DevnetChain>
  const files = await writeFiles(options.dataDir, owned)
  const bots = createBots(owned, options.log)
  const keeper = createKeeper(options.keep ? owned : [], options.log)
  let stopping: Promise<void> | undefined
  return {
    chains,
    ...files,
    died: Promise.race(owned.map(({ died }) => died)),
    startBots() {
      bots.start()
      keeper.start()
    },
    stop() {
      stopping ??= bots.stop().then(async () => {
        await keeper.stop()
        await Promise.all(owned.map(({ stop }) => stop()))
      })
      return stopping
    },
  }
}

function report(log: DevnetLog, { network, chainId, rpcUrl, contracts, history }: DevnetChain): void {
  const fields = { network, chainId, rpcUrl, pools: contracts.pools.length, ...history }
  if (history.failed > 0) log.warn(fields, 'chain is up, but some of its transactions failed')
  else log.info(fields, 'chain is up')
}

async function writeFiles(dataDir: string, owned: readonly OwnedChain[]) {
  await mkdir(dataDir, { recursive: true })
  const dexConfigFile = join(dataDir, 'dex-config.json')
  const devnetFile = join(dataDir, 'devnet.json')
  const config = Object.fromEntries(owned.map(({ chain }) => [chain.network, chain.deployment]))
  await writeFile(dexConfigFile, `${JSON.stringify(config, null, 2)}\n`)
  const description = owned.map(({ chain }) => {
    const { network, chainId, rpcUrl, wsUrl, pid, contracts, accounts, history } = chain
    return [network, { chainId, rpcUrl, wsUrl, pid, contracts, accounts, history }]
  })
  await writeFile(devnetFile, `${JSON.stringify(Object.fromEntries(description), null, 2)}\n`)
  return { dexConfigFile, devnetFile }
}

function createBots(owned: readonly OwnedChain[], log: DevnetLog) {
  const timers = new Map<NetworkName, NodeJS.Timeout>()
  const running = new Set<Promise<void>>()
  let stopped = false

  const schedule = (chain: DevnetChain) => {
    const pause = MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS)
    const act = () => {
      const turn = chain
        .trade()
        .catch((error: unknown) => {
          if (!stopped) log.warn({ network: chain.network, error }, 'no block this time')
        })
        .then(() => {
          running.delete(turn)
          if (!stopped) schedule(chain)
        })
      running.add(turn)
    }
    timers.set(chain.network, setTimeout(act, pause))
  }

  return {
    start() {
      if (timers.size > 0 || stopped) return
      for (const { chain } of owned) schedule(chain)
    },
    async stop() {
      stopped = true
      for (const timer of timers.values()) clearTimeout(timer)
      await Promise.all(running)
    },
  }
}

/** Saves the chains in intervals, and at the end. */
function createKeeper(owned: readonly OwnedChain[], log: DevnetLog) {
  let timer: NodeJS.Timeout | undefined
  let saving: Promise<void> = Promise.resolve()
  let stopped = false

  const saveAll = async () => {
    for (const { chain, save } of owned) {
      await save().catch((error: unknown) => log.warn({ network: chain.network, error }, 'chain was not saved'))
    }
  }
  const schedule = () => {
    timer = setTimeout(() => {
      saving = saveAll().then(() => {
        if (!stopped) schedule()
      })
    }, SAVE_PAUSE_MS)
  }

  return {
    start() {
      if (timer === undefined && !stopped && owned.length > 0) schedule()
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await saving
      await saveAll()
    },
  }
}
