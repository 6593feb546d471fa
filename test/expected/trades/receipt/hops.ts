import type { RecordedLog } from '../../chain-record.ts'
import { eventInterface } from '../../event-interface.ts'
import { parseSwap, type VerifiedPool } from '../../pool-events.ts'
import { parseExactly } from './parse-log.ts'

const STABLE = eventInterface([
  'event TokenExchange(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought)',
])
const CRYPTO = eventInterface([
  'event TokenExchange(address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id, uint256 tokens_bought)',
])
const COIN = `0x${'00'.repeat(20)}`

export interface CurvePool {
  address: string
  kind: 'curve'
  coins: readonly string[]
}

export type Pools = ReadonlyMap<string, VerifiedPool | CurvePool>

export interface Hop {
  pool: Pick<VerifiedPool | CurvePool, 'address' | 'kind'>
  logIndex: number
  tokenIn: string
  amountIn: bigint
  coinIn: boolean
  tokenOut: string
  amountOut: bigint
  coinOut: boolean
  recipient: string | null
  /** Whether the pool's event may name the wrapper where coins moved. */
  isCrypto: boolean
  isUnconfirmed: boolean
}

/** Skips flash swaps that only return what they took. */
export function hopsOf(logs: readonly RecordedLog[], pools: Pools, wrappedNative: string): Hop[] {
  return logs.flatMap((log) => {
    const pool = pools.get(log.address)
    if (pool === undefined) return []
    return pool.kind === 'curve' ? exchangeOf(log, pool, wrappedNative) : swapOf(log, pool)
  })
}

export function isExchange(log: RecordedLog): boolean {
  return parseExactly(STABLE, log) !== null || parseExactly(CRYPTO, log) !== null
}

function swapOf(log: RecordedLog, pool: VerifiedPool): Hop[] {
  const swap = parseSwap(pool, log)
  if (swap === null) return []
  const { net0, net1, recipient } = swap
  const { token0, token1 } = pool
  const at = { pool, logIndex: log.index, recipient, coinIn: false, coinOut: false }
  const rest = { isCrypto: false, isUnconfirmed: false }
  if (net0 > 0n && net1 < 0n) {
    return [{ ...at, tokenIn: token0, amountIn: net0, tokenOut: token1, amountOut: -net1, ...rest }]
  }
  if (net1 > 0n && net0 < 0n) {
    return [{ ...at, tokenIn: token1, amountIn: net1, tokenOut: token0, amountOut: -net0, ...rest }]
  }
  return []
}

function exchangeOf(log: RecordedLog, pool: CurvePool, wrappedNative: string): Hop[] {
  const stable = parseExactly(STABLE, log)
  const event = stable ?? parseExactly(CRYPTO, log)
  if (event === null) return []
  const [, soldId, amountIn, boughtId, amountOut] = event.args.toArray() as bigint[]
  const [sold, bought] = [pool.coins[Number(soldId)], pool.coins[Number(boughtId)]]
  if (!sold || !bought || !amountIn || !amountOut || sold === bought) return []
  const wrapped = (token: string) => (token === COIN ? wrappedNative : token)
  return [
    {
      pool,
      logIndex: log.index,
      recipient: null,
      isCrypto: stable === null,
      isUnconfirmed: false,
      tokenIn: wrapped(sold),
      amountIn,
      coinIn: sold === COIN,
      tokenOut: wrapped(bought),
      amountOut,
      coinOut: bought === COIN,
    },
  ]
}
