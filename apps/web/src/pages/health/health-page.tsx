import type { NetworkStatus } from '@dexfeed/client'
import { api } from '../../data/api.ts'
import { useResource } from '../../data/use-resource.ts'
import { NETWORKS } from '../../format/networks.ts'
import { durationText, utcText } from '../../format/time.ts'
import { Ago } from '../../ui/ago.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Fact } from '../../ui/fact.tsx'
import { ExplorerLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty, Notice } from '../../ui/notices.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { CoverageBar } from './coverage-bar.tsx'
import { Endpoints } from './endpoints.tsx'
import { UnreadVenues } from './unread-venues.tsx'

const REFRESH_MS = 5_000

/** Shows coverage, backlog, proofs and unread venues to operators. */
export function HealthPage() {
  const { state, reload } = useResource('health', (signal) => api.call('getStatus', {}, { signal }), {
    refreshMs: REFRESH_MS,
  })
  return (
    <>
      <h1>Health</h1>
      <Loaded {...{ state, reload }} what="The status" skeleton={<Skeleton lines={6} tall />}>
        {({ networks }) => (
          <>
            {networks.length === 0 && (
              <Empty title="No network is indexed yet.">The indexer has not written its first block.</Empty>
            )}
            {networks.map((network) => (
              <NetworkHealth key={network.network} network={network} />
            ))}
          </>
        )}
      </Loaded>
    </>
  )
}

function NetworkHealth({ network }: { network: NetworkStatus }) {
  const { network: name, backfill } = network
  return (
    <Card
      title={NETWORKS[name].label}
      actions={network.ready ? <Badge tone="good">ready</Badge> : <Badge tone="warning">not ready</Badge>}
    >
      <Problems network={network} />
      <CoverageBar network={network} />
      <dl class="figures padded">
        <Fact name="Indexed block">
          {network.indexed_block === null ? (
            '–'
          ) : (
            <ExplorerLink network={name} kind="block" id={String(network.indexed_block)} />
          )}
        </Fact>
        <Fact name="Age">{network.indexed_block_time === null ? '–' : <Ago iso={network.indexed_block_time} />}</Fact>
        <Fact name="Blocks to the head">{network.lag_blocks === null ? '–' : String(network.lag_blocks)}</Fact>
        <Fact name="Final block">{network.final_block ?? '–'}</Fact>
        <Fact name="History">
          {backfill.done_blocks} of {backfill.total_blocks} blocks
          {backfill.blocks_per_s !== null && `, ${backfill.blocks_per_s.toFixed(1)} a second`}
          {backfill.eta_seconds !== null && backfill.eta_seconds > 0 && `, ${durationText(backfill.eta_seconds)} left`}
        </Fact>
        <Fact name="Pool states to read">{network.pools_without_state}</Fact>
        <Fact name="Jobs of history">{queueText(network.queue)}</Fact>
      </dl>
      <Endpoints network={network} />
      <UnreadVenues network={network} />
    </Card>
  )
}

function queueText(queue: NetworkStatus['queue']): string {
  if (queue === null) return '–'
  const { waiting, taken, failed, workers } = queue
  const jobs = `${waiting} waiting, ${taken} taken, ${failed} failed`
  return workers === null ? jobs : `${jobs}; ${workers} workers`
}

function Problems({ network }: { network: NetworkStatus }) {
  const { degraded, unproven, unknown_headers: headers, budget_shortfall: budget, awaiting_keys: keys } = network
  return (
    <div class="problems">
      {degraded !== null && (
        <Notice tone="danger" title="It makes no progress.">
          {degraded}
        </Notice>
      )}
      {unproven !== null && (
        <Notice tone="warning" title={`Blocks are read without proof since ${utcText(unproven)}.`}>
          No endpoint serves receipts of whole blocks.
        </Notice>
      )}
      {headers !== null && (
        <Notice tone="warning" title={`Headers from block ${headers.from_block} on have unknown fields.`}>
          The chain has forked: update dexfeed. Fields: {headers.fields.join(', ')}
        </Notice>
      )}
      {budget !== null && (
        <Notice tone="warning" title="A budget of requests is too low to follow the head.">
          {budget}
        </Notice>
      )}
      {keys !== null && (
        <Notice title={`${keys.blocks} blocks wait for the keys of ${keys.pools} pools.`}>
          They are looked for in old logs since {utcText(keys.since)}.
        </Notice>
      )}
    </div>
  )
}
