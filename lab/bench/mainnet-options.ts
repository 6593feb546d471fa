import type { NetworkName } from '@dexfeed/dex'
import type { BudgetPlan } from '@dexfeed/fake-node/rpc/budget'
import { type NetworkShape, PRESET_NAMES, PRESETS } from './chain/shapes.ts'

/** The options of `bench -- mainnet`. */
export interface MainnetOptions {
  /** A network, or all. */
  preset: string
  networks: readonly { network: NetworkName; shape: NetworkShape }[]
  budget: BudgetPlan
  latencyMs: number
  /** Whether nodes serve receipts of whole blocks. */
  receipts: boolean
  /** The first source of history: the nodes, or a Portal of each network. */
  history: 'rpc' | 'portal'
  /** Length of the measurement, and the time before it from the start of the indexer. */
  minutes: number
  warmUpS: number
  days: number
}

/** The options of the command line. The preset decides the others. */
export const MAINNET_ARGUMENTS = {
  preset: { type: 'string', default: 'bsc' },
  history: { type: 'string', default: 'rpc' },
  latency: { type: 'string', default: '50' },
  rate: { type: 'string', default: '100' },
  burst: { type: 'string', default: '30' },
  refusal: { type: 'string', default: 'http' },
  minutes: { type: 'string', default: '3' },
  'warm-up': { type: 'string', default: '30' },
  days: { type: 'string', default: '7' },
  'no-receipts': { type: 'boolean', default: false },
  websocket: { type: 'boolean', default: false },
  pools: { type: 'string' },
  'new-pools': { type: 'string' },
  ticks: { type: 'string' },
  cycle: { type: 'string' },
  'block-time': { type: 'string' },
  'block-transactions': { type: 'string' },
  'block-swaps': { type: 'string' },
  'block-logs': { type: 'string' },
  'block-bytes': { type: 'string' },
  'log-cap': { type: 'string' },
  'range-cap': { type: 'string' },
  'finality-lag': { type: 'string' },
  'finality-depth': { type: 'string' },
} as const

/** By the option that overrides it, a field of the shape and its bounds. */
const OVERRIDES = {
  pools: ['pools', 12, 100_000],
  'new-pools': ['newPoolsPerMinute', 0, 1_000],
  ticks: ['ticks', 2, 200],
  cycle: ['cycle', 16, 8_192],
  'block-time': ['blockTimeS', 0.1, 60],
  'block-transactions': ['transactions', 1, 2_000],
  'block-swaps': ['swaps', 1, 1_000],
  'block-logs': ['logs', 0, 20_000],
  'block-bytes': ['blockBytes', 0, 10_000_000],
  'log-cap': ['logCap', 100, 1_000_000],
  'range-cap': ['rangeCap', 1, 1_000_000],
  'finality-lag': ['finalityLag', 0, 10_000],
  'finality-depth': ['finalityDepth', 1, 10_000],
} as const satisfies Record<string, readonly [keyof NetworkShape, number, number]>

type Values = Readonly<Partial<Record<keyof typeof MAINNET_ARGUMENTS, string | boolean | undefined>>>

/** Reads the options. @throws if an option is invalid */
export function readMainnetOptions(values: Values): MainnetOptions {
  const number = (name: keyof Values, from: number, to: number) => readNumber(name, values[name], from, to)
  const { preset } = values
  const names = preset === 'all' ? PRESET_NAMES : PRESET_NAMES.filter((name) => name === preset)
  if (names.length === 0) throw new Error(`--preset must be one of ${PRESET_NAMES.join(', ')}, all`)
  const refusal = readChoice('refusal', values.refusal, ['http', 'item']) ?? 'http'
  const history = readChoice('history', values.history, ['rpc', 'portal']) ?? 'rpc'
  const overrides = Object.entries(OVERRIDES).flatMap(([name, [field, from, to]]) => {
    const given = values[name as keyof Values]
    return given === undefined ? [] : [[field, readNumber(name, given, from, to)] as const]
  })
  const rate = number('rate', 0, 1_000_000)
  return {
    preset: String(preset),
    history,
    networks: names.map((network) => ({ network, shape: { ...PRESETS[network], ...Object.fromEntries(overrides) } })),
    budget: { rate: rate === 0 ? null : rate, burst: number('burst', 1, 1_000_000), refusal },
    latencyMs: number('latency', 0, 10_000),
    receipts: values['no-receipts'] !== true,
    minutes: number('minutes', 0.01, 600),
    warmUpS: number('warm-up', 0, 3_600),
    days: number('days', 0.001, 30),
  }
}

function readNumber(name: string, text: string | boolean | undefined, from: number, to: number): number {
  const value = typeof text === 'string' && /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= from && value <= to)) throw new Error(`--${name} must be a number from ${from} to ${to}`)
  return value
}

/** @throws if a value is given that is not one of these; null: none is given */
export function readChoice<T extends string>(name: string, value: unknown, choices: readonly T[]): T | null {
  const found = choices.find((choice) => choice === value) ?? null
  if (value !== undefined && found === null) throw new Error(`--${name} must be ${choices.join(' or ')}`)
  return found
}
