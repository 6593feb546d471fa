import type { RecordedTransaction } from '../chain-record.ts'
import { parseSwap, type VerifiedPool } from '../pool-events.ts'

/** One swap event of one verified pool. Amounts in base units. */
export interface Hop {
  pool: Pick<VerifiedPool, 'address'>
  logIndex: number
  tokenIn: string
  amountIn: bigint
  tokenOut: string
  amountOut: bigint
  /** Whom the pool says that it paid. */
  recipient: string
}

/** The swaps of a transaction in log order; what only returns to where it came from (a flash swap) is none. */
export function hopsOf(transaction: RecordedTransaction, pools: ReadonlyMap<string, VerifiedPool>): Hop[] {
  return transaction.logs.flatMap((log) => {
    const pool = pools.get(log.address)
    const swap = pool && parseSwap(pool, log)
    if (!pool || !swap) return []
    const { net0, net1, recipient } = swap
    const { token0, token1 } = pool
    const at = { pool, logIndex: log.index, recipient }
    if (net0 > 0n && net1 < 0n) {
      return [{ ...at, tokenIn: token0, amountIn: net0, tokenOut: token1, amountOut: -net1 }]
    }
    if (net1 > 0n && net0 < 0n) {
      return [{ ...at, tokenIn: token1, amountIn: net1, tokenOut: token0, amountOut: -net0 }]
    }
    return []
  })
}
