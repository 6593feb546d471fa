import { DexfeedError, type PoolWithFlow, type TokenWithFlow } from '@dexfeed/client'
import { api } from '../../data/api.ts'
import { useResource } from '../../data/use-resource.ts'
import { useSparklines } from '../../data/use-sparklines.ts'
import { type Watched, watched } from '../../state/watch-list.ts'
import { Card } from '../../ui/card.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { TOP_POOL_COLUMNS } from '../../ui/pool-columns.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { topTokenColumns } from '../../ui/token-columns.tsx'

const REFRESH_MS = 10_000

interface WatchedRows {
  tokens: readonly TokenWithFlow[]
  pools: readonly PoolWithFlow[]
}

/** The tokens and pools that the user watches; nothing if there are none. */
export function WatchCard() {
  const items = watched.value
  const { state, reload } = useResource(
    items.length === 0 ? null : `watched ${JSON.stringify(items)}`,
    async (signal): Promise<WatchedRows> => {
      const wanted = (kind: Watched['kind']) => items.filter((item) => item.kind === kind)
      const lists = [...new Set(wanted('token').map(({ network }) => network))].map((network) => {
        const own = wanted('token').filter((item) => item.network === network)
        return api.call('listTokens', { network, token: own.map(({ address }) => address).join() }, { signal })
      })
      const [found, pools] = await Promise.all([
        known(lists),
        known(wanted('pool').map(({ network, address }) => api.call('getPool', { network, address }, { signal }))),
      ])
      const tokens = new Map(found.flatMap(({ data }) => data.map((token) => [keyOf(token), token] as const)))
      return { tokens: wanted('token').flatMap((item) => tokens.get(keyOf(item)) ?? []), pools }
    },
    { refreshMs: REFRESH_MS, keepPrevious: true },
  )
  const { tokens, pools } = state.value.data ?? { tokens: [], pools: [] }
  const sparklines = useSparklines(tokens)
  if (items.length === 0) return null
  return (
    <Card title="Watch list" note="kept in this browser">
      <Loaded {...{ state, reload }} what="The watch list" skeleton={<Skeleton rows={items.length} />}>
        {() => (
          <>
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
          </>
        )}
      </Loaded>
    </Card>
  )
}

function keyOf({ network, address }: { network: string; address: string }): string {
  return `${network} ${address}`
}

/** Leaves out what is not found: it may belong to a network that this node no longer indexes. */
async function known<Result>(reads: readonly Promise<Result>[]): Promise<Result[]> {
  const found = reads.map((read) =>
    read.catch((error: unknown) => {
      if (error instanceof DexfeedError && error.status === 404) return null
      throw error
    }),
  )
  return (await Promise.all(found)).filter((result) => result !== null)
}
