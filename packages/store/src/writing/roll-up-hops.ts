import type { Address, BlockRange, PricedTrade } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import type { Db } from '../database/transaction.ts'
import { readAnchors } from '../tables/network.ts'
import { copyPoolCandles, mergePoolCandles, remakePoolCandles } from '../tables/rollups/pool-candle.ts'
import { heldApart, rollUp } from '../tables/rollups/roll-up.ts'
import { copyTokenFlows, mergeTokenFlows } from '../tables/rollups/token-flow.ts'
import { copyTokenVolumes, mergeTokenVolumes, remakeTokenVolumes } from '../tables/rollups/token-volume.ts'
import { copySwaps } from '../tables/swap/swap.ts'
import { copyHops, type GoneHops, hopsOfMinutes } from '../tables/swap/swap-hop.ts'

export async function mergeCandles(
  tx: Db,
  chainId: number,
  trades: readonly PricedTrade[],
  anchors: ReadonlySet<Address>,
): Promise<void> {
  const { pools, tokens } = rollUp(trades)
  await mergePoolCandles(tx, chainId, pools)
  await mergeTokenVolumes(tx, chainId, tokens)
  await mergeTokenFlows(tx, chainId, pools, anchors)
}

/** Writes candles and flows as new parts beside the stored ones: each block is in only one part. */
export async function copyTrades(
  tx: Db,
  connection: ClientBase,
  chainId: number,
  trades: readonly PricedTrade[],
): Promise<void> {
  const anchors = await readAnchors(tx, chainId)
  const rolledUp = rollUp(trades)
  const { pools, tokens, parts } = heldApart(rolledUp, trades)
  await copySwaps(connection, chainId, trades, parts)
  await copyHops(connection, chainId, trades)
  await copyPoolCandles(connection, chainId, pools)
  await copyTokenVolumes(connection, chainId, tokens)
  await copyTokenFlows(connection, chainId, rolledUp.pools, anchors)
}

/** Computes the candles of these minutes of pools and tokens again, from the hops that are stored now. */
export async function remakeCandles(
  tx: Db,
  chainId: number,
  gone: Pick<GoneHops, 'pools' | 'tokens'>,
  range: BlockRange,
): Promise<void> {
  const minutes = [...gone.pools, ...gone.tokens].map(({ minute }) => minute)
  if (minutes.length === 0) return
  const first = minutes.reduce((low, minute) => Math.min(low, minute))
  const last = minutes.reduce((high, minute) => Math.max(high, minute))
  const left = hopsOfMinutes(chainId, first, last, range)
  await remakePoolCandles(tx, chainId, gone.pools, left)
  await remakeTokenVolumes(tx, chainId, gone.tokens, left)
}
