import type { NetworkName, PoolStateAt, QuotablePool, TickLiquidityAt } from '@dexfeed/dex'

interface MarketReader<Frame, Pool> {
  market(
    network: NetworkName,
    take: {
      begin(frame: Frame): void
      pools(pools: readonly (Omit<PoolStateAt, 'pool'> & { pool: Pool })[]): void
      ticks(ticks: readonly TickLiquidityAt[]): void
    },
  ): Promise<boolean>
}

export async function readMarket<Frame extends object, Pool extends QuotablePool>(
  reader: MarketReader<Frame, Pool>,
  network: NetworkName,
): Promise<(Frame & { pools: Pool[]; states: PoolStateAt[]; ticks: TickLiquidityAt[] }) | null> {
  const read = { pools: [] as Pool[], states: [] as PoolStateAt[], ticks: [] as TickLiquidityAt[] }
  const frames: Frame[] = []
  const isIndexed = await reader.market(network, {
    begin: (frame) => void frames.push(frame),
    pools(page) {
      for (const { pool, state, blockNumber } of page) {
        read.pools.push(pool)
        read.states.push({ pool: pool.address, state, blockNumber })
      }
    },
    ticks: (ticks) => void read.ticks.push(...ticks),
  })
  const [frame] = frames
  if (isIndexed !== (frame !== undefined) || frames.length > 1) throw new Error('an existing market begins once')
  return frame === undefined ? null : { ...frame, ...read }
}
