import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ApiFixture, NOON, openFixture } from '@dexfeed/api/test/api-fixture'
import { indexerMetrics } from '@dexfeed/indexer/indexer-metrics'
import { diskMetrics } from '@dexfeed/service'
import { temporaryFolder } from '@dexfeed/test-setup'
import { hexNumber, seedNetwork } from '@dexfeed/test-setup/seed'
import { openTcpProxy, type TcpProxy } from '@dexfeed/test-setup/tcp-proxy'
import { type Counter, type Histogram, Registry } from 'prom-client'
import { beforeAll, expect, test } from 'vitest'
import { hasPromtool, promtool, RULES, rules } from './promtool.ts'

//   real API and registries --scrape--> before, healthy, faulty --> series of Prometheus --> promtool: which alerts fire
//
//   minutes  0 ......... 120 ......... 179
//            as healthy       as faulty      a counter grows each minute as much as between two scrapes

type Scrape = ReadonlyMap<string, number>

/** The fault, the only alerts that it must fire, how it is made, and how it ends. */
type Fault = readonly [what: string, fires: readonly string[], make: () => unknown, end?: () => unknown]

/** Alerts that depend on the load of this machine. */
const BY_LOAD = ['ApiSlow', 'ProgramBusy', 'DiskLow']
const HEALTHY_MINUTES = 120
const FAULTY_MINUTES = 60
const EXPRESSIONS = rules.map(({ expr }) => expr).join('\n')
const ENDPOINT = 'https://rpc.example/***'
const FREE_BYTES = 500e9

let api: ApiFixture
let proxy: TcpProxy
const indexer = new Registry()
const counts = indexerMetrics(indexer)('eth')
diskMetrics(indexer, { database: '/' })
/** Samples of other programs, and of faults that a test should not cause: a full disk, a busy machine. */
const others = new Map<string, number>()

const setUp = () => {
  others.clear()
  for (const job of ['api', 'indexer', 'backfill', 'proxy']) others.set(`up{job="${job}",instance="a"}`, 1)
  for (const which of ['ready', 'alive']) others.set(`haproxy_backend_active_servers{proxy="${which}"}`, 2)
}
const request = (items: number, refused: number, failed: number) =>
  counts.onRequest({ endpoint: ENDPOINT, priority: 'bulk', items, refused, failed, waitedMs: 0, budgetPerS: 25 })
const commit = (usdE8: bigint | null) => counts.onCommit({ from: 1, to: 1, trades: [{ usdE8, flags: 0 }] } as never)
const audit = (differences: number) => {
  const found = Array.from({ length: differences }, () => ({}))
  counts.onAudit?.({ from: 1, to: 9, outcome: 'repaired', differences: found } as never)
}
const queue = (workers: number) => counts.onQueue?.({ waiting: 8, taken: 2, failed: 0, workers })
const lake = (waitedS: number) => counts.onLake?.({ written: 5, due: 1, waitedS })
const own = <T>(name: string) => api.registry.getSingleMetric(name) as T

beforeAll(async () => {
  setUp()
  queue(1)
  api = await openFixture({
    async way(url) {
      proxy = await openTcpProxy(url)
      return proxy.url
    },
    fill: (owner) => seedNetwork(owner, network()),
  })
  diskMetrics(api.registry, { lists: '/' })
})

function network(covered: readonly [number, number][] = [[0, 100]]) {
  const place = { start: { number: 1, time: NOON - 99 }, head: { number: 100, time: NOON } }
  const ranges = covered.map(([from, to]) => [from, to, NOON - 100 + from, NOON - 100 + to] as const)
  return { network: 'eth', wrapped: hexNumber(1), ...place, covered: ranges } as const
}

const store = (sql: string) => api.owner.query(sql).then(() => api.committed())
const cover = (ranges: readonly [number, number][]) =>
  seedNetwork(api.owner, network(ranges)).then(() => api.committed())

const set = (values: string) => store(`UPDATE network SET ${values}`)
const upOf = (job: string) => others.set(`up{job="${job}",instance="a"}`, 0)
const replicas = (which: string, count: number) => others.set(`haproxy_backend_active_servers{proxy="${which}"}`, count)
const quotesTake = (seconds: number) =>
  own<Histogram>('dexfeed_api_request_seconds').observe({ method: 'GET', route: '/api/quote', status: 200 }, seconds)

const FAULTS: Fault[] = [
  ['the indexer does not move', ['HeadBehind'], () => api.setTime(NOON + 600), () => api.setTime(NOON)],
  ['a network stopped', ['NetworkStopped'], () => set(`degraded = 'a deep reorg'`), () => set('degraded = NULL')],
  [
    'no endpoint serves receipts',
    ['BlocksUnproven'],
    () => set(`unproven_since = now(), unproven_until = now() + interval '1 hour'`),
    () => set('unproven_since = NULL, unproven_until = NULL'),
  ],
  [
    'headers have unknown fields',
    ['ForkUnknown'],
    () => store(`INSERT INTO unknown_header VALUES (1, 5, '{new}', now(), now() + interval '1 hour')`),
    () => store('DELETE FROM unknown_header'),
  ],
  [
    'the budget is too small for the head',
    ['BudgetShort'],
    () => set(`budget_shortfall = 'allows 1 item per second'`),
    () => set('budget_shortfall = NULL'),
  ],
  ['an endpoint refuses requests', ['EndpointRefuses'], () => request(100, 40, 0)],
  ['an endpoint is down', ['EndpointFails'], () => request(100, 0, 100)],
  ['rows differ from the chain', ['RowsDiffered'], () => audit(3)],
  ['reference prices are missing', ['TradesUnpriced'], () => Array.from({ length: 5 }, () => commit(null))],
  ['history does not come in', ['QueueStuck'], () => cover([[50, 100]]), () => cover([[0, 100]])],
  ['the queue is gone', ['QueueUnreachable'], () => counts.onQueue?.(null), () => queue(1)],
  [
    'history is missing, and no worker runs',
    ['NoWorkers', 'QueueStuck'],
    () => Promise.all([cover([[50, 100]]), queue(0)]),
    () => Promise.all([cover([[0, 100]]), queue(1)]),
  ],
  [
    'the database is gone',
    ['ApiErrors', 'DatabaseGone'],
    async () => {
      await proxy.cut()
      for (let i = 0; i < 3; i++) await api.get('/status')
    },
    async () => {
      await proxy.restore()
      await expect.poll(async () => (await api.get('/readyz')).status).toBe(200)
    },
  ],
  ['a day is not in the lake', ['LakeBehind'], () => lake(7_200), () => lake(0)],
  ['a day is dropped that is not in the lake', ['LakeLost'], () => counts.onLost?.(1)],
  ['the indexer has ended', ['IndexerDown', 'ProgramDown'], () => upOf('indexer')],
  ['a worker has ended', ['ProgramDown'], () => upOf('backfill')],
  ['a replica is away', ['ReplicaAway'], () => replicas('ready', 1)],
  ['all replicas are away', ['NoReplica', 'ReplicaAway'], () => ['ready', 'alive'].map((which) => replicas(which, 0))],
  ['the disk is nearly full', ['DiskLow'], () => others.set('dexfeed_disk_free_bytes{folder="lists",job="api"}', 5e9)],
  ['the API is busy', ['ProgramBusy'], () => others.set('nodejs_eventloop_lag_p99_seconds{job="api"}', 2)],
  ['quotes are slow', ['ApiSlow'], () => quotesTake(8)],
  ['lists break off', ['ListsFail'], () => own<Counter>('dexfeed_api_cut_streams_total').inc({ reason: 'failed' })],
]

test.skipIf(!hasPromtool())('each made fault fires its alerts and no others, and a healthy system none', async () => {
  const tests: object[] = []
  for (const fault of FAULTS) {
    const before = await work()
    const healthy = await work()
    const [, , make, end] = fault
    await make()
    const faulty = await work()
    await end?.()
    setUp()
    tests.push(unitTest(fault, { before, healthy, faulty }))
  }
  const file = join(temporaryFolder(), 'faults.yml')
  // Series are constant or grow steadily, so evaluating every minute would find nothing more.
  writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '5m', tests }))
  const { status, output } = promtool('test', 'rules', file)
  expect([status, output]).toEqual([0, expect.stringContaining('SUCCESS')])
})

test('every alert has a fault that fires it', () => {
  const fired = new Set(FAULTS.flatMap(([, fires]) => fires.map((alert) => `Dexfeed${alert}`)))
  expect([...fired].sort()).toEqual(rules.flatMap(({ alert }) => alert ?? []).sort())
})

async function work(): Promise<Scrape> {
  await api.get('/api/trade_volume_usd_7d')
  request(20, 0, 0)
  commit(1n)
  audit(0)
  const scraped = new Map([...(await samplesOf(api.registry, 'api')), ...(await samplesOf(indexer, 'indexer'))])
  for (const name of scraped.keys()) if (name.startsWith('dexfeed_disk_free_bytes')) scraped.set(name, FREE_BYTES)
  return new Map([...scraped, ...others])
}

async function samplesOf(registry: Registry, job: string): Promise<Scrape> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const samples = lines.map((line): [string, number] => {
    const [, name = '', labels = '', value] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    return [`${name}{${[labels, `job="${job}"`].filter((part) => part !== '').join(',')}}`, Number(value)]
  })
  return new Map(samples.filter(([, value]) => Number.isFinite(value)))
}

function unitTest([what, fires]: Fault, { before, healthy, faulty }: Record<'before' | 'healthy' | 'faulty', Scrape>) {
  const names = [...new Set([...healthy.keys(), ...faulty.keys()])]
  const used = names.filter((series) => EXPRESSIONS.includes(series.split('{', 1)[0] ?? ''))
  const input_series = used.map((series) => ({
    series,
    values: valuesOf(series, before.get(series), healthy.get(series), faulty.get(series)),
  }))
  const ignored = BY_LOAD.filter((alert) => !fires.includes(alert))
  const firing = `ALERTS{alertstate="firing",alertname!~"Dexfeed(${ignored.join('|')})"}`
  const expr = `clamp_max(count by (alertname) (${firing}), 1)`
  const exp_samples = [...fires].sort().map((alert) => ({ labels: `{alertname="Dexfeed${alert}"}`, value: 1 }))
  return {
    name: what,
    interval: '1m',
    input_series,
    promql_expr_test: [
      { expr, eval_time: `${HEALTHY_MINUTES - 1}m`, exp_samples: [] },
      { expr, eval_time: `${HEALTHY_MINUTES + FAULTY_MINUTES - 1}m`, exp_samples },
    ],
  }
}

/** Returns a series in promtool's notation: first value, growth, number of further values. */
function valuesOf(series: string, before: number | undefined, healthy: number | undefined, faulty: number | undefined) {
  const grows = /_(total|count|bucket|sum)\{/.test(series)
  const first = grows ? Math.max(0, (healthy ?? 0) - (before ?? healthy ?? 0)) : 0
  const then = grows ? Math.max(0, (faulty ?? 0) - (healthy ?? 0)) : 0
  const reached = grows ? (healthy ?? 0) + first * HEALTHY_MINUTES : (faulty ?? 0)
  return [
    healthy === undefined ? `_x${HEALTHY_MINUTES}` : `${healthy}+${first}x${HEALTHY_MINUTES - 1}`,
    faulty === undefined ? `_x${FAULTY_MINUTES}` : `${reached}+${then}x${FAULTY_MINUTES - 1}`,
  ].join(' ')
}
