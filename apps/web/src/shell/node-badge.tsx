import type { Status } from '@dexfeed/client'
import { api } from '../data/api.ts'
import { type Resource, useResource } from '../data/use-resource.ts'
import { path } from '../state/place.ts'

const REFRESH_MS = 10_000

/** Says in the header whether the node behind the page is complete and current. Its page says why not. */
export function NodeBadge() {
  const { state } = useResource('node', (signal) => api.call('getStatus', {}, { signal }), { refreshMs: REFRESH_MS })
  const { tone, text } = stateOf(state.value)
  return (
    <a
      class={`badge badge-${tone} node`}
      href="/health"
      title="Health of this node"
      aria-current={path.value === '/health' ? 'page' : undefined}
    >
      <span class="sr-only">Health: </span>
      {text}
    </a>
  )
}

function stateOf({ data, error }: Resource<Status>): { tone: string; text: string } {
  if (error !== null) return { tone: 'danger', text: 'offline' }
  if (data === null) return { tone: 'plain', text: '…' }
  if (data.networks.some(({ degraded }) => degraded !== null)) return { tone: 'danger', text: 'no progress' }
  if (!data.ready) return { tone: 'warning', text: 'catching up' }
  if (data.networks.some(({ unproven }) => unproven !== null)) return { tone: 'warning', text: 'not proven' }
  return { tone: 'good', text: 'up to date' }
}
