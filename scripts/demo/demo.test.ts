import { once } from 'node:events'
import { createServer } from 'node:net'
import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import { checkApiEnvironment, checkIndexerEnvironment } from '@dexfeed/service'
import { expect, test } from 'vitest'
import { childEnvironment } from './child-environment.ts'
import { choosePort } from './demo-settings.ts'
import { summarize, summaryLine, summaryTable } from './summary.ts'

const chains = Object.fromEntries(
  NETWORK_NAMES.map((network, i) => [
    network,
    { rpcUrl: `http://127.0.0.1:${i + 1}`, wsUrl: `ws://127.0.0.1:${i + 1}` },
  ]),
) as Record<NetworkName, { rpcUrl: string; wsUrl: string }>
const token = '0x0000000000000000000000000000000000000001'
const dexConfig = JSON.stringify(
  Object.fromEntries(
    Object.keys(chains).map((network) => [
      network,
      {
        wrappedNative: token,
        stablecoins: ['0x0000000000000000000000000000000000000002'],
        dexes: [{ name: 'v2', kind: 'uniswap-v2', factory: token, feeBps: 30 }],
        tokens: [],
        finalityDepth: 64,
      },
    ]),
  ),
)

test("the demo's programs get no settings of real networks", () => {
  const real = {
    ETH_RPC_URL: 'https://real.example/key',
    NETWORKS: 'eth',
    START_BLOCK: 'eth:19000000',
    BACKFILL_DAYS: '365',
    DATABASE_URL_FILE: '/run/secrets/database',
    API_DATABASE_URL: 'postgres://api@db.example/dexfeed',
    REDIS_URL: 'redis://queue.example',
    SECRETS_DIR: '/run/secrets',
    METRICS_PORT: '9000',
    RATE_LIMIT_PER_S: '1',
    API_KEYS: 'dashboard:a-secret-of-the-dashboard:1',
    PORT: '80',
  }
  const own = { databaseUrl: 'postgres://demo@127.0.0.1/demo', host: '127.0.0.1', port: 4000, logLevel: 'warn' }
  const environment = { ...real, ...childEnvironment({ chains, dexConfigFile: '/dex-config.json' }, own) }
  const readFile = () => dexConfig

  const indexer = checkIndexerEnvironment(environment, readFile)
  expect(indexer.problems).toBeUndefined()
  expect(indexer.settings).toMatchObject({
    databaseUrl: own.databaseUrl,
    backfillDays: 8,
    redisUrl: null,
    metricsPort: null,
    logLevel: 'warn',
  })
  expect(indexer.settings?.networks.map(({ network, startBlock }) => [network, startBlock])).toEqual([
    ['eth', null],
    ['bsc', null],
    ['polygon', null],
    ...NETWORK_NAMES.slice(3).map((network) => [network, null]),
  ])
  const api = checkApiEnvironment(environment, readFile)
  expect(api.settings).toMatchObject({
    port: 4000,
    host: '127.0.0.1',
    apiDatabaseUrl: null,
    rateLimitPerS: 200,
    apiKeys: [],
  })
})

test('an error for a port in use suggests another one, 0 gives a free one', async () => {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const taken = typeof address === 'object' ? (address?.port ?? 0) : 0
  await expect(choosePort('127.0.0.1', taken)).rejects.toThrow(`port ${taken} is taken; choose another one`)
  server.close()
  const free = await choosePort('127.0.0.1', 0)
  expect(free).toBeGreaterThan(0)
  expect(await choosePort('127.0.0.1', free)).toBe(free)
})

test('the summary shows each network and the day', () => {
  const status = {
    networks: [
      { network: 'eth', chain_head: 412, indexed_block: 411 },
      { network: 'bsc', chain_head: null, indexed_block: null },
    ],
  }
  const totals = new Map([['eth', { swaps: 312, usdE8: 123_456_789_999_999n }]])
  const summary = summarize(status, totals, { usd: '98765.43210000', addresses: '31' })
  expect(summaryLine(summary)).toBe(
    'eth head 412 indexed 411 swaps 312 USD 1,234,567 | bsc head - indexed - swaps 0 USD 0' +
      ' | today 98,765 USD, 31 addresses',
  )
  expect(summaryTable(summary)).toEqual([
    '  network        head   indexed   swaps 24h           USD 24h',
    '  eth             412       411         312         1,234,567',
    '  bsc               -         -           0                 0',
    '  today: 98,765 USD by 31 addresses',
  ])
})
