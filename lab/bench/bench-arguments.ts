import { parseArgs } from 'node:util'
import type { Check, ProgramSettings } from '@dexfeed/service'
import { MAINNET_ARGUMENTS, type MainnetOptions, readChoice, readMainnetOptions } from './mainnet-options.ts'

/** Routes of the contract, which respond from memory, or also one of `/v1`, which queries the database. */
const API_ROUTES = ['contract', 'all'] as const
export type ApiRoutes = (typeof API_ROUTES)[number]

export const API_PARTS = ['operations', 'stream', 'list', 'v1', 'neighbour'] as const
export type ApiPart = (typeof API_PARTS)[number]

export interface BenchOptions {
  /** Swaps of the day that `api` serves. */
  rows: number
  /** What `api` measures; null: all of it. */
  part: ApiPart | null
  /** Swaps of the chain that `index` indexes. */
  swaps: number
  /** Whether nodes of `index` and `live` serve receipts of whole blocks, so that blocks are proven, or only logs. */
  read: 'logs' | 'receipts'
  /** Rows in the tables before a second run of `index`; 0: no second run. */
  preload: number
  /** Routes of an API under full load while `index` indexes once more; null: no such run. */
  besideApi: ApiRoutes | null
  /** `HISTORY_THREADS` of the indexer; null: the default of the benchmark. */
  workers: number | null
  /** Networks that `live` follows in parallel. */
  networks: number
  /** Heads by polling instead of WebSocket. */
  poll: boolean
  /** Blocks that `live` publishes. */
  blocks: number
  /** Folder for a CPU profile of the indexer; null: none. */
  profile: string | null
  /** Pools of the market that `quote` measures. */
  pools: number
  /** Pools of dust on each of two links between hubs of it. */
  dust: number
  mainnet: MainnetOptions
}

const OPTIONS = {
  rows: { type: 'string', default: '1000000' },
  part: { type: 'string' },
  swaps: { type: 'string', default: '200000' },
  read: { type: 'string', default: 'logs' },
  preload: { type: 'string', default: '0' },
  'beside-api': { type: 'string' },
  workers: { type: 'string' },
  networks: { type: 'string', default: '1' },
  blocks: { type: 'string', default: '60' },
  poll: { type: 'boolean', default: false },
  profile: { type: 'string' },
  dust: { type: 'string', default: '0' },
  ...MAINNET_ARGUMENTS,
} as const

export interface BenchSettings<T extends string> extends ProgramSettings {
  bench: T
  options: BenchOptions
}

/** Reads the command line. The environment is ignored. */
export function checkBench<T extends string>(
  args: string[],
  benches: Readonly<Record<T, unknown>>,
): Check<BenchSettings<T>> {
  return () => {
    try {
      return { settings: { ...readArguments(args, benches), logLevel: 'warn', databaseUrl: null, warnings: [] } }
    } catch (error) {
      return { problems: [`bench: ${(error as Error).message}`] }
    }
  }
}

/** @throws if the arguments name no benchmark or an invalid option */
function readArguments<T extends string>(
  args: string[],
  benches: Readonly<Record<T, unknown>>,
): { bench: T; options: BenchOptions } {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
  const names = Object.keys(benches) as T[]
  const bench = names.find((name) => name === positionals[0])
  if (bench === undefined || positionals.length !== 1) throw new Error(`which benchmark? ${names.join(' | ')}`)
  const isPoolLog = bench === 'quote' || bench === 'figures'
  if (values.poll && values.websocket) throw new Error('--poll or --websocket, not both')
  const options: BenchOptions = {
    part: readChoice('part', values.part, API_PARTS),
    rows: whole('rows', values.rows, 100, 50_000_000),
    read: readChoice('read', values.read, ['logs', 'receipts']) ?? 'logs',
    swaps: whole('swaps', values.swaps, 1, 10_000_000),
    preload: whole('preload', values.preload, 0, 100_000_000),
    besideApi: readChoice('beside-api', values['beside-api'], API_ROUTES),
    workers: values.workers === undefined ? null : whole('workers', values.workers, 0, 16),
    networks: whole('networks', values.networks, 1, 3),
    blocks: whole('blocks', values.blocks, 1, 3_600),
    poll: values.poll,
    profile: values.profile ?? null,
    pools: whole('pools', (isPoolLog ? values.pools : undefined) ?? '200000', 100, 1_000_000),
    dust: whole('dust', values.dust, 0, 10_000),
    // `--pools` has another meaning and another maximum for them.
    mainnet: readMainnetOptions(isPoolLog ? { ...values, pools: undefined } : values),
  }
  return { bench, options }
}

function whole(name: string, text: string, from: number, to: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= from && value <= to)) throw new Error(`--${name} must be a whole number from ${from} to ${to}`)
  return value
}
