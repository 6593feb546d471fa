import { checksumAddress } from '@dexfeed/contract'
import {
  type Address,
  flagsOf,
  type Hop,
  type Leg,
  NETWORKS,
  type NetworkName,
  type PricedTrade,
  SECOND,
  USD_SOURCE_TEXTS,
  usdText,
} from '@dexfeed/dex'
import { formatUnits } from 'ethers'
import { type CoinSource, coinSource, type EndDifference, type EndNote, endNotes } from './end-notes.ts'
import type { DroppedLog, Explanation, LogDropReason, TokenOf } from './explain-transactions.ts'
import { placeOf } from './explanation-json.ts'

const REASONS: Record<LogDropReason, string> = {
  'nothing-sold': 'nothing entered the pool',
  'nothing-bought': 'no other token left the pool: a flash swap, or a gift',
  'same-token': 'the same token went in and out',
  'unknown-token': 'the pool does not show which token the event means',
  'told-by-base-pool': 'the base pool of the metapool reports this swap itself',
  liquidity: 'not a trade but liquidity that was added or removed',
  'not-moved':
    'the receipt has no transfer of a token that the event names; the caller chose the contract that emitted it',
  'not-authentic': 'no configured factory confirms the contract',
  malformed: 'the log does not have the shape of the event',
}

const DIFFERENCES: Record<EndDifference, string> = {
  'transfer-tax': 'the transfer was taxed',
  'own-sale': 'the transfer was taxed, and the token contract sold what it had collected',
  fee: 'another account kept the rest: a fee, or another recipient',
  'unread-venue': 'part of the route went through a venue that is not read',
  reflection: 'the token changes balances by itself',
  matched: 'the order of another account took or gave the rest',
  unknown: 'the receipt does not show why',
}

const COINS: Record<CoinSource, string> = {
  moves: 'the coin amount is the one in the logged transfers of coins',
  wrapper: 'the coin amount is what was sent with the transaction, or unwrapped',
  pools: 'the coin amount is the one that the pools report',
}

export function explanationText(explanation: Explanation, network: NetworkName, tokenOf: TokenOf): string {
  const { hash, block, transactionIndex, trader, succeeded, hops, trades, dropped, flows } = explanation
  const time = new Date(block.timestamp * SECOND).toISOString().slice(0, 19).replace('T', ' ')
  const lines = [
    `${network} ${hash}`,
    `  block ${block.number} (${time} UTC), transaction ${transactionIndex}, trader ${addressText(trader)}`,
    ...(succeeded ? [] : ['  the transaction was reverted, so nothing was traded']),
    ...section('hops', hops.map(hopText(tokenOf))),
    ...section('dropped', dropped.map(droppedText)),
    ...section(
      'trades',
      trades.flatMap((trade) => [
        ...tradeText(trade, network, tokenOf),
        ...coinsText(coinSource(trade, flows)),
        ...endNotes(trade, flows, trades).map((note) => `   ${noteText(note, network, tokenOf)}`),
      ]),
    ),
    ...(succeeded && trades.length === 0 ? ['  no trade'] : []),
  ]
  return `${lines.join('\n')}\n`
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`  ${title}`, ...lines.map((line) => `    ${line}`)]
}

function hopText(tokenOf: TokenOf) {
  return ({ logIndex, pool, tokenIn, amountIn, tokenOut, amountOut }: Hop) =>
    `log ${logIndex}  ${pool.dex.name} ${placeOf(pool.address)}  ` +
    `${amountText(tokenIn, amountIn, tokenOf)} -> ${amountText(tokenOut, amountOut, tokenOf)}`
}

function droppedText({ logIndex, pool, reason }: DroppedLog): string {
  return `log ${logIndex}  ${placeOf(pool)}  ${REASONS[reason]}`
}

function tradeText(trade: PricedTrade, network: NetworkName, tokenOf: TokenOf): string[] {
  const { position, sell, buy, usdE8, source, flags, byToken, settledFor } = trade
  const hops = trade.routes?.flatMap((route) => route.hops) ?? trade.hops
  const places = hops.map(({ logIndex }) => logIndex).sort((a, b) => a - b)
  const value =
    usdE8 === null || source === null ? 'no USD value' : `${usdText(usdE8)} USD by ${USD_SOURCE_TEXTS[source]}`
  const marks = flagsOf(flags).map(({ text }) => text)
  const hidden = isListed(sell, tokenOf) && isListed(buy, tokenOf) ? [] : ['not listed: the decimals are unknown']
  return [
    `${position}  ${legText(sell, network, tokenOf)} -> ${legText(buy, network, tokenOf)}  ${value}`,
    ...[
      hops.length === 0
        ? 'no hop: the event of a settlement states this order'
        : `from the ${hops.length === 1 ? 'hop' : 'hops'} at log ${places.join(', ')}${isShared(trade) ? ', in part' : ''}`,
      ...(byToken ? ["the token's own contract sold what it had collected"] : []),
      ...(settledFor === null ? [] : [`settled for ${checksumAddress(settledFor)}`]),
      ...marks,
      ...hidden,
    ].map((line) => `   ${line}`),
  ]
}

function coinsText(source: CoinSource | null): string[] {
  return source === null ? [] : [`   ${COINS[source]}`]
}

function isShared({ hops, routes = [] }: PricedTrade): boolean {
  return routes.some((route) => route.hops.some((part) => !hops.includes(part)))
}

function noteText({ side, leg, pools, why }: EndNote, network: NetworkName, tokenOf: TokenOf): string {
  const [verb, through] = side === 'gave' ? ['gave', 'entered'] : ['got', 'left']
  const text = `the trader ${verb} ${legText(leg, network, tokenOf)}, ${legText(pools, network, tokenOf)} ${through} the pools`
  return `${text}: ${DIFFERENCES[why]}`
}

function isListed({ token, native }: Leg, tokenOf: TokenOf): boolean {
  return native || (tokenOf(token)?.decimals ?? null) !== null
}

function legText({ token, amount, native }: Leg, network: NetworkName, tokenOf: TokenOf): string {
  if (!native) return amountText(token, amount, tokenOf)
  const { symbol, decimals } = NETWORKS[network].native
  return `${formatUnits(amount, decimals)} ${symbol}`
}

function amountText(token: Address, amount: bigint, tokenOf: TokenOf): string {
  const { symbol = '', decimals = null } = tokenOf(token) ?? {}
  const name = symbol === '' ? checksumAddress(token) : symbol
  return decimals === null ? `${amount} base units of ${name}` : `${formatUnits(amount, decimals)} ${name}`
}

function addressText(address: Address | null): string {
  return address === null ? 'nobody' : checksumAddress(address)
}
