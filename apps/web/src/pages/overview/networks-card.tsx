import type { NetworkStatus } from '@dexfeed/client'
import { api } from '../../data/api.ts'
import { useResource } from '../../data/use-resource.ts'
import { NETWORKS } from '../../format/networks.ts'
import { durationText } from '../../format/time.ts'
import { Ago } from '../../ui/ago.tsx'
import { Badge, NetworkBadge } from '../../ui/badge.tsx'
import { ExplorerLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty, Notice } from '../../ui/notices.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

const REFRESH_MS = 5_000

export function NetworksCard() {
  const { state, reload } = useResource('status', (signal) => api.call('getStatus', {}, { signal }), {
    refreshMs: REFRESH_MS,
  })
  return (
    <Loaded {...{ state, reload }} what="The networks" skeleton={<Skeleton lines={4} room="tiles" />}>
      {({ networks }) =>
        networks.length === 0 ? (
          <Empty title="No network is indexed yet.">The indexer has not written its first block.</Empty>
        ) : (
          <>
            {networks.flatMap(({ network, degraded }) =>
              degraded === null
                ? []
                : [
                    <Notice key={network} tone="warning" title={`${NETWORKS[network].label} makes no progress.`}>
                      {degraded}
                    </Notice>,
                  ],
            )}
            <div class="tiles">
              {networks.map((network) => (
                <NetworkTile key={network.network} network={network} />
              ))}
            </div>
          </>
        )
      }
    </Loaded>
  )
}

function NetworkTile({ network }: { network: NetworkStatus }) {
  const { network: name, indexed_block: block, indexed_block_time: time, lag_blocks: lag, backfill, unproven } = network
  return (
    <section class="card tile" aria-label={name}>
      <header class="tile-head">
        <NetworkBadge network={name} />
        {network.ready ? <Badge tone="good">ready</Badge> : <Badge tone="warning">not ready</Badge>}
      </header>
      <p class="tile-figure">
        {block === null ? '–' : <ExplorerLink network={name} kind="block" id={String(block)} />}
      </p>
      <dl class="facts">
        <div>
          <dt>Age</dt>
          <dd>{time === null ? '–' : <Ago iso={time} />}</dd>
        </div>
        <div>
          <dt>Behind</dt>
          <dd>{lag === null ? '–' : `${lag} blocks`}</dd>
        </div>
        <div>
          <dt>Covered</dt>
          <dd>
            {backfill.done_blocks} of {backfill.total_blocks}
            {backfill.eta_seconds !== null &&
              backfill.eta_seconds > 0 &&
              `, ${durationText(backfill.eta_seconds)} left`}
          </dd>
        </div>
        <div>
          <dt>Pools to read</dt>
          <dd>{network.pools_without_state}</dd>
        </div>
        <div>
          <dt>Blocks</dt>
          <dd>{unproven === null ? 'proven' : 'not proven'}</dd>
        </div>
      </dl>
    </section>
  )
}
