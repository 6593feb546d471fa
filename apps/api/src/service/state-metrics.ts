import type { NetworkName } from '@dexfeed/dex'
import { Gauge, type Registry } from 'prom-client'
import { networkStatus, type Readiness } from './readiness.ts'
import { type CachedProgress, soon } from './service-routes.ts'

export interface StateMetricsOptions {
  standing: CachedProgress
  readiness: Readiness
  now: () => number
}

/** Adds what `/status` reports, so that alerts need no indexer and notice an unresponsive database. */
export function stateMetrics(registry: Registry, { standing, readiness, now }: StateMetricsOptions): void {
  const networks = async () => {
    const time = now()
    const { networks: indexed, ...rest } = await soon(standing())
    return indexed.map((network) => networkStatus(network, rest, time, readiness))
  }
  const registers = [registry]
  new Gauge({
    name: 'dexfeed_api_database_up',
    help: 'Whether the database responds to the API within 1.5 seconds: 1 or 0.',
    registers,
    async collect() {
      const responds = await networks().then(
        () => true,
        () => false,
      )
      this.set(responds ? 1 : 0)
    },
  })
  new Gauge({
    name: 'dexfeed_api_network_state',
    help: 'States of /status: ready, degraded, unproven, unknown_headers, budget_shortfall; 1: yes, 0: no.',
    labelNames: ['network', 'state'] as const,
    registers,
    async collect() {
      this.reset()
      for (const each of await networks().catch(() => [])) {
        for (const [state, value] of Object.entries(statesOf(each)))
          this.set({ network: each.network as NetworkName, state }, value ? 1 : 0)
      }
    },
  })
  new Gauge({
    name: 'dexfeed_api_missing_blocks',
    help: 'Final blocks since the start of the network that are not indexed.',
    labelNames: ['network'] as const,
    registers,
    async collect() {
      this.reset()
      for (const { network, backfill } of await networks().catch(() => []))
        this.set({ network }, backfill.total_blocks - backfill.done_blocks)
    },
  })
}

function statesOf(status: ReturnType<typeof networkStatus>): Record<string, boolean> {
  return {
    ready: status.ready,
    degraded: status.degraded !== null,
    unproven: status.unproven !== null,
    unknown_headers: status.unknown_headers !== null,
    budget_shortfall: status.budget_shortfall !== null,
  }
}
