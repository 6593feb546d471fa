import { amountDecimal, checksumAddress, swapJson, type WrittenToken, writtenToken } from '@dexfeed/contract'
import { type Address, type Hop, type Leg, NETWORKS, type NetworkName, type PricedTrade, usdText } from '@dexfeed/dex'
import { type EndNote, endNotes } from './end-notes.ts'
import type { Explanation, TokenOf } from './explain-transactions.ts'

/**
 * Returns one line of JSON. Its `trades` equal those in the list of swaps; trades with unknown decimals count as
 * dropped.
 */
export function explanationJson(explanation: Explanation, network: NetworkName, tokenOf: TokenOf): string {
  const { hash, block, trader, hops, trades, dropped, flows } = explanation
  const listed = trades.flatMap((trade) => tradeJson(trade, network, tokenOf) ?? [])
  const unlisted = trades.filter((trade) => tradeJson(trade, network, tokenOf) === null)
  const fields = {
    network,
    tx_hash: hash,
    block_number: String(block.number),
    trader: trader === null ? null : checksumAddress(trader),
  }
  const rest = {
    hops: hops.map((hop) => hopFields(hop, trades, tokenOf)),
    dropped: [
      ...dropped.map(({ logIndex, pool, reason }) => ({ log_index: logIndex, pool: placeOf(pool), reason })),
      ...unlisted.map(({ hops: [first] }) => ({
        log_index: first?.logIndex ?? null,
        pool: first ? placeOf(first.pool.address) : null,
        reason: 'decimals-unknown',
      })),
    ],
    notes: trades.flatMap((trade, index) => endNotes(trade, flows, trades).map((note) => noteFields(note, index))),
  }
  return `${JSON.stringify(fields).slice(0, -1)},"trades":[${listed.join(',')}],${JSON.stringify(rest).slice(1)}`
}

function tradeJson(trade: PricedTrade, network: NetworkName, tokenOf: TokenOf): string | null {
  const { txHash, blockNumber, sell, buy, usdE8 } = trade
  const sold = tradedToken(sell, network, tokenOf)
  const bought = tradedToken(buy, network, tokenOf)
  if (sold === null || bought === null) return null
  const amounts = { sellAmount: String(sell.amount), buyAmount: String(buy.amount) }
  return swapJson({ txHash, blockNumber, ...amounts, volumeUsd: usdE8 === null ? null : usdText(usdE8) }, sold, bought)
}

function tradedToken({ token, native }: Leg, network: NetworkName, tokenOf: TokenOf): WrittenToken | null {
  if (native) return writtenToken(NETWORKS[network].native, null)
  const { name, symbol, decimals = null } = tokenOf(token) ?? {}
  if (name === undefined || symbol === undefined || decimals === null) return null
  return writtenToken({ name, symbol, decimals }, token)
}

function noteFields({ side, leg, pools, why }: EndNote, trade: number) {
  return {
    trade,
    side: side === 'gave' ? 'sell' : 'buy',
    amount: String(leg.amount),
    through_pools: { address: pools.native ? '' : checksumAddress(pools.token), amount: String(pools.amount) },
    why,
  }
}

function hopFields(hop: Hop, trades: readonly PricedTrade[], tokenOf: TokenOf) {
  const trade = trades.findIndex(({ hops }) => hops.includes(hop))
  const side = (token: Address, amount: bigint, native: boolean) => {
    const { symbol = '', decimals = null } = tokenOf(token) ?? {}
    return {
      address: native ? '' : checksumAddress(token),
      symbol,
      amount: String(amount),
      amount_decimal: decimals === null ? null : amountDecimal(String(amount), decimals),
    }
  }
  return {
    log_index: hop.logIndex,
    dex: hop.pool.dex.name,
    protocol: hop.pool.dex.kind,
    pool: placeOf(hop.pool.address),
    in: side(hop.tokenIn, hop.amountIn, hop.nativeIn),
    out: side(hop.tokenOut, hop.amountOut, hop.nativeOut),
    trade,
    by_token: trades[trade]?.byToken ?? false,
  }
}

export function placeOf(pool: string): string {
  const address = pool.slice(0, 42) as Address
  return `${checksumAddress(address)}${pool.length > 42 ? ` 0x${pool.slice(42)}` : ''}`
}
