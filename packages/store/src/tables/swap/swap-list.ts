import { type Address, type BlockRange, DAY_S, dayOf, type Hex, NETWORKS, type NetworkName } from '@dexfeed/dex'
import type { Db } from '../../database/transaction.ts'
import { Prisma } from '../../generated/client.ts'
import { inBlocks } from '../../stored.ts'
import { withinDays } from './blocks-of-times.ts'

export interface SwapPlace {
  blockNumber: number
  transactionIndex: number
  position: number
}

export function inOrder(ascending: boolean): (a: SwapPlace, b: SwapPlace) => number {
  const sign = ascending ? 1 : -1
  return (a, b) =>
    sign * (a.blockNumber - b.blockNumber || a.transactionIndex - b.transactionIndex || a.position - b.position)
}

/** Amounts and `volumeUsd` are decimals, as text. */
export interface SwapRow extends SwapPlace {
  network: NetworkName
  time: number
  txHash: Hex
  /** The wrapped coin if the leg is native. */
  sellToken: Address
  sellNative: boolean
  /** In base units. */
  sellAmount: string
  buyToken: Address
  buyNative: boolean
  buyAmount: string
  /** With eight fractional digits; null if unpriced. */
  volumeUsd: string | null
  flagged: boolean
}

export interface SwapRange {
  network: NetworkName
  after: SwapPlace
  upTo: number
}

/** Postgres formats the hex values, so that no work per row remains here. */
export function swapPage({ network, after, upTo }: SwapRange, limit: number): Prisma.Sql {
  return Prisma.sql`
    SELECT block_number, transaction_index, position, extract(epoch FROM block_time), '0x' || encode(tx_hash, 'hex'),
      '0x' || encode(sell_token, 'hex'), sell_native, sell_amount,
      '0x' || encode(buy_token, 'hex'), buy_native, buy_amount, volume_usd, flags
    FROM swap WHERE chain_id = ${NETWORKS[network].chainId} AND block_number <= ${upTo}::bigint
      AND (block_number, transaction_index, position)
        > (${after.blockNumber}::bigint, ${after.transactionIndex}, ${after.position})
    ORDER BY block_number, transaction_index, position LIMIT ${limit}`
}

export function toSwapRow(network: NetworkName, row: readonly (string | null)[]): SwapRow {
  const [
    block,
    transaction,
    position,
    time,
    hash,
    sell,
    sellNative,
    sellAmount,
    buy,
    buyNative,
    buyAmount,
    usd,
    flags,
  ] = row
  return {
    network,
    blockNumber: Number(block),
    transactionIndex: Number(transaction),
    position: Number(position),
    time: Number(time),
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

/** Returns the times (seconds) of the first and last trade or liquidity event in some blocks; null without any. */
export async function timesOfBlocks(
  db: Db,
  network: NetworkName,
  range: BlockRange,
): Promise<{ from: number; to: number } | null> {
  const ends = (order: 'ASC' | 'DESC') =>
    ['swap', 'liquidity_event'].map(
      (table) => Prisma.sql`(
    SELECT block_time FROM ${Prisma.raw(table)}
    WHERE ${inBlocks(NETWORKS[network].chainId, range)}
    ORDER BY block_number ${Prisma.raw(order)} LIMIT 1)`,
    )
  const [found] = await db.$queryRaw<{ from: number | null; to: number | null }[]>`
    SELECT extract(epoch FROM least(${Prisma.join(ends('ASC'))}))::float8 AS "from",
      extract(epoch FROM greatest(${Prisma.join(ends('DESC'))}))::float8 AS "to"`
  return found?.from == null || found.to === null ? null : { from: found.from, to: found.to }
}

/** Returns the block of the oldest of the `count` newest trades of the head's last 24 hours; null without trades. */
export async function blockOfNewest(
  db: Db,
  { chainId, head }: { chainId: number; head: { number: number; timestamp: number } | null },
  count: number,
): Promise<number | null> {
  if (head === null) return null
  const since = head.timestamp - DAY_S
  const [found] = await db.$queryRaw<{ block: number | null }[]>`
    SELECT min(block_number)::float8 AS block FROM (
      SELECT block_number FROM swap
      WHERE chain_id = ${chainId} AND block_number <= ${head.number}::bigint AND block_time >= to_timestamp(${since}::float8)
        AND ${withinDays([dayOf(since), dayOf(head.timestamp)])}
      ORDER BY block_number DESC LIMIT ${count}
    ) AS newest`
  return found?.block ?? null
}
