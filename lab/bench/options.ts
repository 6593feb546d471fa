import { parseArgs } from 'node:util'
import type { NetworkName } from '@dexfeed/dex'
import type { Check, ProgramSettings } from '@dexfeed/service'
import { type NetworkShape, PRESET_NAMES, PRESETS } from '../chain/made/shapes.ts'
import type { BudgetPlan } from '../node/rpc/budget.ts'

export const API_PARTS = ['operations', 'stream', 'list', 'v1', 'neighbour'] as const
export type ApiPart = (typeof API_PARTS)[number]

export interface BenchOptions {
  rows: number
  part: ApiPart | null
  swaps: number
  /** What the indexer reads. Only receipts prove a block. */
  read: 'logs' | 'receipts'
  preload: number
  besideApi: 'contract' | 'all' | null
  workers: number | null
  networks: number
  poll: boolean
  blocks: number
  profile: string | null
  pools: number
  dust: number
  mainnet: MainnetOptions
}

export interface MainnetOptions {
  preset: string
  networks: readonly { network: NetworkName; shape: NetworkShape }[]
  budget: BudgetPlan
  latencyMs: number
  receipts: boolean
  history: 'rpc' | 'portal'
  minutes: number
  warmUpS: number
  days: number
}

const text = { type: 'string' } as const
const flag = { type: 'boolean', default: false } as const

const ARGUMENTS = {
  rows: text,
  part: text,
  swaps: text,
  read: text,
  preload: text,
  'beside-api': text,
  workers: text,
  networks: text,
  blocks: text,
  poll: flag,
  profile: text,
  dust: text,
  preset: text,
  history: text,
  latency: text,
  rate: text,
  burst: text,
  refusal: text,
  minutes: text,
  'warm-up': text,
  days: text,
  'no-receipts': flag,
  websocket: flag,
  pools: text,
  'new-pools': text,
  ticks: text,
  cycle: text,
  'block-time': text,
  'block-transactions': text,
  'block-swaps': text,
  'block-logs': text,
  'block-bytes': text,
  'log-cap': text,
  'range-cap': text,
  'finality-lag': text,
  'finality-depth': text,
} as const
type Name = keyof typeof ARGUMENTS

const OVERRIDES: readonly (readonly [Name, keyof NetworkShape, from: number, to: number])[] = [
  ['pools', 'pools', 12, 100_000],
  ['new-pools', 'newPoolsPerMinute', 0, 1_000],
  ['ticks', 'ticks', 2, 200],
  ['cycle', 'cycle', 16, 8_192],
  ['block-time', 'blockTimeS', 0.1, 60],
  ['block-transactions', 'transactions', 1, 2_000],
  ['block-swaps', 'swaps', 1, 1_000],
  ['block-logs', 'logs', 0, 20_000],
  ['block-bytes', 'blockBytes', 0, 10_000_000],
  ['log-cap', 'logCap', 100, 1_000_000],
  ['range-cap', 'rangeCap', 1, 1_000_000],
  ['finality-lag', 'finalityLag', 0, 10_000],
  ['finality-depth', 'finalityDepth', 1, 10_000],
]

export interface BenchSettings<T extends string> extends ProgramSettings {
  bench: T
  options: BenchOptions
}

export function checkBench<T extends string>(
  args: string[],
  benches: Readonly<Record<T, unknown>>,
): Check<BenchSettings<T>> {
  return () => {
    try {
      const { values, positionals } = parseArgs({ args, options: ARGUMENTS, allowPositionals: true })
      const names = Object.keys(benches) as T[]
      const bench = names.find((name) => name === positionals[0])
      if (bench === undefined || positionals.length !== 1) throw new Error(`which benchmark? ${names.join(' | ')}`)
      const options = readOptions(bench, values)
      return { settings: { bench, options, logLevel: 'warn', databaseUrl: null, warnings: [] } }
    } catch (error) {
      return { problems: [`bench: ${(error as Error).message}`] }
    }
  }
}

/** @throws if an option is invalid */
export function readOptions(bench: string, values: Readonly<Partial<Record<Name, string | boolean>>>): BenchOptions {
  const given = (name: Name, initial: number, from: number, to: number) =>
    readNumber(name, values[name] ?? String(initial), from, to)
  const whole: typeof given = (name, ...range) => {
    const value = given(name, ...range)
    if (!Number.isInteger(value)) throw new Error(`--${name} must be a whole number`)
    return value
  }
  const choice = <T extends string>(name: Name, choices: readonly T[]): T | null => {
    const found = choices.find((value) => value === values[name]) ?? null
    if (values[name] !== undefined && found === null) throw new Error(`--${name} must be ${choices.join(' or ')}`)
    return found
  }
  if (values.poll === true && values.websocket === true) throw new Error('--poll or --websocket, not both')
  const hasMarket = bench === 'quote' || bench === 'figures'
  const overrides = OVERRIDES.flatMap(([name, field, from, to]) => {
    const value = name === 'pools' && hasMarket ? undefined : values[name]
    return value === undefined ? [] : [[field, readNumber(name, value, from, to)] as const]
  })
  const preset = choice('preset', [...PRESET_NAMES, 'all']) ?? 'bsc'
  const rate = given('rate', 100, 0, 1_000_000)
  const refusal = choice('refusal', ['http', 'item']) ?? 'http'
  return {
    part: choice('part', API_PARTS),
    rows: whole('rows', 1_000_000, 100, 50_000_000),
    read: choice('read', ['logs', 'receipts']) ?? 'logs',
    swaps: whole('swaps', 200_000, 1, 10_000_000),
    preload: whole('preload', 0, 0, 100_000_000),
    besideApi: choice('beside-api', ['contract', 'all']),
    workers: values.workers === undefined ? null : whole('workers', 0, 0, 16),
    networks: whole('networks', 1, 1, 3),
    blocks: whole('blocks', 60, 1, 3_600),
    poll: values.poll === true,
    profile: typeof values.profile === 'string' ? values.profile : null,
    pools: hasMarket ? whole('pools', 200_000, 100, 1_000_000) : 0,
    dust: whole('dust', 0, 0, 10_000),
    mainnet: {
      preset,
      history: choice('history', ['rpc', 'portal']) ?? 'rpc',
      networks: PRESET_NAMES.filter((name) => preset === 'all' || preset === name).map((network) => {
        return { network, shape: { ...PRESETS[network], ...Object.fromEntries(overrides) } }
      }),
      budget: { rate: rate === 0 ? null : rate, burst: given('burst', 30, 1, 1_000_000), refusal },
      latencyMs: given('latency', 50, 0, 10_000),
      receipts: values['no-receipts'] !== true,
      minutes: given('minutes', 3, 0.01, 600),
      warmUpS: given('warm-up', 30, 0, 3_600),
      days: given('days', 7, 0.001, 30),
    },
  }
}

function readNumber(name: string, given: string | boolean, from: number, to: number): number {
  const value = typeof given === 'string' && /^\d{1,9}(\.\d{1,6})?$/.test(given) ? Number(given) : Number.NaN
  if (!(value >= from && value <= to)) throw new Error(`--${name} must be a number from ${from} to ${to}`)
  return value
}
