import { describe, expect, test } from 'vitest'
import {
  checkApiEnvironment,
  checkChainEnvironment,
  checkIndexerEnvironment,
  checkLakeEnvironment,
  checkMigrateEnvironment,
  checkStackEnvironment,
} from './check-environment.ts'

const RPC = { ETH_RPC_URL: 'https://rpc.example/v3/KEY' }
const ZERO = '0x0000000000000000000000000000000000000001'

/** Returns a reader of these files by path; every other path is missing. */
function filesOf(files: Record<string, string> = {}) {
  return (path: string) => {
    const text = files[path]
    if (text === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' })
    return text
  }
}

const indexer = (environment: Record<string, string>, files?: Record<string, string>) =>
  checkIndexerEnvironment(environment, filesOf(files))
const api = (environment: Record<string, string>) => checkApiEnvironment(environment, filesOf())

describe('the lake', () => {
  const lake = (environment: Record<string, string>, files?: Record<string, string>) =>
    checkLakeEnvironment(environment, filesOf(files))
  const BUCKET = { LAKE_URL: 's3://my-bucket/a/b/', LAKE_ACCESS_KEY_ID: 'ID', LAKE_SECRET_ACCESS_KEY: 'SECRET' }

  test('is a folder, or a bucket with its credentials', () => {
    expect(lake({ LAKE_URL: '/data/lake' }).settings).toMatchObject({
      lake: { folder: '/data/lake' },
      clickHouse: { user: 'default', password: '' },
      databaseUrl: null,
    })
    const keys = { accessKeyId: 'ID', secretAccessKey: 'SECRET' }
    const bucket = { bucket: 'my-bucket', prefix: 'a/b/', endpoint: null, region: 'us-east-1', ...keys }
    expect(lake(BUCKET).settings?.lake).toEqual(bucket)
    const own = { LAKE_URL: 's3://my-bucket', LAKE_ENDPOINT: 'http://minio:9000', LAKE_REGION: 'eu' }
    expect(lake({ ...BUCKET, ...own }).settings?.lake).toEqual({
      ...{ ...bucket, prefix: '', region: 'eu' },
      endpoint: 'http://minio:9000',
    })
    const { LAKE_SECRET_ACCESS_KEY: _, ...others } = BUCKET
    const fromFile = lake({ ...others, LAKE_SECRET_ACCESS_KEY_FILE: '/secret' }, { '/secret': 'SECRET' })
    expect(fromFile.settings?.lake).toEqual(bucket)
  })

  test('says what is missing or wrong, without secrets', () => {
    expect(lake({}).problems).toEqual(['LAKE_URL: is not set; it says where to write the lake'])
    expect(lake({ LAKE_URL: 's3://my-bucket' }).problems).toEqual([
      'LAKE_ACCESS_KEY_ID: is not set; the bucket needs it',
      'LAKE_SECRET_ACCESS_KEY: is not set; the bucket needs it',
    ])
    for (const url of ['s3://', 's3://My/x', "s3://my-bucket/it's", 'gs://my-bucket', 'https://key@host/x']) {
      expect(lake({ ...BUCKET, LAKE_URL: url }).problems).toEqual(['LAKE_URL: must be a folder, or s3://bucket/prefix'])
    }
  })
})

describe('the indexer', () => {
  test('needs nothing but one RPC URL', () => {
    const { settings } = indexer(RPC)
    expect(settings).toMatchObject({
      databaseUrl: null,
      redisUrl: null,
      host: '127.0.0.1',
      metricsPort: null,
      backfillDays: 7,
      pollMs: 500,
      logLevel: 'info',
      warnings: [],
    })
    expect(settings?.networks).toMatchObject([
      { network: 'eth', rpcUrls: ['https://rpc.example/v3/KEY'], startBlock: null, deployment: { network: 'eth' } },
    ])
  })

  test('proves all of history unless PROVE_HISTORY names a share of it', () => {
    const given = ['', 'all', '1', '0.5%', '0', '100']
    const shares = given.map((share) => indexer({ ...RPC, PROVE_HISTORY: share }).settings?.proveHistory)
    expect(shares).toEqual([null, 1, 0.01, 0.005, 0, 1])
    expect(indexer({ ...RPC, PROVE_HISTORY: '101' }).problems).toEqual([
      'PROVE_HISTORY: must be all or a percentage of the blocks (5, 0.1), not "101"',
    ])
  })

  test('audits unless AUDIT is off, and keeps rows for 30 days by default', () => {
    expect(indexer(RPC).settings).toMatchObject({ audit: true, retentionDays: 30, hasLake: false })
    expect(indexer({ ...RPC, LAKE_URL: 's3://lake' }).settings?.hasLake).toBe(true)
    const all = { ...RPC, RETENTION_DAYS: 'All', BACKFILL_DAYS: '400' }
    expect(indexer(all).settings).toMatchObject({ retentionDays: null, warnings: [] })
    const given = { ...RPC, AUDIT: 'OFF', RETENTION_DAYS: '8', BACKFILL_DAYS: '30' }
    expect(indexer(given).settings).toMatchObject({
      audit: false,
      retentionDays: 8,
      warnings: ['BACKFILL_DAYS: is 30, but RETENTION_DAYS keeps 8 days: no more are indexed'],
    })
    expect(indexer({ ...RPC, RESTORE_SINCE: '1970-02-01' }).settings?.restoreSince).toBe(31)
    expect(indexer({ ...RPC, AUDIT: 'no', RETENTION_DAYS: '7', RESTORE_SINCE: '2026-02-30' }).problems).toEqual([
      'RESTORE_SINCE: must be a date (YYYY-MM-DD), not "2026-02-30"',
      'AUDIT: must be on or off, not "no"',
      'RETENTION_DAYS: must be all or a whole number from 8 to 36500, not "7"',
    ])
  })

  test('without any RPC URL has no network to index', () => {
    expect(indexer({}).problems).toEqual([
      expect.stringMatching(
        /^ETH_RPC_URL, BSC_RPC_URL, POLYGON_RPC_URL\b.*: none is set; at least one network is required \(cp .env.example .env, then set one\)$/,
      ),
    ])
  })

  test('takes empty and blank variables for unset ones', () => {
    expect(indexer({ ...RPC, DATABASE_URL: '', POLL_MS: ' ', NETWORKS: '', DEX_CONFIG: '' }).settings).toMatchObject({
      databaseUrl: null,
      pollMs: 500,
      networks: [{ network: 'eth' }],
    })
  })

  test('keeps the order of the URLs and drops repetitions', () => {
    const url = ' ws://a:1, http://b:2 ,https://c/k,http://b:2,'
    expect(indexer({ BSC_RPC_URL: url }).settings?.networks).toMatchObject([
      { network: 'bsc', rpcUrls: ['ws://a:1', 'http://b:2', 'https://c/k'] },
    ])
  })

  test('indexes only the networks that NETWORKS names, in whatever case', () => {
    const urls = { ...RPC, BSC_RPC_URL: 'http://b', POLYGON_RPC_URL: 'http://p' }
    const { settings } = indexer({ ...urls, NETWORKS: 'Polygon, ETH' })
    expect(settings?.networks.map(({ network }) => network)).toEqual(['eth', 'polygon'])
  })

  test.each([
    [
      'an unknown network',
      { NETWORKS: 'eth,nowhere,solana' },
      ['NETWORKS: "nowhere" is unknown', 'NETWORKS: "solana" is'],
    ],
    ['a list of nothing', { NETWORKS: ',' }, ['NETWORKS: names no network']],
    ['a network without RPC URL', { NETWORKS: 'eth,bsc' }, ['BSC_RPC_URL: is not set, but NETWORKS names bsc']],
    ['no URL', { ETH_RPC_URL: ' , ' }, ['ETH_RPC_URL: names no URL']],
    [
      'text for a URL',
      { ETH_RPC_URL: 'localhost:8545' },
      ['ETH_RPC_URL: is not a URL (http://, https://, ws://, wss://)'],
    ],
    ['one slash', { ETH_RPC_URL: 'http:/x' }, ['ETH_RPC_URL: is not a URL']],
    [
      'another scheme',
      { ETH_RPC_URL: 'ftp://x' },
      ['ETH_RPC_URL: must begin with http://, https://, ws://, wss://, not ftp'],
    ],
    [
      'WebSockets alone',
      { ETH_RPC_URL: 'wss://x/KEY' },
      ['ETH_RPC_URL: needs at least one http:// or https:// URL beside wss'],
    ],
    ['a half number', { POLL_MS: '1.5' }, ['POLL_MS: must be a whole number from 10 to 60000, not "1.5"']],
    ['a number out of bounds', { BACKFILL_DAYS: '99999' }, ['BACKFILL_DAYS: must be a whole number from 0 to 36500']],
    ['a block without network', { START_BLOCK: '17' }, ['START_BLOCK: must be a list of network:block']],
    ['a block of an unknown network', { START_BLOCK: 'nowhere:17' }, ['START_BLOCK: must be a list of network:block']],
    ['two blocks of one network', { START_BLOCK: 'eth:1,eth:2' }, ['START_BLOCK: names eth twice']],
    [
      'another database',
      { DATABASE_URL: 'mysql://u:pw@h/d' },
      ['DATABASE_URL: must begin with postgres://, postgresql://, not'],
    ],
    ['another queue', { REDIS_URL: 'http://h' }, ['REDIS_URL: must begin with redis://, rediss://, not http://']],
    ['an unknown level', { LOG_LEVEL: 'loud' }, ['LOG_LEVEL: must be one of fatal, error, warn']],
    ['a port out of bounds', { METRICS_PORT: '65536' }, ['METRICS_PORT: must be a whole number from 0 to 65535']],
    ['a host with a path', { HOST: 'a/b' }, ['HOST: must be a host name or an address, not "a/b"']],
    ['a missing file', { DEX_CONFIG: 'no.json' }, ['DEX_CONFIG: cannot read "no.json" (ENOENT)']],
  ])('refuses %s', (_, environment, expected) => {
    const { problems } = indexer({ ...RPC, ...environment } as unknown as Record<string, string>)
    expect(problems).toHaveLength(expected.length)
    expected.forEach((start, at) => {
      expect(problems?.[at]?.startsWith(start), problems?.[at]).toBe(true)
    })
  })

  test('reports every problem together, one line each', () => {
    const { problems } = indexer({
      ETH_RPC_URL: 'htp://x,wss://y',
      BSC_RPC_URL: 'bsc',
      NETWORKS: 'eth,bsc,polygon,tron',
      DATABASE_URL: 'nonsense',
      POLL_MS: 'fast',
      DEX_CONFIG: 'broken.json',
    })
    expect(problems?.map((line) => line.split(':')[0])).toEqual([
      'DATABASE_URL',
      'ETH_RPC_URL',
      'BSC_RPC_URL',
      'NETWORKS',
      'POLL_MS',
      'DEX_CONFIG',
    ])
    for (const line of problems ?? []) expect(line).not.toContain('\n')
  })

  test('shows no secret', () => {
    const { problems } = indexer({
      ETH_RPC_URL: 'wss://user:SECRET@eth.example/SECRET?key=SECRET',
      BSC_RPC_URL: 'ftp://user:SECRET@bsc.example/SECRET',
      POLYGON_RPC_URL: 'SECRET',
      DATABASE_URL: 'mysql://user:SECRET@db.example/SECRET',
      REDIS_URL: 'SECRET:SECRET@host',
      START_BLOCK: 'https://user:SECRET@x/SECRET',
    })
    expect(problems).toHaveLength(6)
    expect(problems?.join('\n')).not.toContain('SECRET')
  })

  test('starts where START_BLOCK says and warns of a network that it does not index', () => {
    const { settings } = indexer({ ...RPC, START_BLOCK: 'eth:19000000, bsc:5' })
    expect(settings?.networks[0]?.startBlock).toBe(19_000_000)
    expect(settings?.warnings).toEqual(['START_BLOCK: bsc is not indexed'])
  })
})

describe('the API', () => {
  test('needs nothing', () => {
    expect(api({}).settings).toEqual({
      logLevel: 'info',
      databaseUrl: null,
      apiDatabaseUrl: null,
      listCacheDir: null,
      lakeReadUrl: null,
      warnings: [],
      host: '127.0.0.1',
      port: 3000,
      metricsPort: null,
      rateLimitPerS: 200,
      apiKeys: [],
      keepAliveS: 65,
      maxQuoteAgeS: 120,
      readyPools: 100,
      idlePoolDays: 30,
      networks: [],
      trustProxy: null,
    })
  })

  test('does not care for what the indexer needs', () => {
    expect(api({ NETWORKS: 'tron', ETH_RPC_URL: 'nonsense', DEX_CONFIG: 'missing' }).problems).toBeUndefined()
  })

  test('knows which networks the indexer is meant to index', () => {
    const urls = { ...RPC, POLYGON_RPC_URL_FILE: '/run/secrets/polygon', BSC_RPC_URL: ' ' }
    expect(api(urls).settings?.networks).toEqual(['eth', 'polygon'])
    expect(api({ ...urls, NETWORKS: 'BSC, eth' }).settings?.networks).toEqual(['eth', 'bsc'])
    expect(api({ ...urls, NETWORKS: 'tron' }).settings?.networks).toEqual(['eth', 'polygon'])
  })

  test('takes port 0 for any free port and rate 0 for no limit', () => {
    expect(api({ PORT: '0', METRICS_PORT: '0', RATE_LIMIT_PER_S: '0' }).settings).toMatchObject({
      port: 0,
      metricsPort: 0,
      rateLimitPerS: 0,
    })
  })

  test('does not serve its metrics on its own port', () => {
    expect(api({ METRICS_PORT: '3000' }).problems).toEqual(['METRICS_PORT: is 3000, the port of the API itself'])
  })

  test.each([
    ['1', 1],
    ['loopback, 10.0.0.0/8,fd00::/8', ['loopback', '10.0.0.0/8', 'fd00::/8']],
  ])('trusts the proxies %s', (text, expected) => {
    expect(api({ TRUST_PROXY: text }).settings?.trustProxy).toEqual(expected)
  })

  test.each(['true', '10.0.0.0/33', 'proxy.example', '10.0.0.0/x'])('does not trust the proxies %s', (text) => {
    expect(api({ TRUST_PROXY: text }).problems?.[0]).toMatch(/^TRUST_PROXY: must be a number/)
  })
})

describe('migrate', () => {
  test('looks at the databases alone', () => {
    const environment = { DATABASE_URL: 'postgresql://u@h/d', API_DATABASE_URL: 'postgres:///d?host=/run', PORT: 'x' }
    expect(checkMigrateEnvironment(environment, filesOf()).settings).toMatchObject({
      databaseUrl: 'postgresql://u@h/d',
      apiDatabaseUrl: 'postgres:///d?host=/run',
    })
    expect(checkMigrateEnvironment({ API_DATABASE_URL: 'x' }, filesOf()).problems).toEqual([
      'API_DATABASE_URL: is not a URL (postgres://, postgresql://)',
    ])
  })
})

describe('start', () => {
  const stack = (environment: Record<string, string>) => checkStackEnvironment(environment, filesOf())

  test('reports the problems of both programs, each once', () => {
    expect(stack({ LOG_LEVEL: 'x', PORT: 'x' }).problems?.map((line) => line.split(':')[0])).toEqual([
      'LOG_LEVEL',
      expect.stringMatching(/^ETH_RPC_URL, BSC_RPC_URL, POLYGON_RPC_URL\b/),
      'PORT',
    ])
  })

  test('needs a second port for the metrics of the indexer', () => {
    expect(stack({ ...RPC, METRICS_PORT: '9400' }).settings?.metricsPort).toBe(9400)
    expect(stack({ ...RPC, METRICS_PORT: '2999' }).problems?.[0]).toMatch(/^METRICS_PORT: the port after it \(3000\)/)
    expect(stack({ ...RPC, METRICS_PORT: '65535' }).problems?.[0]).toMatch(/^METRICS_PORT: /)
  })
})

describe('a program that reads one network', () => {
  const chain = (environment: Record<string, string>, files?: Record<string, string>) =>
    checkChainEnvironment('bsc')(environment, filesOf(files))

  test('needs that network’s RPC URL, whatever else is set', () => {
    const { settings } = chain({ BSC_RPC_URL: 'https://rpc.example', NETWORKS: 'eth', PORT: 'x', DATABASE_URL: 'x' })
    expect(settings).toMatchObject({
      databaseUrl: null,
      network: { network: 'bsc', rpcUrls: ['https://rpc.example'], deployment: { network: 'bsc' } },
      warnings: [],
    })
    expect(chain(RPC).problems).toEqual(['BSC_RPC_URL: is not set; it says where to read bsc'])
    expect(chain({ BSC_RPC_URL: 'x' }).problems).toHaveLength(1)
  })

  test('takes the deployment of the configuration, and reports what is wrong with that', () => {
    const config = JSON.stringify({ bsc: { wrappedNative: ZERO, stablecoins: [ZERO.replace(/1$/, '2')] } })
    const environment = { BSC_RPC_URL: 'https://rpc.example', DEX_CONFIG: '/config.json' }
    const { settings } = chain(environment, { '/config.json': config })
    expect(settings?.network.deployment.wrappedNative).toBe(ZERO)
    expect(chain(environment).problems?.[0]).toMatch(/^DEX_CONFIG: cannot read/)
  })
})

test('ALERTS_SECRETS is read, also from a file, and a wrong item is named by its place only', () => {
  const key = Buffer.alloc(25, 7).toString('base64')
  const secret = `whsec_${key}`
  const given = { ...RPC, ALERTS_CONFIG: 'alerts.json', ALERTS_SECRETS: `ops:${secret}, a.b:${key}` }
  const secrets = new Map([
    ['ops', secret],
    ['a.b', key],
  ])
  expect(indexer(given).settings).toMatchObject({ alertsConfig: 'alerts.json', alertsSecrets: secrets })
  expect(indexer(RPC).settings).toMatchObject({ alertsConfig: null, alertsSecrets: new Map() })
  const { settings } = checkIndexerEnvironment({ ...RPC, ALERTS_SECRETS_FILE: '/secret' }, () => `ops:${secret}\n`)
  expect(settings?.alertsSecrets).toEqual(new Map([['ops', secret]]))
  const short = Buffer.alloc(23, 7).toString('base64')
  const noBase64 = [`${key}A`, key.slice(0, -1), key.replace('B', '-')].map((text) => `ops:${text}`)
  for (const wrong of ['ops', `ops:${short}`, `ops:whsec_${short}`, `a b:${secret}`, ...noBase64]) {
    const { problems = [] } = indexer({ ...RPC, ALERTS_SECRETS: `x:${key},${wrong}` })
    expect(problems).toEqual([
      expect.stringMatching(/^ALERTS_SECRETS: must be a list of name:secret.*; item 2 is not$/),
    ])
  }
  expect(indexer({ ...RPC, ALERTS_SECRETS: `a:${secret},a:${secret}` }).problems).toEqual([
    'ALERTS_SECRETS: names a twice',
  ])
})

test('API_KEYS is read, and a wrong item is named by its place only', () => {
  const SECRET = 'a-secret-of-the-dashboard'
  expect(api({ API_KEYS: `dashboard:${SECRET}:1000, own:another-secret-of-ours:0` }).settings?.apiKeys).toEqual([
    { name: 'dashboard', secret: SECRET, perSecond: 1000 },
    { name: 'own', secret: 'another-secret-of-ours', perSecond: 0 },
  ])
  for (const wrong of [`a:${SECRET}`, `a:${SECRET}:9999999`, 'a:short:1', `:${SECRET}:1`, `a:${SECRET} x:1`]) {
    const { problems = [] } = api({ API_KEYS: `b:another-secret-of-ours:0,${wrong}` })
    expect(problems).toEqual([expect.stringMatching(/^API_KEYS: must be a list of name:secret:rate.*; item 2 is not$/)])
  }
  expect(api({ API_KEYS: `a:${SECRET}:1,a:another-secret-of-ours:1` }).problems).toEqual([
    'API_KEYS: has two items with the same name',
  ])
  expect(api({ API_KEYS: `a:${SECRET}:1,b:${SECRET}:1` }).problems).toEqual([
    'API_KEYS: has two items with the same secret',
  ])
})

test('takes thresholds of wash trading, percents up to 101, which is never', () => {
  expect(indexer(RPC).settings?.wash).toEqual({
    minVolumeUsd: 10_000,
    minSwaps: 20,
    roundTripPercent: 50,
    topTraders: 2,
    topTradersPercent: 90,
    matchedPercent: 50,
  })
  const given = { WASH_MIN_VOLUME_USD: '0', WASH_TOP_TRADERS: '5', WASH_MATCHED_PERCENT: '101' }
  expect(indexer({ ...RPC, ...given }).settings?.wash).toMatchObject({
    minVolumeUsd: 0,
    topTraders: 5,
    matchedPercent: 101,
  })
  expect(indexer({ ...RPC, WASH_ROUND_TRIP_PERCENT: '0.5' }).problems).toEqual([
    'WASH_ROUND_TRIP_PERCENT: must be a whole number from 1 to 101, not "0.5"',
  ])
})
