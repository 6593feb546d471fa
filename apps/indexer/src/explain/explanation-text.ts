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
  'nothing-bought': 'nothing left the pool for another token: a flash swap, or a gift',
  'same-token': 'the same token in and out',
  'unknown-token': 'the pool does not show which token that is',
  'told-by-base-pool': 'the base pool of the metapool reports it itself',
  liquidity: 'shares of the pool for their own sake: liquidity added or removed',
  'not-moved': 'no transfer of a token that it names: a contract that the caller named says so',
  'not-authentic': 'no configured factory confirms the contract',
  malformed: 'not the shape of that event',
}

const DIFFERENCES: Record<EndDifference, string> = {
  'transfer-tax': 'the transfer was taxed',
  'own-sale': 'the transfer was taxed, and the token sold of what it had collected',
  fee: 'another account kept the rest: a fee, or another recipient',
  'unread-venue': 'the rest of the route went over something that is not read',
  reflection: 'the token moves balances by itself',
  matched: 'the order of another account took or gave the rest',
  unknown: 'the receipt does not show why',
}

const COINS: Record<CoinSource, string> = {
  moves: 'coins as their moves are logged',
  wrapper: 'coins as they were sent along, or unwrapped',
  pools: 'coins as the pools say',
}

export function explanationText(explanation: Explanation, network: NetworkName, tokenOf: TokenOf): string {
  const { hash, block, transactionIndex, trader, succeeded, hops, trades, dropped, flows } = explanation
  const time = new Date(block.timestamp * SECOND).toISOString().slice(0, 19).replace('T', ' ')
  const lines = [
    `${network} ${hash}`,
    `  block ${block.number} (${time} UTC), transaction ${transactionIndex}, trader ${addressText(trader)}`,
    ...(succeeded ? [] : ['  it was reverted: nothing was traded']),
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
        ? 'of no hop: a settlement’s event tells it'
        : `of the ${hops.length === 1 ? 'hop' : 'hops'} at log ${places.join(', ')}${isShared(trade) ? ', in part' : ''}`,
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

/** Returns whether other accounts' trades share some hops. */
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
