import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Address, type Hex, type PoolAddress, type PricedTrade, USD_SOURCES, usdText } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { digitsOf } from '../hex.ts'

const COPY = `COPY swap (chain_id, block_number, block_time, transaction_index, position, tx_hash, trader,
  sell_token, sell_native, sell_amount, buy_token, buy_native, buy_amount, volume_usd, usd_source, flags,
  settled_for, pool_key) FROM STDIN`
/** Rows in one piece of the stream: some 60 kB. */
const ROWS_PER_PIECE = 200
const NULL = '\\N'

/** Writes a network's trades by COPY, twice as fast as the next best way (INSERT … FROM unnest). */
export async function insertSwaps(tx: ClientBase, chainId: number, trades: readonly PricedTrade[]): Promise<void> {
  if (trades.length === 0) return
  await pipeline(Readable.from(pieces(chainId, trades)), tx.query(copyFrom(COPY)))
}

function* pieces(chainId: number, trades: readonly PricedTrade[]): Generator<Buffer> {
  let block = -1
  let prefix = ''
  const keys = poolKeys()
  for (let start = 0; start < trades.length; start += ROWS_PER_PIECE) {
    let piece = ''
    for (const trade of trades.slice(start, start + ROWS_PER_PIECE)) {
      if (trade.blockNumber !== block) {
        block = trade.blockNumber
        prefix = `${chainId}\t${block}\t${new Date(trade.timestamp * 1000).toISOString()}`
      }
      piece += line(prefix, trade, keys)
    }
    yield Buffer.from(piece, 'latin1')
  }
}

/** One line of COPY's text format; no value can hold a tab, a line break or a backslash of its own. */
function line(prefix: string, trade: PricedTrade, keyOf: (pool: PoolAddress) => string): string {
  const { sell, buy, usdE8, source, trader, settledFor, hops } = trade
  const pool = hops[0]?.pool.address
  return (
    `${prefix}\t${trade.transactionIndex}\t${trade.position}\t${bytea(trade.txHash)}\t` +
    `${trader === null ? NULL : bytea(trader)}\t${bytea(sell.token)}\t${sell.native}\t${sell.amount}\t` +
    `${bytea(buy.token)}\t${buy.native}\t${buy.amount}\t${usdE8 === null ? NULL : usdText(usdE8)}\t` +
    `${source === null ? NULL : USD_SOURCES.indexOf(source)}\t${trade.flags}\t` +
    `${settledFor === null ? NULL : bytea(settledFor)}\t${pool === undefined ? NULL : keyOf(pool)}\n`
  )
}

function bytea(hex: Address | Hex): string {
  return `\\\\x${digitsOf(hex)}`
}

/** The last eight bytes of what a pool is known by, as Postgres' bigint. Most trades are of the same few pools. */
function poolKeys(): (pool: PoolAddress) => string {
  const known = new Map<PoolAddress, string>()
  return (pool) => {
    const key = known.get(pool) ?? String(BigInt.asIntN(64, BigInt(`0x${pool.slice(-16)}`)))
    known.set(pool, key)
    return key
  }
}
