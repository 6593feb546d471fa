import { checksumAddress, type V1Body, type V1Handlers } from '@dexfeed/contract'
import { type Address, flagsOf, type Hex, isoTime, type NetworkName, type Token } from '@dexfeed/dex'
import type { IndexedNetwork, SwapWithHops } from '@dexfeed/store'
import { HttpFailure } from '../../http/http-failure.ts'
import { indexedBlocks, indexedOf } from '../../service/freshness.ts'
import { hopOf, swapOf, tokenFields, tokenLeg } from '../swaps.ts'
import type { V1Context } from '../v1-context.ts'
import { type NetPools, netOfPools, tradeNotes } from './trade-notes.ts'

type Body = V1Body<'getTransaction'>
type ExplainedTrade = Body['trades'][number]
type KnownTokens = ReadonlyMap<Address, Token>

/** No block has room for as many trades; only a made-up chain has. */
const MAX_TRADES = 1_000

export function transaction({ reader }: V1Context): V1Handlers['getTransaction'] {
  return async ({ network, tx_hash }, { signal }) => {
    const { networks, rows, reached } = await reader.findSwaps({
      filter: { txHash: tx_hash },
      network,
      ascending: true,
      from: null,
      limit: MAX_TRADES,
      signal,
    })
    const indexed = indexedOf(network, networks)
    const [first] = rows
    if (first === undefined) throw notStored(network, tx_hash, indexed)
    const tokens = new Map((await reader.tokens(network, tokensOf(rows))).map((token) => [token.address, token]))
    const body: Body = {
      network,
      tx_hash: first.txHash,
      block_number: String(first.blockNumber),
      time: isoTime(first.time),
      final: first.blockNumber <= (indexed.finalNumber ?? -1),
      transaction_index: first.transactionIndex,
      trader: first.trader && checksumAddress(first.trader),
      trades: rows.map((row) => tradeOf(row, { rows, tokens, indexed })),
      complete: reached === null,
      tokens: tokensOf(rows).map((address) => tokenFields(address, tokens.get(address))),
    }
    return { body, headers: { 'X-Indexed-Block': indexedBlocks(networks) } }
  }
}

function notStored(network: NetworkName, hash: Hex, { covered: ranges }: IndexedNetwork): HttpFailure {
  const first = ranges[0]
  const last = ranges.at(-1)
  const gaps = ranges.length > 1 ? ', not all of them' : ''
  const blocks = first && last ? `indexed are blocks ${first.from} to ${last.to}${gaps}` : 'no block is yet'
  return new HttpFailure(
    404,
    `no trade of transaction ${hash} is stored: it has none, or its block is not indexed on ${network} (${blocks})`,
  )
}

function tokensOf(rows: readonly SwapWithHops[]): Address[] {
  const ofTrades = rows.flatMap(({ sellToken, buyToken }) => [sellToken, buyToken])
  const ofHops = rows.flatMap(({ hops }) => hops.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))
  return [...new Set([...ofTrades, ...ofHops])]
}

interface Explained {
  rows: readonly SwapWithHops[]
  tokens: KnownTokens
  indexed: IndexedNetwork
}

function tradeOf(row: SwapWithHops, { rows: all, tokens, indexed }: Explained): ExplainedTrade {
  const { position, settled_for, sell_token, buy_token, ...value } = swapOf(row, tokens, indexed)
  const { side, price, trade_volume_usd, usd_source, flags } = value
  const pools = netOfPools(row.hops)
  return {
    position,
    settled_for,
    sell_token,
    buy_token,
    side,
    price,
    trade_volume_usd,
    usd_source,
    flags,
    hops: row.hops.map((hop) => ({ ...hopOf(hop), flags: flagsOf(hop.flags).map(({ name }) => name) })),
    through_pools: pools && throughPools(pools, tokens),
    notes: tradeNotes(row, all, pools, tokens),
  }
}

function throughPools({ sold, soldAmount, bought, boughtAmount }: NetPools, tokens: KnownTokens) {
  return {
    sell: tokenLeg(sold, tokens.get(sold), String(soldAmount)),
    buy: tokenLeg(bought, tokens.get(bought), String(boughtAmount)),
  }
}
