import { DAY_S, NETWORK_NAMES, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { formatUnits, getAddress } from 'ethers'
import type { ChainFacts, PricedTrade } from './chain-facts.ts'
import type { TokenFacts } from './tokens.ts'
import type { Leg } from './trades/legs.ts'

const COINS: Partial<Record<NetworkName, TokenFacts>> = {
  eth: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  bsc: { name: 'BNB', symbol: 'BNB', decimals: 18 },
  polygon: { name: 'POL', symbol: 'POL', decimals: 18 },
}

/** Returns the rows of `/api/swaps_24h` at a time in seconds. */
export function expectedSwaps(chains: readonly ChainFacts[], now: number) {
  const trades = chains.flatMap((facts) => facts.trades.map((trade) => ({ trade, tokens: facts.tokens })))
  const shown = trades.filter(({ trade }) => trade.block.timestamp >= now - DAY_S)
  return shown.toSorted((a, b) => compare(a.trade, b.trade)).map(({ trade, tokens }) => row(trade, tokens))
}

function compare(a: PricedTrade, b: PricedTrade): number {
  return (
    a.block.number - b.block.number ||
    NETWORK_NAMES.indexOf(a.network) - NETWORK_NAMES.indexOf(b.network) ||
    a.transaction.index - b.transaction.index
  )
}

function row({ network, block, transaction, sell, buy, usdE8 }: PricedTrade, tokens: ChainFacts['tokens']) {
  const leg = ({ token, native, amount }: Leg) => {
    const facts = native ? (COINS[network] ?? NETWORKS[network].native) : tokens.get(token)
    if (!facts) throw new Error(`unknown token ${token}`)
    return {
      name: facts.name,
      symbol: facts.symbol,
      decimals: String(facts.decimals),
      address: native ? '' : getAddress(token),
      amount: String(amount),
      amount_decimal: decimal(amount, facts.decimals),
    }
  }
  return {
    tx_hash: transaction.hash,
    block_number: String(block.number),
    sell_token: leg(sell),
    buy_token: leg(buy),
    trade_volume_usd: usd(usdE8 ?? 0n),
  }
}

/** Returns the records of `/api/trade_volume_usd_7d` at a time in seconds. */
export function expectedDays(chains: readonly ChainFacts[], now: number) {
  const trades = chains.flatMap((facts) => facts.trades)
  return Array.from({ length: 7 }, (_, daysAgo) => {
    const date = dateOf(now - daysAgo * DAY_S)
    const ofDay = trades.filter(({ block }) => dateOf(block.timestamp) === date)
    return {
      date,
      address_count: String(new Set(ofDay.map(({ transaction }) => transaction.from)).size),
      trade_volume_usd: usd(ofDay.reduce((sum, { usdE8 }) => sum + (usdE8 ?? 0n), 0n)),
    }
  })
}

export function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}

export function usd(usdE8: bigint): string {
  return decimal(usdE8, 8)
}

/** Returns all digits, with at least eight after the decimal point. */
function decimal(units: bigint, decimals: number): string {
  const [whole, fraction = ''] = formatUnits(units, decimals).split('.')
  return `${whole}.${fraction.padEnd(Math.max(8, decimals), '0')}`
}
