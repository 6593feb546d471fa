import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NETWORK_NAMES, type NetworkName, SECOND } from '@dexfeed/dex'
import { type DevnetChain, type OwnedChain, startChain } from './chain.ts'
import { openChainArchive } from './chain-archive.ts'
import { loadArtifacts } from './deployment/contracts.ts'

const DEFAULT_HISTORY_DAYS = 7
const DEFAULT_HISTORY_BLOCKS = 400
const DEFAULT_SEED = 20_260_101
const MIN_PAUSE_MS = 900
const MAX_PAUSE_MS = 1_900
/** A crash loses at most this much of a chain, far less than an indexer expects to be rolled back. */
const SAVE_PAUSE_MS = 30 * SECOND

interface DevnetLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

export interface DevnetOptions<N extends NetworkName = NetworkName> {
  dataDir: string
  log: DevnetLog
  /** Default: all. */
  networks?: readonly N[]
  /** Default: 7. */
  historyDays?: number
  /** Per chain; default: 400. */
  historyBlocks?: number
  seed?: number
  /** Default: 127.0.0.1. */
  host?: string
  /** Default: free ports. */
  ports?: Partial<Record<NetworkName, number>>
  /** Continues and saves the chains in `dataDir`. Default: new chains every time. */
  keep?: boolean
  signal?: AbortSignal
}

export interface Devnet<N extends NetworkName = NetworkName> {
  chains: Record<N, DevnetChain>
  dexConfigFile: string
  devnetFile: string
  /** Resolves with an explanation if a node ends unexpectedly. */
  died: Promise<string>
  /** Starts mining a small block every one to two seconds on every chain. */
  startBots(): void
  stop(): Promise<void>
}

/** Starts local chains with the real DEX contracts and days of trades. Cleans up on failure. */
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
  let stopping: Promise<void> | undefined
  const trading = owned.map(({ chain }) =>
    repeat(
      () => MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS),
      () =>
        chain.trade().catch((error: unknown) => {
          if (!stopping) options.log.warn({ network: chain.network, error }, 'no block this time')
        }),
    ),
  )
  const kept = options.keep ? owned : []
  const saveAll = async () => {
    for (const { chain, save } of kept) {
      await save().catch((error: unknown) => options.log.warn({ network: chain.network, error }, 'chain was not saved'))
    }
  }
  const saving = repeat(() => SAVE_PAUSE_MS, saveAll)
  const stop = async () => {
    await Promise.all(trading.map((bot) => bot.stop()))
    await saving.stop()
    await saveAll()
    await Promise.all(owned.map((ownedChain) => ownedChain.stop()))
  }
  return {
    chains,
    ...files,
    died: Promise.race(owned.map(({ died }) => died)),
    startBots() {
      for (const bot of trading) bot.start()
      if (kept.length > 0) saving.start()
    },
    stop() {
      stopping ??= stop()
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

function repeat(pauseMs: () => number, task: () => Promise<void>) {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let stopped = false
  const schedule = () => {
    timer = setTimeout(() => {
      running = task().then(() => {
        if (!stopped) schedule()
      })
    }, pauseMs())
  }
  return {
    start() {
      if (timer === undefined && !stopped) schedule()
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
