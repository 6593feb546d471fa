import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiMetrics } from '@dexfeed/api/metrics'
import { stateMetrics } from '@dexfeed/api/state-metrics'
import { indexerMetrics } from '@dexfeed/indexer/indexer-metrics'
import { diskMetrics, projectRoot } from '@dexfeed/service'
import { temporaryFolder } from '@dexfeed/test-setup'
import { hasHaproxy, startHaproxy } from '@dexfeed/test-setup/haproxy'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { hasPromtool, promtool, rules } from './promtool.ts'

interface Metric {
  name: string
  type: string
  help: string
  labelNames: string[]
}

const DASHBOARDS = join(projectRoot(), 'monitoring/grafana/dashboards')
const GUIDE = join(projectRoot(), 'docs/guide/monitoring.md')
const KEYWORDS = ['and', 'or', 'unless', 'offset', 'by', 'on']

const api = metricsOf((registry) => {
  const now = () => 0
  apiMetrics(registry, () => [], now)
  const standing = () => Promise.reject(new Error('not read'))
  stateMetrics(registry, { standing, readiness: { maxAgeS: 120, readyPools: 0 }, now })
  diskMetrics(registry, {})
})
const indexer = metricsOf((registry) => {
  indexerMetrics(registry)('eth')
  diskMetrics(registry, {})
})
const dashboards = readdirSync(DASHBOARDS).map((file) => JSON.parse(readFileSync(join(DASHBOARDS, file), 'utf8')))
const shown: string[] = dashboards
  .flatMap(({ panels }) => panels)
  .flatMap(({ targets = [] }) => targets.map(({ expr }: { expr: string }) => expr))
const used = new Set([...rules.map(({ expr }) => expr), ...shown].flatMap(namesIn))

test('every metric of the alerts and dashboards is one that the programs register', () => {
  const registered = [...api, ...indexer].flatMap(({ name, type }) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  )
  const recorded = rules.flatMap(({ record }) => record ?? [])
  const others = [...used].filter((name) => ![...registered, ...recorded].includes(name))
  expect(used.size).toBeGreaterThan(40)
  expect(others.sort()).toEqual([...HAPROXY, 'up'].sort())
})

const HAPROXY = [
  'haproxy_backend_active_servers',
  'haproxy_frontend_current_sessions',
  'haproxy_frontend_http_responses_total',
]

test.skipIf(!hasHaproxy())('the metrics of the proxy are those of HAProxy', async () => {
  const proxy = await startHaproxy(1, [])
  for (const name of HAPROXY) expect([name, (await proxy.metric(name)).length]).toEqual([name, expect.any(Number)])
  for (const name of HAPROXY) expect(await proxy.metric(name), name).not.toEqual([])
})

test('every metric of dexfeed is on a dashboard, in an alert, or named as left out', () => {
  const own = new Set([...api, ...indexer].map(({ name }) => name).filter((name) => name.startsWith('dexfeed_')))
  const seen = [...own].filter((name) => [...used].some((text) => text.replace(/_(bucket|count|sum)$/, '') === name))
  expect([...own].filter((name) => !seen.includes(name)).sort()).toEqual([
    // Positions and totals, which other metrics show as an age or a share.
    'dexfeed_audit_block',
    'dexfeed_audit_blocks_total',
    'dexfeed_audit_unsettled_total',
    'dexfeed_backfill_done_blocks',
    'dexfeed_backfill_old_blocks',
    'dexfeed_backfill_total_blocks',
    'dexfeed_indexed_block',
    'dexfeed_lake_due_days',
    'dexfeed_lake_written_days',
    'dexfeed_pools_compared_total',
    'dexfeed_unknown_header_block',
    'dexfeed_wash_flagged_pools',
  ])
})

// `npm test -- test/monitoring -u` updates the tables.
test('the guide lists every metric and explains every alert', async () => {
  const page = readFileSync(GUIDE, 'utf8')
  const tables = { indexer, api } as const
  const expected = Object.entries(tables).reduce(
    (text, [program, metrics]) =>
      text.replace(new RegExp(`(<!-- metrics: ${program} -->\n)(\\|.*\n)*`), (_, mark) => `${mark}${tableOf(metrics)}`),
    page,
  )
  await expect(expected).toMatchFileSnapshot(GUIDE)
  const explained = [...page.matchAll(/^\| `(Dexfeed\w+)` \| (critical|warning) \|/gm)].map(([, name, how]) => [
    name,
    how,
  ])
  const alerts = rules.filter(({ alert }) => alert !== undefined).map(({ alert, labels }) => [alert, labels?.severity])
  expect(explained.sort()).toEqual(alerts.sort())
})

test.skipIf(!hasPromtool())('Prometheus reads every rule, and every query of the dashboards', () => {
  const queries = shown.map((expr, i) => ({
    record: `panel:${i}`,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$network', '.*'),
  }))
  const file = join(temporaryFolder(), 'queries.yml')
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'all', rules: [...rules, ...queries] }] }))
  const { status, output } = promtool('check', 'rules', file)
  expect([status, output]).toEqual([0, expect.stringContaining(`${rules.length + queries.length} rules found`)])
})

function metricsOf(register: (registry: Registry) => void): Metric[] {
  const registry = new Registry()
  register(registry)
  return registry.getMetricsAsArray() as unknown as Metric[]
}

function namesIn(query: string): string[] {
  const bare = query
    .replace(/"[^"]*"/g, '')
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .replace(/\b(by|on) ?\([^)]*\)/g, '')
    .replace(/\b\d[\w.]*/g, '')
  const names = [...bare.matchAll(/[a-zA-Z_:][\w:]*(?!\w*\s*\()/g)].map(([name]) => name)
  return names.filter((name) => !KEYWORDS.includes(name) && !new RegExp(`\\b${name} ?\\(`).test(bare))
}

function tableOf(metrics: readonly Metric[]): string {
  const rows = metrics
    .filter(({ name }) => name.startsWith('dexfeed_'))
    .map(({ name, labelNames, help }) => {
      const labels = labelNames.filter((label) => label !== 'le').map((label) => `\`${label}\``)
      return `| \`${name}\` | ${labels.join(', ')} | ${help.replace(/\.$/, '')} |\n`
    })
  return ['| metric | labels | meaning |\n', '| --- | --- | --- |\n', ...rows].join('')
}
