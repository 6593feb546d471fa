import type { Address, EventState, Hex } from '@dexfeed/dex'
import { dataOf, textResult } from '../abi.ts'
import { aggregate3, type Call, MULTICALL3 } from './aggregate3.ts'
import { type CodeCall, runScan, type Ticks } from './run-scan.ts'

export interface ContractToken {
  address: Address
  symbol: string
  decimals: number
}

export interface ContractPool {
  address: Address
  factory: Address
  token0: { address: Address }
  token1: { address: Address }
  /** In millionths. */
  fee: number
  tickSpacing: number | null
}

export interface ContractSource<P extends ContractPool, B> {
  pool(address: Address, block: B): P | null
  token(address: Address): ContractToken | null
  isFactory(address: Address): boolean
  /** @param fee in millionths; null for a V2 pair */
  created(factory: Address, tokens: readonly [Address, Address], fee: number | null, block: B): Address | null
  state(pool: P, block: B): EventState
  /** Returns null for a V2 pair. */
  ticks(pool: P, block: B): Ticks | null
}

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

export function callOrRun<P extends ContractPool, B>(
  source: ContractSource<P, B>,
  call: Call | CodeCall,
  block: B,
): Hex | null {
  if (!('to' in call)) {
    return runScan(call, (address) => {
      const pool = source.pool(address, block)
      return pool === null ? null : source.ticks(pool, block)
    })
  }
  if (call.to === MULTICALL3) return aggregate3(call.data, (inner) => callContract(source, inner, block))
  return callContract(source, call, block)
}

/** Returns null if the call reverts, '0x' if there is no contract. */
export function callContract<P extends ContractPool, B>(
  source: ContractSource<P, B>,
  { to, data }: Call,
  block: B,
): Hex | null {
  const token = source.token(to)
  if (token !== null) return tokenResult(token, data)
  const pool = source.pool(to, block)
  if (pool !== null) return poolResult(source, pool, data, block)
  return source.isFactory(to) ? factoryResult(source, to, data, block) : NOTHING
}

function tokenResult({ symbol, decimals }: ContractToken, data: Hex): Hex | null {
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

function factoryResult<P extends ContractPool, B>(
  source: ContractSource<P, B>,
  factory: Address,
  data: Hex,
  block: B,
): Hex | null {
  const selector = data.slice(0, 10)
  if (selector !== SELECTORS.getPair && selector !== SELECTORS.getPool) return null
  const fee = selector === SELECTORS.getPool ? intArgument(data, 2) : null
  return dataOf(source.created(factory, [addressArgument(data, 0), addressArgument(data, 1)], fee, block) ?? 0n)
}

function poolResult<P extends ContractPool, B>(source: ContractSource<P, B>, pool: P, data: Hex, block: B): Hex | null {
  switch (data.slice(0, 10)) {
    case SELECTORS.factory:
      return dataOf(pool.factory)
    case SELECTORS.token0:
      return dataOf(pool.token0.address)
    case SELECTORS.token1:
      return dataOf(pool.token1.address)
  }
  const state = source.state(pool, block)
  if (state.kind === 'pair') {
    return data.startsWith(SELECTORS.getReserves) ? dataOf(state.reserve0, state.reserve1, 0n) : null
  }
  const ticks = source.ticks(pool, block) ?? new Map()
  return rangeResult(pool, state, ticks, data)
}

function rangeResult(
  { fee, tickSpacing }: ContractPool,
  { sqrtPriceX96, tick, liquidity }: Extract<EventState, { kind: 'concentrated' }>,
  ticks: Ticks,
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
      return dataOf(bitmapOf(ticks.keys(), tickSpacing ?? 1, intArgument(data, 0)))
    case SELECTORS.ticks: {
      const { gross = 0n, net = 0n } = ticks.get(intArgument(data, 0)) ?? {}
      return dataOf(gross, net, 0, 0, 0, 0, 0, gross === 0n ? 0 : 1)
    }
    default:
      return null
  }
}

/** Numbers bits as Uniswap V3's `TickBitmap.position` does. */
function bitmapOf(ticks: Iterable<number>, tickSpacing: number, word: number): bigint {
  let bits = 0n
  for (const tick of ticks) {
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
