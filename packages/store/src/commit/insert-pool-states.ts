import type { PoolState, PoolStateAt } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import { digitsOf } from '../hex.ts'

/** Writes versions of pool states; one that stands at the same block is replaced. */
export async function insertPoolStates(
  tx: ClientBase,
  chainId: number,
  revision: number,
  states: readonly PoolStateAt[],
): Promise<void> {
  if (states.length === 0) return
  const columns = states.map(({ state }) => columnsOf(state))
  await tx.query(
    `INSERT INTO pool_state (chain_id, revision, pool, block_number, reserve0, reserve1, sqrt_price_x96, tick, liquidity,
       fee_zero_for_one, fee_one_for_zero, fee_exact)
     SELECT $1, $2, decode(pool, 'hex'), block_number, reserve0, reserve1, sqrt_price_x96, tick, liquidity,
       fee_zero_for_one, fee_one_for_zero, fee_exact
     FROM unnest($3::text[], $4::bigint[], $5::numeric[], $6::numeric[], $7::numeric[], $8::int[], $9::numeric[],
         $10::int[], $11::int[], $12::boolean[])
       AS new (pool, block_number, reserve0, reserve1, sqrt_price_x96, tick, liquidity,
         fee_zero_for_one, fee_one_for_zero, fee_exact)
     ON CONFLICT (chain_id, pool, block_number) DO UPDATE SET revision = excluded.revision,
       reserve0 = excluded.reserve0, reserve1 = excluded.reserve1,
       sqrt_price_x96 = excluded.sqrt_price_x96, tick = excluded.tick, liquidity = excluded.liquidity,
       fee_zero_for_one = excluded.fee_zero_for_one, fee_one_for_zero = excluded.fee_one_for_zero,
       fee_exact = excluded.fee_exact`,
    [
      chainId,
      revision,
      states.map(({ pool }) => digitsOf(pool)),
      states.map(({ blockNumber }) => blockNumber),
      columns.map(({ reserve0 }) => reserve0),
      columns.map(({ reserve1 }) => reserve1),
      columns.map(({ sqrtPriceX96 }) => sqrtPriceX96),
      columns.map(({ tick }) => tick),
      columns.map(({ liquidity }) => liquidity),
      columns.map(({ fee }) => fee?.zeroForOne ?? null),
      columns.map(({ fee }) => fee?.oneForZero ?? null),
      columns.map(({ fee }) => fee?.exact ?? null),
    ],
  )
}

function columnsOf(state: PoolState) {
  const none = { reserve0: null, reserve1: null, sqrtPriceX96: null, tick: null, liquidity: null, fee: undefined }
  if (state.kind === 'pair') return { ...none, reserve0: String(state.reserve0), reserve1: String(state.reserve1) }
  const { sqrtPriceX96, tick, liquidity, fee } = state
  return { ...none, sqrtPriceX96: String(sqrtPriceX96), tick, liquidity: String(liquidity), fee }
}
