import type { Address, Hex, NetworkName } from '@dexfeed/dex'
import type { TextRow } from './read-session.ts'

/** Place of a swap among those of its network. */
export interface SwapPlace {
  blockNumber: number
  transactionIndex: number
  position: number
}

/** A stored trade, amounts and value as Postgres writes them. */
export interface SwapRow extends SwapPlace {
  network: NetworkName
  txHash: Hex
  /** For a native leg the wrapped coin. */
  sellToken: Address
  sellNative: boolean
  /** Base units. */
  sellAmount: string
  buyToken: Address
  buyNative: boolean
  buyAmount: string
  /** Eight fractional digits; null when unpriced. */
  volumeUsd: string | null
}

/** The columns that `toSwapRow` reads, in its order. */
export const SWAP_COLUMNS =
  'block_number, transaction_index, position, tx_hash, sell_token, sell_native, sell_amount, ' +
  'buy_token, buy_native, buy_amount, volume_usd'

export function toSwapRow(network: NetworkName, row: TextRow): SwapRow {
  const [block, transaction, position, hash, sell, sellNative, sellAmount, buy, buyNative, buyAmount, usd] = row
  return {
    network,
    blockNumber: Number(block),
    transactionIndex: Number(transaction),
    position: Number(position),
    txHash: hexOf(hash),
    sellToken: hexOf(sell),
    sellNative: sellNative === 't',
    sellAmount: sellAmount ?? '0',
    buyToken: hexOf(buy),
    buyNative: buyNative === 't',
    buyAmount: buyAmount ?? '0',
    volumeUsd: usd ?? null,
  }
}

/** From the text form of bytea, `\x…`. */
function hexOf(text: string | null | undefined): Hex {
  return `0x${text?.slice(2) ?? ''}`
}
