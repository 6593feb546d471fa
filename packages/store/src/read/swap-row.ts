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
  /** The value is marked (bits of UsdValue.flags). */
  flagged: boolean
}

/** The columns that `toSwapRow` reads, in its order; hex as we write it, so that nothing is left to do per row. */
export const SWAP_COLUMNS = `block_number, transaction_index, position, '0x' || encode(tx_hash, 'hex'),
  '0x' || encode(sell_token, 'hex'), sell_native, sell_amount,
  '0x' || encode(buy_token, 'hex'), buy_native, buy_amount, volume_usd, flags`

export function toSwapRow(network: NetworkName, row: TextRow): SwapRow {
  const [block, transaction, position, hash, sell, sellNative, sellAmount, buy, buyNative, buyAmount, usd, flags] = row
  return {
    network,
    blockNumber: Number(block),
    transactionIndex: Number(transaction),
    position: Number(position),
    txHash: hash as Hex,
    sellToken: sell as Address,
    sellNative: sellNative === 't',
    sellAmount: sellAmount ?? '0',
    buyToken: buy as Address,
    buyNative: buyNative === 't',
    buyAmount: buyAmount ?? '0',
    volumeUsd: usd ?? null,
    flagged: flags !== '0',
  }
}
