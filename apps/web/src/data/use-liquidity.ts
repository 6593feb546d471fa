import type { Operations } from '@dexfeed/client'
import { api } from './api.ts'
import { useResource } from './use-resource.ts'

/** `listPoolLiquidity` takes no more. */
const INTERVALS = 1_000
const REFRESH_MS = 30_000

type Selection = Pick<Operations['listPoolLiquidity']['parameters'], 'network' | 'address' | 'interval'>

/** In USD; null where it is unknown. */
export interface Liquidity {
  /** What accounts added, less what they removed. */
  net: string | null
  /** What the pool held at the end. */
  held: string | null
}

/** By start of the interval. */
export type LiquidityHistory = ReadonlyMap<string, Liquidity>

const NONE: LiquidityHistory = new Map()

/** Returns a pool's liquidity in the newest intervals; nothing without a pool, or until it is read. */
export function useLiquidity(selection: Selection | null): LiquidityHistory {
  const { state } = useResource(
    selection === null ? null : `liquidity ${JSON.stringify(selection)}`,
    async (signal): Promise<LiquidityHistory> => {
      if (selection === null) return NONE
      const { data } = await api.call('listPoolLiquidity', { ...selection, limit: INTERVALS }, { signal })
      return new Map(data.map(({ time, net_usd: net, liquidity_usd: held }) => [time, { net, held }]))
    },
    { refreshMs: REFRESH_MS },
  )
  return state.value.data ?? NONE
}
