import type { Database } from '../database/database.ts'
import { lockReplacement, lockRows } from '../database/locks.ts'
import { inTransaction } from '../database/transaction.ts'
import { type NetworkKey, readFlowUnknownTo, setFlowUnknownTo } from '../tables/network.ts'
import { readOldPoolCandles } from '../tables/rollups/pool-candle.ts'
import { readOldTokenVolumes } from '../tables/rollups/token-volume.ts'
import { readNewestBlocks } from '../tables/swap/swap.ts'
import { keptHopsOfBlocks } from '../tables/swap/swap-hop.ts'
import { remakeCandles } from './roll-up-hops.ts'

/**
 * Counts the buys of old candles again, newest first: those of the minutes of about `trades` trades, in one transaction
 * with the network's mark. Returns whether older ones are left. Takes the locks of a replacement, so that the head waits
 * for at most one step.
 */
export async function fillOrderFlow(database: Database, network: NetworkKey, trades: number): Promise<boolean> {
  const { chainId } = network
  if ((await readFlowUnknownTo(database.prisma, chainId)) === null) return false
  return inTransaction(database, async (tx) => {
    await lockReplacement(tx, chainId)
    await lockRows(tx, chainId, 'exclusive')
    const to = await readFlowUnknownTo(tx, chainId)
    const range = to === null ? null : await readNewestBlocks(tx, chainId, to, trades)
    if (range !== null) {
      const hops = keptHopsOfBlocks(chainId, range)
      const pools = await readOldPoolCandles(tx, chainId, hops)
      const tokens = await readOldTokenVolumes(tx, chainId, hops)
      await remakeCandles(tx, chainId, { pools, tokens }, range)
    }
    await setFlowUnknownTo(tx, chainId, range === null ? null : range.from - 1)
    return range !== null
  })
}
