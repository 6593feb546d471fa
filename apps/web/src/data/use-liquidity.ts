import type { Operations } from '@dexfeed/client'
import { api } from './api.ts'
import { useResource } from './use-resource.ts'

/** `listPoolLiquidity` takes no more. */
const INTERVALS = 1_000
const REFRESH_MS = 30_000

type Selection = Pick<Operations['listPoolLiquidity']['parameters'], 'network' | 'address' | 'interval'>

/** Net USD that accounts added to a pool, by start of the interval; null where it is unknown. */
export type LiquidityChanges = ReadonlyMap<string, string | null>

const NONE: LiquidityChanges = new Map()

/** Returns the changes of a pool's liquidity in the newest intervals; none without a pool, or until they are read. */
export function useLiquidity(selection: Selection | null): LiquidityChanges {
  const { state } = useResource(
    selection === null ? null : `liquidity ${JSON.stringify(selection)}`,
    async (signal): Promise<LiquidityChanges> => {
      if (selection === null) return NONE
      const { data } = await api.call('listPoolLiquidity', { ...selection, limit: INTERVALS }, { signal })
      return new Map(data.map(({ time, net_usd: net }) => [time, net]))
    },
    { refreshMs: REFRESH_MS },
  )
  return state.value.data ?? NONE
}
