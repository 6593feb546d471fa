import type { Hop } from '@dexfeed/dex'
import { Prisma } from '../../generated/client.ts'

// Which hop sets a price, and in which unit (docs/internals/candles.md), in memory and in SQL.

/** USD per base unit times 10^42. */
export const PRICE_DIGITS = 42
const SCALE = 10n ** BigInt(PRICE_DIGITS - 8)
/** 0.01 USD, scaled by 1e8. */
const LEAST_USD_E8 = 1_000_000n
const LEAST_AMOUNT = 1_000n
const LEAST_PRICE = 1_000n
/** More logs than any block has. */
const LOGS = 2 ** 20

/** Exact for blocks below 2^33. */
export function placeOf(blockNumber: number, logIndex: number): number {
  return blockNumber * LOGS + Math.min(logIndex, LOGS - 1)
}

/** Of a hop's two tokens, paid and bought; null if it sets none. */
export function pricesOf(
  { tokenIn, amountIn, tokenOut, amountOut }: Pick<Hop, 'tokenIn' | 'amountIn' | 'tokenOut' | 'amountOut'>,
  usdE8: bigint | null,
  flags: number,
): [bigint, bigint] | null {
  if (usdE8 === null || flags !== 0 || tokenIn === tokenOut) return null
  if (usdE8 < LEAST_USD_E8 || amountIn < LEAST_AMOUNT || amountOut < LEAST_AMOUNT) return null
  const scaled = usdE8 * SCALE
  const paid = scaled / amountIn
  const bought = scaled / amountOut
  return paid < LEAST_PRICE || bought < LEAST_PRICE ? null : [paid, bought]
}

/**
 * Selects hops, given with the columns of HOPS: minute, place, tokens in the order of their addresses and as traded,
 * prices or null, and of which candles each is itself a part.
 */
export function ruledHops(hops: Prisma.Sql): Prisma.Sql {
  const price = (token: string) =>
    Prisma.raw(`CASE WHEN sets_price THEN div(volume_usd * 1e${PRICE_DIGITS}, amount${token}) END AS price${token}`)
  return Prisma.sql`
    SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, ${price('0')}, ${price('1')}
    FROM (
      SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
        block_number::bigint * ${Prisma.raw(String(LOGS))} + least(log_index, ${Prisma.raw(String(LOGS - 1))}) AS at,
        least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
        CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
        CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
        coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
          AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false) AS sets_price
      FROM (${hops}) AS hop
    ) AS ruled`
}
