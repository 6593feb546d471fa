import type { ConcentratedState, TickLiquidity } from '../pool-state.ts'

/**
 * Whether ticks can be all of a pool's: what they add and take from the lowest to the pool's tick is the liquidity in
 * range (whitepaper of Uniswap V3, 6.3), and all of them together leave none. None adds or takes more than refers to it.
 */
export function addsUp({ tick: current, liquidity }: ConcentratedState, ticks: readonly TickLiquidity[]): boolean {
  let below = 0n
  let all = 0n
  for (const { tick, gross, net } of ticks) {
    if (gross < net || gross < -net) return false
    if (tick <= current) below += net
    all += net
  }
  return below === liquidity && all === 0n
}
