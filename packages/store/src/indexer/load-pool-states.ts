import type { ConcentratedState, PoolState, PoolStateAt } from '@dexfeed/dex'
import type { Pool } from 'pg'
import { hexOf } from '../hex.ts'

interface Row {
  pool: string
  block_number: string
  reserve0: string | null
  reserve1: string | null
  sqrt_price_x96: string | null
  tick: number | null
  liquidity: string | null
  fee_zero_for_one: number | null
  fee_one_for_zero: number | null
  fee_exact: boolean | null
}

/**
 * The newest state of every pool that has one, by the primary key.
 *
 * @param atBlock the states as they stood at the end of that block, which must be the final one or above it
 */
export async function loadPoolStates(pool: Pool, chainId: number, atBlock?: number): Promise<PoolStateAt[]> {
  const { rows } = await pool.query<Row>(
    `SELECT DISTINCT ON (pool_state.pool) encode(pool, 'hex') AS pool, block_number,
       reserve0, reserve1, sqrt_price_x96, tick, liquidity, fee_zero_for_one, fee_one_for_zero, fee_exact
     FROM pool_state WHERE chain_id = $1 AND block_number <= coalesce($2, 9223372036854775807)
     ORDER BY pool_state.pool, block_number DESC`,
    [chainId, atBlock ?? null],
  )
  return rows.map((row) => ({
    pool: hexOf(row.pool),
    blockNumber: Number(row.block_number),
    state: stateOf(row),
  }))
}

function stateOf({ reserve0, reserve1, sqrt_price_x96, tick, liquidity, ...row }: Row): PoolState {
  if (reserve0 !== null && reserve1 !== null) {
    return { kind: 'pair', reserve0: BigInt(reserve0), reserve1: BigInt(reserve1) }
  }
  return {
    kind: 'concentrated',
    sqrtPriceX96: BigInt(sqrt_price_x96 ?? 0),
    tick: tick ?? 0,
    liquidity: BigInt(liquidity ?? 0),
    ...feeOf(row),
  }
}

function feeOf({
  fee_zero_for_one: zeroForOne,
  fee_one_for_zero: oneForZero,
  fee_exact: exact,
}: Pick<Row, 'fee_zero_for_one' | 'fee_one_for_zero' | 'fee_exact'>): Pick<ConcentratedState, 'fee'> {
  return zeroForOne === null || oneForZero === null || exact === null ? {} : { fee: { zeroForOne, oneForZero, exact } }
}
