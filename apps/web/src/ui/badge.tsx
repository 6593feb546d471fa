import type { ComponentChildren } from 'preact'
import { NETWORKS, type NetworkName } from '../format/networks.ts'

type Tone = 'plain' | 'good' | 'warning' | 'danger'

interface BadgeProps {
  tone?: Tone
  title?: string
  children: ComponentChildren
}

export function Badge({ tone = 'plain', title, children }: BadgeProps) {
  return (
    <span class={`badge badge-${tone}`} title={title}>
      {children}
    </span>
  )
}

export function NetworkBadge({ network }: { network: NetworkName }) {
  return (
    <span class={`network network-${network}`}>
      <i aria-hidden="true" />
      {NETWORKS[network].label}
    </span>
  )
}
