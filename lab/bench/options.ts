import { parseArgs } from 'node:util'
import type { Check, ProgramSettings } from '@dexfeed/service'
import { type NetworkShape, PRESET_NAMES, PRESETS } from '../chain/made/shapes.ts'
import { choice, flag, number, type Option, readAll, text, whole } from '../options.ts'

export const API_PARTS = ['operations', 'stream', 'list', 'v1', 'neighbour'] as const
export type ApiPart = (typeof API_PARTS)[number]

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
  cycle: ['cycle', number(null, 16, 8_192)],
  'block-transactions': ['transactions', number(null, 1, 2_000)],
  'block-swaps': ['swaps', number(null, 1, 1_000)],
  'block-logs': ['logs', number(null, 0, 20_000)],
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

export function readOptions(bench: string, given: Readonly<Record<string, unknown>>) {
  if (given.poll === true && given.websocket === true) throw new Error('--poll or --websocket, not both')
  const hasMarket = bench === 'quote'
  const isOfShape = (name: string) => given[name] !== undefined && !(name === 'pools' && hasMarket)
  const overrides = Object.entries(OVERRIDES).flatMap(([name, [field, option]]) =>
    isOfShape(name) ? [[field, option.read(given[name], name)] as const] : [],
  )
  const values = readAll(OPTIONS, hasMarket ? given : { ...given, pools: undefined })
  const { preset, rate, burst, refusal } = values
  return {
    ...values,
    budget: { rate: rate === 0 ? null : rate, burst, refusal },
    shapes: PRESET_NAMES.filter((name) => preset === 'all' || preset === name).map((network) => {
      return { network, shape: { ...PRESETS[network], ...Object.fromEntries(overrides) } as NetworkShape }
    }),
  }
}
