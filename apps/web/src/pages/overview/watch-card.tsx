import type { PoolWithFlow, TokenWithFlow } from '@dexfeed/client'
import { api } from '../../data/api.ts'
import { useResource } from '../../data/use-resource.ts'
import { useSparklines } from '../../data/use-sparklines.ts'
import { watched } from '../../state/watch-list.ts'
import { Card } from '../../ui/card.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { TOP_POOL_COLUMNS } from '../../ui/pool-columns.tsx'
import { topTokenColumns } from '../../ui/token-columns.tsx'

const REFRESH_MS = 10_000

interface WatchedRows {
  tokens: readonly TokenWithFlow[]
  pools: readonly PoolWithFlow[]
}

/** The tokens and pools that the user watches; nothing if there are none. */
export function WatchCard() {
  const items = watched.value
  const { state } = useResource(
    items.length === 0 ? null : `watched ${JSON.stringify(items)}`,
    async (signal): Promise<WatchedRows> => {
      const wanted = (kind: 'token' | 'pool') =>
        items.filter((item) => item.kind === kind).map(({ network, address }) => ({ network, address }))
      const [tokens, pools] = await Promise.all([
        readable(wanted('token').map((token) => api.call('getToken', token, { signal }))),
        readable(wanted('pool').map((pool) => api.call('getPool', pool, { signal }))),
      ])
      return { tokens, pools }
    },
    { refreshMs: REFRESH_MS, keepPrevious: true },
  )
  const { tokens, pools } = state.value.data ?? { tokens: [], pools: [] }
  const sparklines = useSparklines(tokens)
  if (items.length === 0) return null
  const keyOf = ({ network, address }: { network: string; address: string }) => `${network} ${address}`
  return (
    <Card title="Watch list" note="kept in this browser">
      {tokens.length > 0 && (
        <DataTable
          caption="Watched tokens"
          columns={topTokenColumns(sparklines)}
          rows={tokens}
          keyOf={keyOf}
          empty="No token is watched."
        />
      )}
      {pools.length > 0 && (
        <DataTable
          caption="Watched pools"
          columns={TOP_POOL_COLUMNS}
          rows={pools}
          keyOf={keyOf}
          empty="No pool is watched."
        />
      )}
    </Card>
  )
}

/** Returns what could be read: a token may belong to a network that this node no longer indexes. */
async function readable<Result>(reads: readonly Promise<Result>[]): Promise<Result[]> {
  const results = await Promise.allSettled(reads)
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}
