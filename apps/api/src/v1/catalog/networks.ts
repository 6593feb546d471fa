import type { V1Handlers, V1Row } from '@dexfeed/contract'
import { type Address, isoTime, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { headSpan, type NetworkProgress } from '@dexfeed/store'
import { indexedBlocks } from '../../service/freshness.ts'
import { networkStatus } from '../../service/readiness.ts'
import type { TokenCatalog } from '../../token-catalog.ts'
import type { CatalogCounts } from '../catalog-counts.ts'
import { tokenFields } from '../swaps.ts'
import type { V1Context } from '../v1-context.ts'

type Network = Awaited<ReturnType<V1Handlers['listNetworks']>>['body']['data'][number]
type PoolToken = V1Row<'listPools'>['tokens'][number]

export function networks(context: V1Context): V1Handlers['listNetworks'] {
  const { standing, readiness, extent, catalog, counted, now } = context
  return async () => {
    const { networks: indexed, ...rest } = await standing()
    const counts = await counted()
    const { keptSince } = await extent()
    const data: Network[] = []
    for (const network of indexed) {
      const status = networkStatus(network, rest, now(), readiness)
      const tokens = await tokensOf(network, catalog)
      data.push({
        ...stateOf(status, network),
        ...tokens,
        ...countsOf(network, counts),
        kept_since: timeText(keptSince),
      })
    }
    return { body: { data }, headers: { 'X-Indexed-Block': indexedBlocks(indexed) } }
  }
}

function stateOf(status: ReturnType<typeof networkStatus>, network: NetworkProgress) {
  const { chain_head, indexed_block, indexed_block_time, final_block, lag_blocks, lag_seconds, backfill } = status
  const span = headSpan(network)
  return {
    network: network.network,
    chain_id: network.chainId,
    ready: status.ready,
    proven: status.unproven === null && status.unknown_headers === null,
    chain_head: blockText(chain_head),
    indexed_block: blockText(indexed_block),
    indexed_block_time,
    final_block: blockText(final_block),
    lag_blocks,
    lag_seconds,
    coverage: {
      from_block: blockText(span?.from ?? null),
      since: timeText(span?.fromTime ?? null),
      done_blocks: backfill.done_blocks,
      total_blocks: backfill.total_blocks,
      gaps: status.gaps.length,
    },
  }
}

async function tokensOf({ network, wrappedNative, stablecoins }: NetworkProgress, catalog: TokenCatalog) {
  const known = await catalog.tokens(network, [wrappedNative, ...stablecoins])
  const tokenOf = (address: Address): PoolToken => known.get(address)?.metadata ?? tokenFields(address, undefined)
  const coin = coinOf(network)
  return { coin, wrapped_coin: tokenOf(wrappedNative), stablecoins: stablecoins.map(tokenOf) }
}

export function coinOf(network: NetworkName): PoolToken {
  const { name, symbol, decimals } = NETWORKS[network].native
  return { address: '', symbol, name, decimals: String(decimals) }
}

function countsOf({ network, chainId }: NetworkProgress, { protocols, tokens }: CatalogCounts) {
  const own = protocols.filter((storedProtocol) => storedProtocol.network === network)
  const pools = own.reduce((sum, storedProtocol) => sum + storedProtocol.pools, 0)
  return { pools, tokens: tokens.get(chainId) ?? 0, protocols: own.length }
}

function blockText(number: number | null): string | null {
  return number === null ? null : String(number)
}

function timeText(seconds: number | null): string | null {
  return seconds === null ? null : isoTime(seconds)
}
