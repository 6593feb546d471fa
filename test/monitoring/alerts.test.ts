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
//            as healthy       as faulty      a counter grows per minute as between the two scrapes

type Scrape = ReadonlyMap<string, number>

interface Fault {
  what: string
  make: () => unknown
  fires: readonly string[]
  end?: () => unknown
}

/** These depend on the load of this machine. */
const BY_LOAD = ['DexfeedApiSlow', 'DexfeedProgramBusy', 'DexfeedDiskLow']
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
/** Samples of other programs, and those that a test should not make: a full disk, a busy machine. */
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

const FAULTS: Fault[] = [
  {
    what: 'the indexer does not move',
    make: () => api.setTime(NOON + 600),
    end: () => api.setTime(NOON),
    fires: ['DexfeedHeadBehind'],
  },
  {
    what: 'a network stopped',
    make: () => store(`UPDATE network SET degraded = 'a reorg below the final block'`),
    end: () => store('UPDATE network SET degraded = NULL'),
    fires: ['DexfeedNetworkStopped'],
  },
  {
    what: 'no endpoint serves receipts',
    make: () => store(`UPDATE network SET unproven_since = now(), unproven_until = now() + interval '1 hour'`),
    end: () => store('UPDATE network SET unproven_since = NULL, unproven_until = NULL'),
    fires: ['DexfeedBlocksUnproven'],
  },
  {
    what: 'headers have unknown fields',
    make: () => store(`INSERT INTO unknown_header VALUES (1, 5, '{new}', now(), now() + interval '1 hour')`),
    end: () => store('DELETE FROM unknown_header'),
    fires: ['DexfeedForkUnknown'],
  },
  {
    what: 'the budget is too small for the head',
    make: () => store(`UPDATE network SET budget_shortfall = 'allows 1 item per second'`),
    end: () => store('UPDATE network SET budget_shortfall = NULL'),
    fires: ['DexfeedBudgetShort'],
  },
  { what: 'an endpoint refuses requests', make: () => request(100, 40, 0), fires: ['DexfeedEndpointRefuses'] },
  { what: 'an endpoint is down', make: () => request(100, 0, 100), fires: ['DexfeedEndpointFails'] },
  { what: 'rows differ from the chain', make: () => audit(3), fires: ['DexfeedRowsDiffered'] },
  {
    what: 'reference prices are missing',
    make: () => Array.from({ length: 5 }, () => commit(null)),
    fires: ['DexfeedTradesUnpriced'],
  },
  {
    what: 'history does not come in',
    make: () => cover([[50, 100]]),
    end: () => cover([[0, 100]]),
    fires: ['DexfeedQueueStuck'],
  },
  {
    what: 'the queue is gone',
    make: () => counts.onQueue?.(null),
    end: () => queue(1),
    fires: ['DexfeedQueueUnreachable'],
  },
  {
    what: 'history is missing, and no worker runs',
    make: () => Promise.all([cover([[50, 100]]), queue(0)]),
    end: () => Promise.all([cover([[0, 100]]), queue(1)]),
    fires: ['DexfeedNoWorkers', 'DexfeedQueueStuck'],
  },
  {
    what: 'the database is gone',
    async make() {
      await proxy.cut()
      for (let i = 0; i < 3; i++) await api.get('/status')
    },
    async end() {
      await proxy.restore()
      await expect.poll(async () => (await api.get('/readyz')).status).toBe(200)
    },
    fires: ['DexfeedApiErrors', 'DexfeedDatabaseGone'],
  },
  {
    what: 'the indexer has ended',
    make: () => others.set('up{job="indexer",instance="a"}', 0),
    fires: ['DexfeedIndexerDown', 'DexfeedProgramDown'],
  },
  {
    what: 'a worker has ended',
    make: () => others.set('up{job="backfill",instance="a"}', 0),
    fires: ['DexfeedProgramDown'],
  },
  {
    what: 'a replica is away',
    make: () => others.set('haproxy_backend_active_servers{proxy="ready"}', 1),
    fires: ['DexfeedReplicaAway'],
  },
  {
    what: 'all replicas are away',
    make: () => ['ready', 'alive'].map((which) => others.set(`haproxy_backend_active_servers{proxy="${which}"}`, 0)),
    fires: ['DexfeedNoReplica', 'DexfeedReplicaAway'],
  },
  {
    what: 'the disk is nearly full',
    make: () => others.set('dexfeed_disk_free_bytes{folder="lists",job="api"}', 5e9),
    fires: ['DexfeedDiskLow'],
  },
  {
    what: 'the API is busy',
    make: () => others.set('nodejs_eventloop_lag_p99_seconds{job="api"}', 2),
    fires: ['DexfeedProgramBusy'],
  },
  {
    what: 'quotes are slow',
    make: () =>
      own<Histogram>('dexfeed_api_request_seconds').observe({ method: 'GET', route: '/api/quote', status: 200 }, 8),
    fires: ['DexfeedApiSlow'],
  },
  {
    what: 'lists break off',
    make: () => own<Counter>('dexfeed_api_cut_streams_total').inc({ reason: 'failed' }),
    fires: ['DexfeedListsFail'],
  },
]

test.skipIf(!hasPromtool())('each made fault fires its alerts and no others, and a healthy system none', async () => {
  const tests: object[] = []
  for (const fault of FAULTS) {
    const before = await work()
    const healthy = await work()
    await fault.make()
    const faulty = await work()
    await fault.end?.()
    setUp()
    tests.push(unitTest(fault, { before, healthy, faulty }))
  }
  const file = join(temporaryFolder(), 'faults.yml')
  // Series are constant or grow steadily, so each minute would find nothing more.
  writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '5m', tests }))
  const { status, output } = promtool('test', 'rules', file)
  expect([status, output]).toEqual([0, expect.stringContaining('SUCCESS')])
})

test('every alert has a fault that fires it', () => {
  const fired = new Set(FAULTS.flatMap(({ fires }) => fires))
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

function unitTest(
  { what, fires }: Fault,
  { before, healthy, faulty }: Record<'before' | 'healthy' | 'faulty', Scrape>,
) {
  const names = [...new Set([...healthy.keys(), ...faulty.keys()])]
  const used = names.filter((series) => EXPRESSIONS.includes(series.split('{', 1)[0] ?? ''))
  const input_series = used.map((series) => ({
    series,
    values: valuesOf(series, before.get(series), healthy.get(series), faulty.get(series)),
  }))
  const ignored = BY_LOAD.filter((alert) => !fires.includes(alert))
  const firing = `ALERTS{alertstate="firing",alertname!~"${ignored.join('|')}"}`
  const expr = `clamp_max(count by (alertname) (${firing}), 1)`
  const exp_samples = [...fires].sort().map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 }))
  return {
    ...{ name: what, interval: '1m', input_series },
    promql_expr_test: [
      { expr, eval_time: `${HEALTHY_MINUTES - 1}m`, exp_samples: [] },
      { expr, eval_time: `${HEALTHY_MINUTES + FAULTY_MINUTES - 1}m`, exp_samples },
    ],
  }
}

/** In promtool's notation: first value, growth, further values. */
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
