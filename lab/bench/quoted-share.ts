import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import {
  type Address,
  type Block,
  builtInDeployments,
  type Deployment,
  type DexKind,
  decode,
  decodersOf,
  type Hex,
  type Log,
  NETWORKS,
  type NetworkName,
  type PoolEvent,
  protocolOf,
} from '@dexfeed/dex'
import type { BenchOptions } from './bench-arguments.ts'
import type { BenchResult } from './bench-result.ts'

/** ERC-20 `Transfer`. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const ADDRESS_LENGTH = 42
const USD = 10n ** 8n
const NETWORK: NetworkName = 'eth'

/** The part of a recorded block that is read here, as JSON-RPC returns it. */
interface RecordedBlock {
  chainId: number
  block: { number: string; timestamp: string }
  receipts: readonly { transactionIndex: string; logs: readonly Omit<Log, 'transactionIndex' | 'logIndex'>[] }[]
}

/** The trading of one transaction: the kinds of its pools, and its value in USD, times 10^8. */
interface Traded {
  kinds: ReadonlySet<string>
  isQuoted: boolean
  usdE8: bigint
}

interface Moved {
  token: Address
  from: Address
  to: Address
  amount: bigint
}

/**
 * Measures how much of the traded USD of recorded Ethereum blocks goes only through kinds of pools that are quoted. A
 * pool's kind is what its events show; pools are not verified. The value of a transaction is the largest transfer of a
 * stablecoin or the wrapped coin into or out of one of its pools. The coin's price comes from swaps of the same block.
 *
 * @param options.data folder with `blocks/*.json.gz`: `eth_getBlockByNumber` and `eth_getBlockReceipts` of each block
 */
export async function measureQuotedShare({ data }: Pick<BenchOptions, 'data'>): Promise<BenchResult> {
  if (data === null) throw new Error('give the folder of recorded blocks: --data')
  const deployment = builtInDeployments[NETWORK]
  const decimals = new Map(deployment.tokens.map((token) => [token.address, BigInt(token.decimals)]))
  const kindOf = kindsOf(deployment)
  const decoders = decodersOf(deployment.dexes.map(({ kind }) => kind))
  const traded: Traded[] = []
  let coinE8 = 0n
  for (const recorded of recordedBlocks(join(data, 'blocks'))) {
    const block = blockOf(recorded)
    const { events } = decode(block, decoders)
    const transfers = transfersByTransaction(block.logs)
    coinE8 = coinPrice(events, transfers, deployment, decimals) ?? coinE8
    for (const [index, ofTransaction] of swapsByTransaction(events)) {
      const kinds = ofTransaction.map(kindOf)
      const emitters = new Set(ofTransaction.map(({ pool }) => pool.slice(0, ADDRESS_LENGTH)))
      const values = (transfers.get(index) ?? [])
        .filter(({ from, to }) => emitters.has(from) || emitters.has(to))
        .map((moved) => usdOf(moved, deployment, decimals, coinE8))
      traded.push({
        kinds: new Set(kinds.map(({ name }) => name)),
        isQuoted: kinds.every(({ isQuoted }) => isQuoted),
        usdE8: values.reduce((most, value) => (value > most ? value : most), 0n),
      })
    }
  }
  return report(traded)
}

function report(traded: readonly Traded[]): BenchResult {
  const all = sum(traded)
  const quoted = traded.filter(({ isQuoted }) => isQuoted)
  const names = [...new Set(traded.flatMap(({ kinds }) => [...kinds]))]
  const ofKind = (name: string) => traded.filter(({ kinds }) => kinds.has(name))
  const rows = names
    .map((name) => ({ name, usdE8: sum(ofKind(name)), count: ofKind(name).length }))
    .sort((a, b) => Number(b.usdE8 - a.usdE8))
  return {
    table: [
      ['transactions with swaps', String(traded.length)],
      ['their value, USD', (all / USD).toLocaleString('en')],
      ['with quoted kinds only, of the transactions', percent(quoted.length, traded.length)],
      ['with quoted kinds only, of the value', percent(Number(sum(quoted)), Number(all))],
      ...rows.map(
        ({ name, usdE8, count }) => [`  through ${name}`, `${count}, ${percent(Number(usdE8), Number(all))}`] as const,
      ),
    ],
    figures: {
      transactions: traded.length,
      usd: Number(all / USD),
      quoted_transactions: Number((quoted.length / traded.length).toFixed(4)),
      quoted_usd: Number((Number(sum(quoted)) / Number(all)).toFixed(4)),
    },
  }
}

function sum(traded: readonly Traded[]): bigint {
  return traded.reduce((total, { usdE8 }) => total + usdE8, 0n)
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`
}

function* recordedBlocks(folder: string): Generator<RecordedBlock> {
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.json.gz'))
    .sort()) {
    const recorded: RecordedBlock = JSON.parse(gunzipSync(readFileSync(join(folder, file))).toString())
    if (recorded.chainId === NETWORKS[NETWORK].chainId) yield recorded
  }
}

function blockOf({ block, receipts }: RecordedBlock): Block {
  const lower = (text: string) => text.toLowerCase() as Hex
  const logs = receipts.flatMap(({ transactionIndex, logs: own }) =>
    own.map(({ address, topics, data }) => ({
      ...{ address: lower(address), topics: topics.map(lower), data: lower(data) },
      ...{ transactionIndex: Number(transactionIndex), logIndex: 0 },
    })),
  )
  const none: Hex = '0x'
  return {
    number: Number(block.number),
    timestamp: Number(block.timestamp),
    hash: none,
    parentHash: none,
    logs,
    transactions: new Map(),
  }
}

function isSwap({ type }: PoolEvent): boolean {
  return type === 'swap' || type === 'exchange'
}

function swapsByTransaction(events: readonly PoolEvent[]): Map<number, PoolEvent[]> {
  const swaps = new Map<number, PoolEvent[]>()
  for (const event of events.filter(isSwap)) {
    const { transactionIndex } = event
    swaps.set(transactionIndex, [...(swaps.get(transactionIndex) ?? []), event])
  }
  return swaps
}

/** Returns what names an event's kind, and whether that kind is quoted. Pairs of all factories are one kind. */
function kindsOf({ dexes }: Deployment): (event: PoolEvent) => { name: string; isQuoted: boolean } {
  const quoted = (kind: DexKind | undefined) => kind !== undefined && protocolOf(kind).state !== null
  const byManager = new Map(dexes.map(({ factory, kind }) => [factory as string, kind]))
  return ({ pool, ...event }) => {
    const family = 'family' in event ? event.family : 'pair'
    if (family === 'pair') return { name: 'pairs', isQuoted: quoted('uniswap-v2') }
    if (family === 'concentrated') return { name: 'concentrated liquidity', isQuoted: quoted('uniswap-v3') }
    const kind = family === 'managed' ? byManager.get(pool.slice(0, ADDRESS_LENGTH)) : family
    return { name: kind ?? family, isQuoted: quoted(kind) }
  }
}

function transfersByTransaction(logs: readonly Log[]): Map<number, Moved[]> {
  const moved = new Map<number, Moved[]>()
  for (const { address: token, topics, data, transactionIndex } of logs) {
    const [topic, from, to] = topics
    if (topic !== TRANSFER || from === undefined || to === undefined || topics.length !== 3 || data.length !== 66)
      continue
    const own = moved.get(transactionIndex) ?? []
    own.push({ token, from: `0x${from.slice(26)}`, to: `0x${to.slice(26)}`, amount: BigInt(data) })
    moved.set(transactionIndex, own)
  }
  return moved
}

/**
 * Returns the median price of the wrapped coin, times 10^8, in pools that exchanged it for a stablecoin; null: none.
 */
function coinPrice(
  events: readonly PoolEvent[],
  transfers: ReadonlyMap<number, readonly Moved[]>,
  { wrappedNative, stablecoins }: Deployment,
  decimals: ReadonlyMap<Address, bigint>,
): bigint | null {
  const prices = events.filter(isSwap).flatMap(({ pool, transactionIndex }) => {
    const own = (transfers.get(transactionIndex) ?? []).filter(({ from, to }) => from === pool || to === pool)
    const [one, other, ...more] = own
    if (one === undefined || other === undefined || more.length > 0 || (one.from === pool) === (other.from === pool))
      return []
    const [coin, stable] = one.token === wrappedNative ? [one, other] : [other, one]
    if (coin.token !== wrappedNative || !stablecoins.includes(stable.token) || coin.amount === 0n) return []
    const scale = 10n ** (18n - (decimals.get(stable.token) ?? 18n))
    return [(stable.amount * scale * USD) / coin.amount]
  })
  prices.sort((a, b) => (a < b ? -1 : 1))
  return prices[prices.length >> 1] ?? null
}

function usdOf(
  { token, amount }: Moved,
  { wrappedNative, stablecoins }: Deployment,
  decimals: ReadonlyMap<Address, bigint>,
  coinE8: bigint,
): bigint {
  if (token === wrappedNative) return (amount * coinE8) / 10n ** 18n
  return stablecoins.includes(token) ? (amount * USD) / 10n ** (decimals.get(token) ?? 18n) : 0n
}
