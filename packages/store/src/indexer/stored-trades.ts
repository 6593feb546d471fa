import { type PricedTrade, USD_SOURCES, usdText } from '@dexfeed/dex'
import type { Pool } from 'pg'
import { textRows, withClient } from '../read/read-session.ts'

/** The columns of a stored trade behind its place, in order. */
export const TRADE_COLUMNS = [
  'block_time',
  'tx_hash',
  'trader',
  'sell_token',
  'sell_native',
  'sell_amount',
  'buy_token',
  'buy_native',
  'buy_amount',
  'volume_usd',
  'usd_source',
  'flags',
  'settled_for',
] as const

/** A trade as its row holds it. */
export interface StoredTrade {
  blockNumber: number
  transactionIndex: number
  position: number
  /** As text, in the order of TRADE_COLUMNS. */
  values: readonly (string | null)[]
}

/** All trades of a network in a range of blocks, in order (swap_pkey of each partition). */
export async function readStoredTrades(
  pool: Pool,
  chainId: number,
  { from, to }: { from: number; to: number },
): Promise<StoredTrade[]> {
  const rows = await withClient(pool, undefined, (client) =>
    textRows(
      client,
      `SELECT block_number, transaction_index, position,
         to_char(block_time AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         '0x' || encode(tx_hash, 'hex'), '0x' || encode(trader, 'hex'),
         '0x' || encode(sell_token, 'hex'), sell_native::text, sell_amount,
         '0x' || encode(buy_token, 'hex'), buy_native::text, buy_amount, volume_usd, usd_source, flags,
         '0x' || encode(settled_for, 'hex')
       FROM swap WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3
       ORDER BY block_number, transaction_index, position`,
      [chainId, from, to],
    ),
  )
  return rows.map(([block, transaction, position, ...values]) => ({
    blockNumber: Number(block),
    transactionIndex: Number(transaction),
    position: Number(position),
    values,
  }))
}

/** The row that a trade becomes. */
export function asStoredTrade(trade: PricedTrade): StoredTrade {
  const { blockNumber, transactionIndex, position, timestamp, txHash, trader, sell, buy, usdE8, source } = trade
  return {
    blockNumber,
    transactionIndex,
    position,
    values: [
      new Date(timestamp * 1000).toISOString(),
      txHash,
      trader,
      sell.token,
      String(sell.native),
      String(sell.amount),
      buy.token,
      String(buy.native),
      String(buy.amount),
      usdE8 === null ? null : usdText(usdE8),
      source === null ? null : String(USD_SOURCES.indexOf(source)),
      String(trade.flags),
      trade.settledFor,
    ],
  }
}
