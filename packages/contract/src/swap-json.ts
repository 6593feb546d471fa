import { checksumAddress } from './checksum-address.ts'
import type { TokenMetadata } from './responses.ts'

const MIN_FRACTION = 8

/**
 * Converts base units (digits) to whole units, exactly: with `decimals` fractional digits, but at least eight. Slices
 * the text, because ethers' `formatUnits` takes twenty times as long, and a list has millions of amounts.
 */
export function amountDecimal(amount: string, decimals: number): string {
  const digits = amount.length > decimals ? amount : amount.padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point)
  return `${digits.slice(0, point)}.${decimals < MIN_FRACTION ? fraction.padEnd(MIN_FRACTION, '0') : fraction}`
}

/** Written for an unknown value; a response header counts such swaps. */
const NO_VALUE = '0.00000000'

interface SwapFacts {
  txHash: string
  blockNumber: number
  sellAmount: string
  buyAmount: string
  volumeUsd: string | null
}

/** A token whose metadata has already been serialized, because most rows share a few tokens. */
export interface WrittenToken {
  decimals: number
  jsonPrefix: string
}

interface TokenFacts {
  name: string
  symbol: string
  decimals: number
}

/** Returns the token fields of a response. Without an address, they describe the native coin. */
export function tokenMetadataOf({ name, symbol, decimals }: TokenFacts, address: `0x${string}` | null): TokenMetadata {
  return { name, symbol, decimals: String(decimals), address: address === null ? '' : checksumAddress(address) }
}

/** Without an address, writes the native coin. */
export function writtenToken(token: TokenFacts, address: `0x${string}` | null): WrittenToken {
  return { decimals: token.decimals, jsonPrefix: JSON.stringify(tokenMetadataOf(token, address)).slice(0, -1) }
}

export function swapJson(swap: SwapFacts, sell: WrittenToken, buy: WrittenToken): string {
  const sold = legJson(sell, swap.sellAmount)
  const bought = legJson(buy, swap.buyAmount)
  return (
    `{"tx_hash":"${swap.txHash}","block_number":"${swap.blockNumber}","sell_token":${sold},"buy_token":${bought},` +
    `"trade_volume_usd":"${swap.volumeUsd ?? NO_VALUE}"}`
  )
}

function legJson({ jsonPrefix, decimals }: WrittenToken, amount: string): string {
  return `${jsonPrefix},"amount":"${amount}","amount_decimal":"${amountDecimal(amount, decimals)}"}`
}
