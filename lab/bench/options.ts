import { parseArgs } from 'node:util'
import type { Check, ProgramSettings } from '@dexfeed/service'
import { type NetworkShape, PRESET_NAMES, PRESETS } from '../chain/made/shapes.ts'

export const API_PARTS = ['operations', 'stream', 'list', 'v1', 'neighbour'] as const
export type ApiPart = (typeof API_PARTS)[number]

interface Option<T> {
  type: 'string' | 'boolean'
  /** @throws if the value is invalid */
  read(given: unknown, name: string): T
}

const flag: Option<boolean> = { type: 'boolean', read: (given) => given === true }
const text: Option<string | null> = { type: 'string', read: (given) => (typeof given === 'string' ? given : null) }

const OPTIONS = {
  rows: whole(1_000_000, 100, 50_000_000),
  part: choice(API_PARTS, null),
  swaps: whole(200_000, 1, 10_000_000),
  // What the indexer reads. Only receipts prove a block.
  read: choice(['logs', 'receipts'], 'logs'),
  preload: whole(0, 0, 100_000_000),
  'beside-api': choice(['contract', 'all'], null),
  workers: whole(null, 0, 16),
  networks: whole(1, 1, 3),
  blocks: whole(60, 1, 3_600),
  poll: flag,
  websocket: flag,
  profile: text,
  pools: whole(200_000, 100, 1_000_000),
  dust: whole(0, 0, 10_000),
  preset: choice([...PRESET_NAMES, 'all'], 'bsc'),
  history: choice(['rpc', 'portal'], 'rpc'),
  latency: number(50, 0, 10_000),
  rate: number(100, 0, 1_000_000),
  burst: number(30, 1, 1_000_000),
  refusal: choice(['http', 'item'], 'http'),
  minutes: number(3, 0.01, 600),
  'warm-up': number(30, 0, 3_600),
  days: number(7, 0.001, 30),
  'no-receipts': flag,
}

/** Options of `mainnet` that replace a value of the preset. */
const OVERRIDES: Readonly<Record<string, readonly [keyof NetworkShape, Option<unknown>]>> = {
  pools: ['pools', number(null, 12, 100_000)],
  'new-pools': ['newPoolsPerMinute', number(null, 0, 1_000)],
  ticks: ['ticks', number(null, 2, 200)],
  cycle: ['cycle', number(null, 16, 8_192)],
  'block-time': ['blockTimeS', number(null, 0.1, 60)],
  'block-transactions': ['transactions', number(null, 1, 2_000)],
  'block-swaps': ['swaps', number(null, 1, 1_000)],
  'block-logs': ['logs', number(null, 0, 20_000)],
  'block-bytes': ['blockBytes', number(null, 0, 10_000_000)],
  'log-cap': ['logCap', number(null, 100, 1_000_000)],
  'range-cap': ['rangeCap', number(null, 1, 1_000_000)],
  'finality-lag': ['finalityLag', number(null, 0, 10_000)],
  'finality-depth': ['finalityDepth', number(null, 1, 10_000)],
}

export type BenchOptions = ReturnType<typeof readOptions>

export interface BenchSettings<T extends string> extends ProgramSettings {
  bench: T
  options: BenchOptions
}

export function checkBench<T extends string>(
  args: string[],
  benches: Readonly<Record<T, unknown>>,
): Check<BenchSettings<T>> {
  const overrides = Object.entries(OVERRIDES).map(([name, [, option]]) => [name, option])
  return () => {
    try {
      const options = { ...OPTIONS, ...Object.fromEntries(overrides) }
      const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
      const names = Object.keys(benches) as T[]
      const bench = names.find((name) => name === positionals[0])
      if (bench === undefined || positionals.length !== 1) throw new Error(`which benchmark? ${names.join(' | ')}`)
      return {
        settings: { bench, options: readOptions(bench, values), logLevel: 'warn', databaseUrl: null, warnings: [] },
      }
    } catch (error) {
      return { problems: [`bench: ${(error as Error).message}`] }
    }
  }
}

type Values = { [Name in keyof typeof OPTIONS]: ReturnType<(typeof OPTIONS)[Name]['read']> }

/** @throws if an option is invalid */
export function readOptions(bench: string, given: Readonly<Record<string, unknown>>) {
  if (given.poll === true && given.websocket === true) throw new Error('--poll or --websocket, not both')
  const hasMarket = bench === 'quote' || bench === 'figures'
  const isOfShape = (name: string) => given[name] !== undefined && !(name === 'pools' && hasMarket)
  const overrides = Object.entries(OVERRIDES).flatMap(([name, [field, option]]) =>
    isOfShape(name) ? [[field, option.read(given[name], name)] as const] : [],
  )
  const read = Object.entries(OPTIONS).map(([name, option]) => {
    return [name, option.read(name === 'pools' && !hasMarket ? undefined : given[name], name)]
  })
  const values = Object.fromEntries(read) as Values
  const { preset, rate, burst, refusal } = values
  return {
    ...values,
    budget: { rate: rate === 0 ? null : rate, burst, refusal },
    shapes: PRESET_NAMES.filter((name) => preset === 'all' || preset === name).map((network) => {
      return { network, shape: { ...PRESETS[network], ...Object.fromEntries(overrides) } as NetworkShape }
    }),
  }
}

function choice<T extends string, D extends T | null>(choices: readonly T[], initial: D): Option<T | D> {
  return {
    type: 'string',
    read(given, name) {
      const found = given === undefined ? initial : choices.find((value) => value === given)
      if (found === undefined) throw new Error(`--${name} must be ${choices.join(' or ')}`)
      return found
    },
  }
}

function number<D extends number | null>(initial: D, from: number, to: number): Option<number | D> {
  return {
    type: 'string',
    read(given, name) {
      if (given === undefined) return initial
      const value = /^\d{1,9}(\.\d{1,6})?$/.test(String(given)) ? Number(given) : Number.NaN
      if (!(value >= from && value <= to)) throw new Error(`--${name} must be a number from ${from} to ${to}`)
      return value
    },
  }
}

function whole<D extends number | null>(initial: D, from: number, to: number): Option<number | D> {
  const { type, read } = number(initial, from, to)
  return {
    type,
    read(given, name) {
      const value = read(given, name)
      if (value !== null && !Number.isInteger(value)) throw new Error(`--${name} must be a whole number`)
      return value
    },
  }
}
