import { type Address, NETWORK_NAMES, NETWORKS, type NetworkName, type Token } from '@dexfeed/dex'
import type { Db } from '../../database/transaction.ts'
import { Prisma, type Swap } from '../../generated/client.ts'
import { hexOf, readJson, type Stored, secondsOf, together } from '../../stored.ts'
import { type StoredToken, TOKENS_OF_PAGE, toToken } from '../token.ts'
import { type HopRow, hopsOfPage, type PageHop, toHopRow } from './swap-hop.ts'
import type { SwapPlace, SwapRow } from './swap-list.ts'

export interface FoundSwap extends SwapRow {
  trader: Address | null
  settledFor: Address | null
  /** Index in USD_SOURCES. */
  usdSource: number | null
  /** Bits of UsdValue.flags. */
  flags: number
}

export interface SwapWithHops extends FoundSwap {
  hops: readonly HopRow[]
}

export type KnownTokens = ReadonlyMap<NetworkName, ReadonlyMap<Address, Token>>

export type StoredSwap = Stored<Swap>

export interface PageRows {
  swaps: StoredSwap
  hops: PageHop
  tokens: StoredToken & { chain_id: number }
}

export function swapsIn(relation: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`SELECT *, sell_amount::text, buy_amount::text, volume_usd::text FROM ${relation}`
}

/**
 * Selects from `searched` the trades that can be among the first `limit` of all networks by time. A network's trades stay
 * in the order of the chain: a trade comes after its predecessors even if its time does not.
 */
export function firstInTime(ascending: boolean, limit: number): Prisma.Sql {
  const latest = ascending ? Prisma.sql`max` : Prisma.sql`min`
  const direction = ascending ? Prisma.sql`ASC` : Prisma.sql`DESC`
  return Prisma.sql`SELECT * FROM (
      SELECT *, ${latest}(block_time) OVER (PARTITION BY chain_id ORDER BY floor(extract(epoch FROM block_time) / 86400)
        ${direction}, block_number ${direction}, transaction_index ${direction}, position ${direction}) AS comes_at
      FROM searched WHERE matching
    ) AS found ORDER BY comes_at ${direction} FETCH FIRST ${limit} ROWS WITH TIES`
}

/** Returns queries over the relation `page`: trades of any networks, whose `block_time` meets `window`. */
export function pageQueries(window = Prisma.sql`true`): { [Name in keyof PageRows]: Prisma.Sql } {
  return { swaps: swapsIn(Prisma.sql`page`), hops: hopsOfPage(window), tokens: TOKENS_OF_PAGE }
}

export async function readPage(db: Db, page: Prisma.Sql): Promise<SwapWithHops[]> {
  const { swaps, hops } = pageQueries()
  return toPage(await readJson(db, Prisma.sql`WITH page AS MATERIALIZED (${page}) ${together({ swaps, hops })}`))
}

const nameOf = (chainId: number, { blockNumber, transactionIndex, position }: SwapPlace) =>
  `${chainId} ${blockNumber} ${transactionIndex} ${position}`

export function toPage({ swaps, hops }: { swaps: readonly StoredSwap[]; hops: readonly PageHop[] }): SwapWithHops[] {
  const hopsOf = new Map<string, HopRow[]>()
  for (const stored of hops) {
    const hop = toHopRow(stored)
    const name = nameOf(stored.chain_id, hop)
    const others = hopsOf.get(name)
    if (others === undefined) hopsOf.set(name, [hop])
    else others.push(hop)
  }
  return swaps.map((stored) => {
    const swap = toFoundSwap(stored)
    return { ...swap, hops: hopsOf.get(nameOf(stored.chain_id, swap)) ?? [] }
  })
}

export function toKnownTokens(rows: readonly PageRows['tokens'][]): KnownTokens {
  return new Map(
    NETWORK_NAMES.map((network) => {
      const ofNetwork = rows.filter(({ chain_id }) => chain_id === NETWORKS[network].chainId).map(toToken)
      return [network, new Map(ofNetwork.map((token) => [token.address, token]))]
    }),
  )
}

export function toFoundSwap(row: StoredSwap): FoundSwap {
  return {
    network: networkOf(row.chain_id),
    blockNumber: Number(row.block_number),
    transactionIndex: row.transaction_index,
    position: row.position,
    time: secondsOf(row.block_time),
    txHash: hexOf(row.tx_hash),
    sellToken: hexOf(row.sell_token),
    sellNative: row.sell_native,
    sellAmount: row.sell_amount,
    buyToken: hexOf(row.buy_token),
    buyNative: row.buy_native,
    buyAmount: row.buy_amount,
    volumeUsd: row.volume_usd,
    flagged: row.flags !== 0,
    trader: row.trader === null ? null : hexOf(row.trader),
    settledFor: row.settled_for === null ? null : hexOf(row.settled_for),
    usdSource: row.usd_source,
    flags: row.flags,
  }
}

function networkOf(chainId: number): NetworkName {
  const network = NETWORK_NAMES.find((name) => NETWORKS[name].chainId === chainId)
  if (network === undefined) throw new Error(`no network has the chain id ${chainId}`)
  return network
}
