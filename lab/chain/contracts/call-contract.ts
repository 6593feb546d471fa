import type { Address, Hex } from '@dexfeed/dex'
import { dataOf, textResult, word } from '../abi.ts'
import type { Market, Pool, Token } from '../market.ts'
import type { PoolState, RangeState, Ticks } from '../pool-math.ts'
import { type CodeCall, runScan } from './run-scan.ts'

export interface Call {
  to: Address
  data: Hex
}

/** Contracts at the end of one block. */
export interface Contracts {
  market: Market
  /** Returns undefined if the pool does not exist yet. */
  stateOf(pool: Pool): PoolState | undefined
}

export const MULTICALL3: Address = '0xca11bde05977b3631167028862be2a173976ca11'

const WORD = 64
const TICKS_PER_WORD = 256
const NOTHING: Hex = '0x'
const SELECTORS = {
  factory: '0xc45a0155',
  token0: '0x0dfe1681',
  token1: '0xd21220a7',
  fee: '0xddca3f43',
  tickSpacing: '0xd0c93a7c',
  slot0: '0x3850c7bd',
  liquidity: '0x1a686502',
  tickBitmap: '0x5339c296',
  ticks: '0xf30dba93',
  getReserves: '0x0902f1ac',
  decimals: '0x313ce567',
  symbol: '0x95d89b41',
  name: '0x06fdde03',
  getPair: '0xe6a43905',
  getPool: '0x1698ee82',
} as const

/** Like `callContract`, but also runs Multicall3 and the tick scan's code. */
export function callOrRun(contracts: Contracts, call: Call | CodeCall): Hex | null {
  if (!('to' in call)) {
    return runScan(call, (address) => {
      const state = poolAt(contracts, address)?.state
      return state?.kind === 'concentrated' ? state.ticks : null
    })
  }
  return call.to === MULTICALL3 ? aggregate3(contracts, call.data) : callContract(contracts, call)
}

/** Returns null if the call reverts, '0x' if there is no contract. */
export function callContract(contracts: Contracts, { to, data }: Call): Hex | null {
  const token = contracts.market.token(to)
  if (token !== null) return tokenResult(token, data)
  const found = poolAt(contracts, to)
  if (found !== null) return poolResult(found.pool, found.state, data)
  return contracts.market.isFactory(to) ? factoryResult(contracts, to, data) : NOTHING
}

function poolAt({ market, stateOf }: Contracts, address: Address): { pool: Pool; state: PoolState } | null {
  const pool = market.pool(address)
  const state = pool === null ? undefined : stateOf(pool)
  return pool === null || state === undefined ? null : { pool, state }
}

/**
 * Multicall3's `aggregate3((address target, bool allowFailure, bytes callData)[])`. By hand, because the node shares the
 * machine with what is measured: ethers takes 0.5 ms per call, a hundred times as long.
 */
function aggregate3(contracts: Contracts, data: Hex): Hex {
  const numberAt = (at: number) => Number.parseInt(data.slice(at, at + WORD), 16)
  const list = 10 + 2 * numberAt(10)
  const first = list + WORD
  const count = numberAt(list)
  const offsets: string[] = []
  const tuples: string[] = []
  let offset = count * 32
  for (let i = 0; i < count; i++) {
    const tuple = first + 2 * numberAt(first + i * WORD)
    const bytes = tuple + 2 * numberAt(tuple + 2 * WORD)
    const input = data.slice(bytes + WORD, bytes + WORD + 2 * numberAt(bytes))
    const result = callContract(contracts, { to: `0x${data.slice(tuple + 24, tuple + WORD)}`, data: `0x${input}` })
    const output = (result ?? '0x').slice(2)
    const padded = output.padEnd(Math.ceil(output.length / WORD) * WORD, '0')
    const text = word(result === null ? 0 : 1) + word(64) + word(output.length / 2) + padded
    offsets.push(word(offset))
    tuples.push(text)
    offset += text.length / 2
  }
  return `0x${word(32)}${word(count)}${offsets.join('')}${tuples.join('')}`
}

function tokenResult({ symbol, decimals }: Token, data: Hex): Hex | null {
  switch (data.slice(0, 10)) {
    case SELECTORS.decimals:
      return dataOf(decimals)
    case SELECTORS.symbol:
    case SELECTORS.name:
      return textResult(symbol)
    default:
      return null
  }
}

function factoryResult({ market, stateOf }: Contracts, factory: Address, data: Hex): Hex | null {
  const selector = data.slice(0, 10)
  if (selector !== SELECTORS.getPair && selector !== SELECTORS.getPool) return null
  const fee = selector === SELECTORS.getPool ? intArgument(data, 2) : null
  const pool = market.created(factory, [addressArgument(data, 0), addressArgument(data, 1)], fee)
  return dataOf(pool === null || stateOf(pool) === undefined ? 0n : pool.address)
}

function poolResult(pool: Pool, state: PoolState, data: Hex): Hex | null {
  switch (data.slice(0, 10)) {
    case SELECTORS.factory:
      return dataOf(pool.factory)
    case SELECTORS.token0:
      return dataOf(pool.token0.address)
    case SELECTORS.token1:
      return dataOf(pool.token1.address)
  }
  if (state.kind === 'concentrated') return rangeResult(pool, state, data)
  return data.startsWith(SELECTORS.getReserves) ? dataOf(state.reserve0, state.reserve1, 0n) : null
}

function rangeResult(
  { fee, tickSpacing }: Pool,
  { sqrtPriceX96, tick, liquidity, ticks }: RangeState,
  data: Hex,
): Hex | null {
  switch (data.slice(0, 10)) {
    case SELECTORS.fee:
      return dataOf(fee)
    case SELECTORS.tickSpacing:
      return dataOf(tickSpacing ?? 1)
    case SELECTORS.slot0:
      return dataOf(sqrtPriceX96, tick, 0, 1, 1, 0, 1)
    case SELECTORS.liquidity:
      return dataOf(liquidity)
    case SELECTORS.tickBitmap:
      return dataOf(bitmapOf(ticks, tickSpacing ?? 1, intArgument(data, 0)))
    case SELECTORS.ticks: {
      const { gross = 0n, net = 0n } = ticks.get(intArgument(data, 0)) ?? {}
      return dataOf(gross, net, 0, 0, 0, 0, 0, gross === 0n ? 0 : 1)
    }
    default:
      return null
  }
}

/** Numbers bits as Uniswap V3's `TickBitmap.position` does. */
function bitmapOf(ticks: Ticks, tickSpacing: number, word: number): bigint {
  let bits = 0n
  for (const tick of ticks.keys()) {
    const position = tick / tickSpacing
    if (Math.floor(position / TICKS_PER_WORD) === word) bits |= 1n << BigInt(position & (TICKS_PER_WORD - 1))
  }
  return bits
}

function addressArgument(data: Hex, index: number): Address {
  const start = 10 + index * WORD
  return `0x${data.slice(start + 24, start + WORD).toLowerCase()}`
}

function intArgument(data: Hex, index: number): number {
  const end = 10 + (index + 1) * WORD
  return Number.parseInt(data.slice(end - 8, end), 16) | 0
}
