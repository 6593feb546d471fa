import { usdE8Of } from '@dexfeed/dex'
import { type AgeSums, CHANGE_AGES_S } from '@dexfeed/store'

/** The swaps since one of CHANGE_AGES_S. Null: old candles are not counted yet. */
export interface AgeFlow {
  swaps: number
  volumeE8: bigint
  buys: number | null
  sells: number | null
  buyVolumeE8: bigint | null
  sellVolumeE8: bigint | null
}

/**
 * Returns the flows since each of CHANGE_AGES_S.
 *
 * @param ages AgeSums as JSON
 */
export function flowsOf({ ages }: { ages: string }): AgeFlow[] {
  const sums: AgeSums[] = JSON.parse(ages)
  let flow: AgeFlow = { swaps: 0, volumeE8: 0n, buys: 0, sells: 0, buyVolumeE8: 0n, sellVolumeE8: 0n }
  return CHANGE_AGES_S.map((_, age) => {
    const sum = sums.find(([index]) => index === age)
    if (sum !== undefined) flow = withSums(flow, sum)
    return flow
  })
}

function withSums(flow: AgeFlow, [, swaps, , volume, buys, sells, buyVolume, sellVolume]: AgeSums): AgeFlow {
  const count = (sum: number | null, more: number | null) => (sum === null || more === null ? null : sum + more)
  const value = (sum: bigint | null, more: string | null) =>
    sum === null || more === null ? null : sum + usdE8Of(more)
  return {
    swaps: flow.swaps + swaps,
    volumeE8: flow.volumeE8 + usdE8Of(volume),
    buys: count(flow.buys, buys),
    sells: count(flow.sells, sells),
    buyVolumeE8: value(flow.buyVolumeE8, buyVolume),
    sellVolumeE8: value(flow.sellVolumeE8, sellVolume),
  }
}
