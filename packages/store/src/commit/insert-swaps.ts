import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Address, type Hex, type PricedTrade, USD_SOURCES } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { digitsOf } from '../hex.ts'
import { usdText } from '../usd-text.ts'

const COPY = `COPY swap (chain_id, block_number, transaction_index, position, block_time, tx_hash, trader,
  sell_token, sell_native, sell_amount, buy_token, buy_native, buy_amount, volume_usd, usd_source, flags) FROM STDIN`
/** Rows in one piece of the stream: some 60 kB. */
const ROWS_PER_PIECE = 200
const NULL = '\\N'

/** Writes a network's trades by COPY, twice as fast as the next best way (INSERT … FROM unnest). */
export async function insertSwaps(tx: ClientBase, chainId: number, trades: readonly PricedTrade[]): Promise<void> {
  if (trades.length === 0) return
  await pipeline(Readable.from(pieces(chainId, trades)), tx.query(copyFrom(COPY)))
}

function* pieces(chainId: number, trades: readonly PricedTrade[]): Generator<string> {
  for (let start = 0; start < trades.length; start += ROWS_PER_PIECE) {
    const piece = trades.slice(start, start + ROWS_PER_PIECE)
    yield piece.map((trade) => line(chainId, trade)).join('')
  }
}

/** One line of COPY's text format; no value can hold a tab, a line break or a backslash of its own. */
function line(chainId: number, trade: PricedTrade): string {
  const { sell, buy, usdE8, source } = trade
  const fields = [
    chainId,
    trade.blockNumber,
    trade.transactionIndex,
    trade.position,
    new Date(trade.timestamp * 1000).toISOString(),
    bytea(trade.txHash),
    trade.trader === null ? NULL : bytea(trade.trader),
    bytea(sell.token),
    sell.native,
    sell.amount,
    bytea(buy.token),
    buy.native,
    buy.amount,
    usdE8 === null ? NULL : usdText(usdE8),
    source === null ? NULL : USD_SOURCES.indexOf(source),
    trade.flags,
  ]
  return `${fields.join('\t')}\n`
}

function bytea(hex: Address | Hex): string {
  return `\\\\x${digitsOf(hex)}`
}
