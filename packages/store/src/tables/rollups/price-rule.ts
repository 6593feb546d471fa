import { type Hop, significantDecimal } from '@dexfeed/dex'
import { Prisma } from '../../generated/client.ts'
import { COPIED_CHAIN, COPIED_DAY, type CopiedRows } from '../copied-rows.ts'
import { hopsOfDay } from '../swap/swap-hop.ts'

// Decides which hops set a price, in memory and in SQL (docs/internals/candles.md).

/** Prices are in USD per base unit times 10^42. */
const PRICE_DIGITS = 42
const SCALE = 10n ** BigInt(PRICE_DIGITS - 8)
/** 0.01 USD. */
const MIN_USD_E8 = 1_000_000n
const MIN_AMOUNT = 1_000n
const MIN_PRICE = 1_000n
/** More logs than any block has. */
const MAX_LOGS = 2 ** 20

/** Returns the position of a log in the chain. Exact for blocks below 2^33. */
export function placeOf(blockNumber: number, logIndex: number): number {
  return blockNumber * MAX_LOGS + Math.min(logIndex, MAX_LOGS - 1)
}

/** Returns the prices of the two tokens of a hop, paid and bought; null if the hop sets none. */
export function pricesOf(
  { tokenIn, amountIn, tokenOut, amountOut }: Pick<Hop, 'tokenIn' | 'amountIn' | 'tokenOut' | 'amountOut'>,
  usdE8: bigint | null,
  flags: number,
): [bigint, bigint] | null {
  if (usdE8 === null || flags !== 0 || tokenIn === tokenOut) return null
  if (usdE8 < MIN_USD_E8 || amountIn < MIN_AMOUNT || amountOut < MIN_AMOUNT) return null
  const scaled = usdE8 * SCALE
  const paid = scaled / amountIn
  const bought = scaled / amountOut
  return paid < MIN_PRICE || bought < MIN_PRICE ? null : [paid, bought]
}

const SETS_PRICE =
  Prisma.raw(`coalesce(flags = 0 AND token_in <> token_out AND volume_usd >= 0.01 AND least(amount_in, amount_out) >= 1000
          AND volume_usd * 1e39 >= greatest(amount_in, amount_out), false)`)

export const COPIED_HOPS_OF_DAY = Prisma.sql`
  SELECT * FROM (${hopsOfDay(COPIED_DAY)}) AS of_day WHERE chain_id = ${COPIED_CHAIN}`

export const COPIED_HOPS: CopiedRows = {
  columns: {
    pool_key: 'bigint',
    block_number: 'bigint',
    transaction_index: 'integer',
    log_index: 'integer',
    position: 'integer',
    block_time: 'time',
    token_in: 'hex',
    amount_in: 'amount',
    token_out: 'hex',
    amount_out: 'amount',
    volume_usd: 'usd',
    flags: 'integer',
    sets_price: 'boolean',
  },
  rows: Prisma.sql`SELECT *, ${SETS_PRICE} AS sets_price FROM (${COPIED_HOPS_OF_DAY}) AS hop
    ORDER BY pool_key, block_number, log_index`,
}

/**
 * Selects the minute, place, tokens (in address order and as traded) and prices (or null) of each hop, and the candles
 * of which its trade is itself a part (`parts`).
 *
 * @param hops with the columns of HOPS
 */
export function ruledHops(hops: Prisma.Sql): Prisma.Sql {
  const price = (token: string) =>
    Prisma.raw(`CASE WHEN sets_price THEN div(volume_usd * 1e${PRICE_DIGITS}, amount${token}) END AS price${token}`)
  return Prisma.sql`
    SELECT chain_id, pool_key, minute, at, token0, token1, token_in, token_out, volume_usd, parts, ${price('0')}, ${price('1')}
    FROM (
      SELECT chain_id, pool_key, token_in, token_out, volume_usd, parts, date_trunc('minute', block_time) AS minute,
        block_number::bigint * ${Prisma.raw(String(MAX_LOGS))} + least(log_index, ${Prisma.raw(String(MAX_LOGS - 1))}) AS at,
        least(token_in, token_out) AS token0, greatest(token_in, token_out) AS token1,
        CASE WHEN token_in <= token_out THEN amount_in ELSE amount_out END AS amount0,
        CASE WHEN token_in <= token_out THEN amount_out ELSE amount_in END AS amount1,
        ${SETS_PRICE} AS sets_price
      FROM (${hops}) AS hop
    ) AS ruled`
}

const DIGITS = 18

export function storedPriceText(price: string | bigint | null, decimals: number | null | undefined): string | null {
  return price === null || decimals == null ? null : priceText(price, decimals)
}

export interface StoredPrice {
  price: string | null
  decimals: number | null | undefined
}

/**
 * Returns the price of a token in the other one of its hop, from their USD prices. Both of these are rounded down, so all
 * but two of their digits count, at most 18.
 */
export function priceInOther(own: StoredPrice, other: StoredPrice): string | null {
  if (own.price === null || other.price === null || own.decimals == null || other.decimals == null) return null
  const digits = Math.min(DIGITS, own.price.length - 2, other.price.length - 2)
  const numerator = BigInt(own.price) * 10n ** BigInt(own.decimals)
  return significantDecimal({ numerator, denominator: BigInt(other.price) * 10n ** BigInt(other.decimals) }, digits)
}

const ZERO = '0'.charCodeAt(0)

/**
 * Returns the price of a whole token in USD, rounded down to 18 significant digits.
 *
 * @param price USD per base unit times 10^42, or its digits
 */
export function priceText(price: bigint | string, decimals: number): string {
  const digits = String(price)
  const places = PRICE_DIGITS - decimals
  /** Digits before the point; 0 or negative if the price is below 1. */
  const whole = digits.length - places
  let end = Math.min(DIGITS, digits.length)
  while (end > Math.max(whole, 0) && digits.charCodeAt(end - 1) === ZERO) end--
  const kept = digits.slice(0, end)
  if (whole >= end) return kept.padEnd(whole, '0')
  return whole > 0 ? `${kept.slice(0, whole)}.${kept.slice(whole)}` : `0.${kept.padStart(end - whole, '0')}`
}
