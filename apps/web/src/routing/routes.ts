import type { ComponentType } from 'preact'
import { networkOf } from '../format/networks.ts'
import { OverviewPage } from '../pages/overview/overview-page.tsx'
import type { PathParts } from '../state/place.ts'

export type PageComponent = ComponentType<{ parts: PathParts }>

export interface Route {
  title: string
  pattern: RegExp
  /** Loads the page's code. The first bundle contains the overview's code. */
  load: () => Promise<PageComponent> | PageComponent
}

const ROUTES: readonly Route[] = [
  { title: 'Market', pattern: /^\/$/, load: () => OverviewPage },
  {
    title: 'Tokens',
    pattern: /^\/tokens$/,
    load: async () => (await import('../pages/lists/tokens-page.tsx')).TokensPage,
  },
  {
    title: 'Pools',
    pattern: /^\/pools$/,
    load: async () => (await import('../pages/lists/pools-page.tsx')).PoolsPage,
  },
  {
    title: 'Trader',
    pattern: /^\/trader\/(?<address>0x[0-9a-fA-F]{40})$/,
    load: async () => (await import('../pages/trader/trader-page.tsx')).TraderPage,
  },
  {
    title: 'Trade',
    pattern: /^\/trade$/,
    load: async () => (await import('../pages/trade/trade-page.tsx')).TradePage,
  },
  {
    title: 'Explain',
    pattern: /^\/explain$/,
    load: async () => (await import('../pages/explain/explain-page.tsx')).ExplainPage,
  },
  {
    title: 'Health',
    pattern: /^\/health$/,
    load: async () => (await import('../pages/health/health-page.tsx')).HealthPage,
  },
  {
    title: 'Guide',
    pattern: /^\/docs(?:\/guide(?:\/[\w-]+)?)?$/,
    load: async () => (await import('../pages/docs/docs-page.tsx')).DocsPage,
  },
  {
    title: 'Pool',
    pattern: /^\/pool\/(?<network>[a-z]+)\/(?<address>[^/]+)$/,
    load: async () => (await import('../pages/pool/pool-page.tsx')).PoolPage,
  },
  {
    title: 'Token',
    pattern: /^\/token\/(?<network>[a-z]+)\/(?<address>[^/]+)$/,
    load: async () => (await import('../pages/token/token-page.tsx')).TokenPage,
  },
]

export function routeOf(path: string): { route: Route; parts: PathParts } | null {
  const plain = path.length > 1 ? path.replace(/\/$/, '') : path
  for (const route of ROUTES) {
    const match = route.pattern.exec(plain)
    if (match === null) continue
    if (match.groups?.network !== undefined && networkOf(match.groups.network) === null) continue
    const parts = Object.entries(match.groups ?? {}).map(([name, part]) => [name, decoded(part)])
    return { route, parts: Object.fromEntries(parts) }
  }
  return null
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
