import { type Address, NETWORKS, type NetworkName, type PoolAddress } from '@dexfeed/dex'
import type { Candle, CandleSelection } from '@dexfeed/store'
import type { Pool } from 'pg'
import { HOPS } from '../../src/tables/swap/swap-hop.ts'

export interface PlainHop {
  chainId: number
  time: number
  block: bigint
  log: number
  poolKey: string
  tokenIn: string
  amountIn: bigint
  tokenOut: string
  amountOut: bigint
  usdE8: bigint | null
  flags: number
}

/** Returns all hops. */
export async function plainHops(pool: Pool): Promise<PlainHop[]> {
  const { rows } = await pool.query<Record<string, string>>(
    `SELECT chain_id, extract(epoch FROM block_time)::bigint AS time, block_number, log_index, pool_key,
       '0x' || encode(token_in, 'hex') AS token_in, '0x' || encode(token_out, 'hex') AS token_out, amount_in, amount_out,
       replace(volume_usd::text, '.', '') AS usd, flags FROM ${HOPS.text} AS hop`,
  )
  return rows.map((row) => ({
    chainId: Number(row.chain_id),
    time: Number(row.time),
    block: BigInt(row.block_number ?? 0),
    log: Number(row.log_index),
    poolKey: String(row.pool_key),
    tokenIn: String(row.token_in),
    amountIn: BigInt(row.amount_in ?? 0),
    tokenOut: String(row.token_out),
    amountOut: BigInt(row.amount_out ?? 0),
    usdE8: row.usd === null || row.usd === undefined ? null : BigInt(row.usd),
    flags: Number(row.flags),
  }))
}

/** Computes the candles hop by hop, as docs/internals/candles.md defines them. `decimals`: of the token. */
export function plainCandles(hops: readonly PlainHop[], selection: CandleSelection, decimals: number): Candle[] {
  const { from, to, interval } = selection
  const mine = hops.filter((hop) => isOf(hop, selection) && hop.time >= from && hop.time < to)
  const starts = [...new Set(mine.map(({ time }) => time - (time % interval)))].sort((a, b) => a - b)
  return starts.map((time) => {
    const own = mine
      .filter((hop) => hop.time - (hop.time % interval) === time)
      .sort((a, b) => (a.block === b.block ? a.log - b.log : a.block < b.block ? -1 : 1))
    const prices = own.flatMap((hop) => priceOf(hop, selection.token) ?? [])
    const ascending = [...prices].sort((a, b) => (a < b ? -1 : 1))
    const text = (price: bigint | undefined) => (price === undefined ? null : decimal(price, decimals))
    const volume = own.reduce((sum, { usdE8 }) => sum + (usdE8 ?? 0n), 0n)
    return {
      time,
      open: text(prices[0]),
      high: text(ascending.at(-1)),
      low: text(ascending[0]),
      close: text(prices.at(-1)),
      volumeUsd: `${volume / 10n ** 8n}.${String(volume % 10n ** 8n).padStart(8, '0')}`,
      trades: own.length,
      unpriced: own.filter(({ usdE8 }) => usdE8 === null).length,
    }
  })
}

function isOf(hop: PlainHop, { network, token, within }: CandleSelection): boolean {
  const tokens = [hop.tokenIn, hop.tokenOut]
  if (hop.chainId !== NETWORKS[network as NetworkName].chainId || !tokens.includes(token)) return false
  if (within === null) return true
  return 'pool' in within ? hop.poolKey === lastBytes(within.pool) : tokens.includes(within.other as Address)
}

function lastBytes(pool: PoolAddress): string {
  return String(BigInt.asIntN(64, BigInt(`0x${pool.slice(-16)}`)))
}

/** USD per base unit times 10^42. */
function priceOf(hop: PlainHop, token: Address): bigint | null {
  const { usdE8, flags, amountIn, amountOut } = hop
  if (usdE8 === null || usdE8 < 10n ** 6n || (flags & 6) !== 0) return null
  if (amountIn < 1_000n || amountOut < 1_000n) return null
  const prices = [amountIn, amountOut].map((amount) => (usdE8 * 10n ** 34n) / amount)
  if (prices.some((price) => price < 1_000n)) return null
  return (hop.tokenIn === token ? prices[0] : prices[1]) ?? null
}

/** For a whole token, 18 digits. */
function decimal(price: bigint, decimals: number): string {
  const length = String(price).length
  const cut = length > 18 ? 10n ** BigInt(length - 18) : 1n
  const rounded = (price / cut) * cut * 10n ** BigInt(decimals)
  const fraction = String(rounded % 10n ** 42n)
    .padStart(42, '0')
    .replace(/0+$/, '')
  return `${rounded / 10n ** 42n}${fraction === '' ? '' : `.${fraction}`}`
}
