import type { TickLiquidityAt } from '@dexfeed/dex'
import { digitsOf } from '../hex.ts'

/** Ticks as parameters, a column each: pool, tick, block number, gross, net. */
export function tickColumns(ticks: readonly TickLiquidityAt[]) {
  return [
    ticks.map(({ pool }) => digitsOf(pool)),
    ticks.map(({ tick }) => tick),
    ticks.map(({ blockNumber }) => blockNumber),
    ticks.map(({ gross }) => String(gross)),
    ticks.map(({ net }) => String(net)),
  ] as const
}
