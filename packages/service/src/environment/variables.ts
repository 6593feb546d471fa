import { DAY_S, MINUTE, NETWORK_NAMES } from '@dexfeed/dex'
import type * as z from 'zod'
import {
  type HistoryVariable,
  historyVariables,
  type RateVariable,
  type RpcVariable,
  rateVariable,
  rpcVariable,
} from './secret-files.ts'
import * as schema from './variable-schemas.ts'

// A test generates docs/guide/settings.md from these.

export const LAST_PORT = 65_535

const MANY_DAYS = 36_500
/** The time seven days ago lies in a day that began up to eight days ago. */
const MIN_KEPT_DAYS = 8
const POSTGRES = schema.urlOf(['postgres:', 'postgresql:'])
/** A limit of 101 is never reached. */
const PERCENT = schema.wholeNumber(1, 101)

function described<Schema extends z.ZodType>(variable: Schema, description: string, unset = ''): Schema {
  return variable.meta({ description, unset }) as Schema
}

function ofNetworks<Name extends string, Schema>(names: readonly Name[], variable: Schema): Record<Name, Schema> {
  return Object.fromEntries(names.map((name) => [name, variable])) as Record<Name, Schema>
}

export const NETWORK_VARIABLES = {
  ...ofNetworks<RpcVariable, typeof schema.rpcUrls>(
    NETWORK_NAMES.map(rpcVariable),
    described(
      schema.rpcUrls,
      'RPC endpoints, `http(s)://` and `ws(s)://`, separated by commas, in order of preference. At least one must be `http(s)`. With a WebSocket a block costs two RPC items, with polling three or more. At least one network is required',
    ),
  ),
  ...ofNetworks<RateVariable, typeof schema.rpcRates>(
    NETWORK_NAMES.map(rateVariable),
    described(
      schema.rpcRates,
      'the budget of each endpoint, in requests per second (`25`; a batch counts its items), with a burst (`100:30`), or in compute units (`330cu`, `330cu:600`): one value for all, or one per `http(s)` URL, separated by commas. `auto` learns the rate from refusals. See [budgets](mainnet.md#budgets)',
      '`auto`',
    ),
  ),
  ...ofNetworks<HistoryVariable, typeof schema.archiveUrl>(
    NETWORK_NAMES.map((network) => historyVariables(network)[0]),
    described(
      schema.archiveUrl,
      "[an archive for history](mainnet.md#an-archive-for-history): the URL of a Portal's data set, such as `https://portal.example/datasets/binance-mainnet`",
    ),
  ),
  ...ofNetworks<HistoryVariable, typeof schema.anyText>(
    NETWORK_NAMES.map((network) => historyVariables(network)[1]),
    described(schema.anyText, "the archive's key, sent as a bearer token"),
  ),
  RPC_COMPUTE_UNITS: described(
    schema.computeUnits,
    'prices of methods in compute units, where they differ from the defaults: `eth_getBlockReceipts:500,eth_getLogs:60`. The defaults are `eth_getLogs` 75, `eth_call` 26, a block or its receipts 20',
  ),
  NETWORKS: described(
    schema.networkList,
    'which networks to index: `eth,bsc,polygon`. [Several indexers](mainnet.md#several-indexers) can share them',
    'those with an RPC URL',
  ),
  DEX_CONFIG: described(
    schema.anyText,
    'a JSON file that replaces the built-in deployments of the networks that it names: [below](#dex_config)',
    'built-in deployments',
  ),
  START_BLOCK: described(
    schema.startBlocks,
    'the first block of a new database: `eth:19000000,bsc:38000000`. If the nodes do not keep that block, the indexer refuses it and names the first one that they keep',
  ),
  BACKFILL_DAYS: described(
    schema.wholeNumber(0, MANY_DAYS).default(7),
    'without `START_BLOCK`, a new database starts this many days before the head, or at the first block that the nodes keep. The seven-day figures need 7',
  ),
  POLL_MS: described(
    schema.wholeNumber(10, MINUTE).default(500),
    'milliseconds between two polls for a new head, when no WebSocket works',
  ),
}

export const STORAGE_VARIABLES = {
  DATABASE_URL: described(
    POSTGRES,
    'Postgres, as the owner of the database. Containers have no embedded Postgres',
    'embedded, under `.data/`',
  ),
  API_DATABASE_URL: described(
    POSTGRES,
    'the connection of the API. `npm run migrate` creates its user, who may only read',
    '`DATABASE_URL` with a read-only role',
  ),
  REDIS_URL: described(
    schema.urlOf(['redis:', 'rediss:']),
    'Redis for the job queue, with `maxmemory-policy noeviction`. Without it the queue is in Postgres',
  ),
  SECRETS_DIR: described(schema.anyText, 'a folder with a file for each secret, named like its variable'),
  LIST_CACHE_DIR: described(
    schema.anyText,
    'the folder where the API keeps rendered parts of `swaps_24h`, about 800 bytes per swap of the last day. Several APIs can share it. You may delete its files at any time; their space is free once the API restarts, which then takes longer to be ready',
    '`.data/lists`; a volume in containers',
  ),
  RETENTION_DAYS: described(
    schema.keptDays(MIN_KEPT_DAYS, MANY_DAYS).default(30),
    'how many days of rows and candles to keep: at least 8, or `all`. Totals and address counts of older hours and days stay',
  ),
}

export const INDEXER_VARIABLES = {
  RESTORE_SINCE: described(
    schema.date,
    'a date, such as `2026-10-01`: dropped days from there on, as far as `RETENTION_DAYS` keeps them, [are filled in again](lake.md#restore-days)',
  ),
  INDEXER_ROLE: described(
    schema.indexerRole.default('both'),
    'what `npm run indexer` does: `follow` the heads and fill the queue, work on `backfill` jobs, or `both`. `--role` has priority',
  ),
  BACKFILL_CONCURRENCY: described(
    schema.wholeNumber(1, 64).default(2),
    'backfill jobs per process and network at the same time',
  ),
  HISTORY_THREADS: described(
    schema.wholeNumber(0, 64),
    'with `INDEXER_ROLE=both`, the number of processes that fill in history. They have a low priority, share the budgets of the endpoints, take about 350 MB each, and run only while history is missing. With `0` one process does all, and heads are seconds late while it fills in history',
    'one less than the processors, at most 4',
  ),
  BULL_BOARD_PORT: described(
    schema.wholeNumber(0, LAST_PORT),
    'a read-only view of the queues at `http://127.0.0.1:<port>`',
    'none',
  ),
  AUDIT: described(
    schema.onOrOff.default(true),
    '`on`: final blocks that were read without proof are [compared with the chain again](../internals/repair.md) and repaired, and so are all pool states within a day',
  ),
  ALERTS_CONFIG: described(
    schema.anyText,
    'a JSON file of [alert rules and webhooks](alerts.md), read again when it changes',
    'no alerts',
  ),
  ALERTS_SECRETS: described(
    schema.alertsSecrets,
    'the secrets that sign webhooks, as `name:secret`, separated by commas',
    'none',
  ),
  PROVE_HISTORY: described(
    schema.shareOfBlocks,
    'the share of history blocks that is proven, if endpoints serve the receipts of whole blocks: `all`, or a percentage. A proven block costs two RPC items; one without proof costs one, plus one for each transaction that has swaps. Where that would be more, blocks are read whole',
    '`all`; `1` with an archive',
  ),
}

export const LAKE_VARIABLES = {
  LAKE_URL: described(
    schema.lakeUrl,
    'where `npm run lake` writes complete days as files: a folder, or `s3://bucket/prefix`. See [the lake](lake.md)',
    'no lake',
  ),
  LAKE_ENDPOINT: described(
    schema.urlOf(['https:', 'http:']),
    'the address of a server that speaks the protocol of S3, such as MinIO',
    'AWS',
  ),
  LAKE_REGION: described(schema.anyText.default('us-east-1'), 'the region of the bucket'),
  LAKE_ACCESS_KEY_ID: described(schema.anyText, 'the key of the bucket. Credentials are looked for nowhere else'),
  LAKE_SECRET_ACCESS_KEY: described(schema.anyText, 'its secret'),
  LAKE_READ_PORT: described(
    schema.wholeNumber(0, LAST_PORT),
    'the port on `HOST` where `npm run lake` [answers the API](lake.md#old-days-in-the-api). Anybody who can connect may read, so keep it private',
    'none',
  ),
  LAKE_READ_URL: described(
    schema.urlOf(['http:', 'https:']),
    'where the API reads days that Postgres no longer keeps, such as `http://127.0.0.1:9091`',
    'none',
  ),
  CLICKHOUSE_USER: described(schema.anyText.default('default'), 'the user of `npm run lake:clickhouse`'),
  CLICKHOUSE_PASSWORD: described(schema.anyText, 'its password', 'none'),
}

export const WASH_VARIABLES = {
  WASH_MIN_VOLUME_USD: described(
    schema.wholeNumber(0, 1_000_000_000).default(10_000),
    'a pool with less volume on the day is not judged',
  ),
  WASH_MIN_SWAPS: described(
    schema.wholeNumber(1, 1_000_000).default(20),
    'a pool with fewer swaps is not judged, unless its volume is at least this number times `WASH_MIN_VOLUME_USD`',
  ),
  WASH_ROUND_TRIP_PERCENT: described(PERCENT.default(50), 'share of volume that the same address traded back'),
  WASH_TOP_TRADERS: described(schema.wholeNumber(1, 100).default(2), 'the number of addresses for the next setting'),
  WASH_TOP_TRADERS_PERCENT: described(PERCENT.default(90), 'share of volume of these addresses together'),
  WASH_MATCHED_PERCENT: described(
    PERCENT.default(50),
    'share of volume in amounts that one address bought and another sold, equal to the base unit',
  ),
}

export const API_VARIABLES = {
  HOST: described(schema.hostName.default('127.0.0.1'), 'the address on which the API and the metrics listen'),
  PORT: described(
    schema.wholeNumber(0, LAST_PORT).default(3000),
    'the port of the API. In containers: the published port',
  ),
  RATE_LIMIT_PER_S: described(
    schema.wholeNumber(0, 1_000_000).default(200),
    'requests per second that each client may send to each API; `0` for no limit',
  ),
  API_KEYS: described(
    schema.apiKeys,
    'clients with separate limits, as `name:secret:rate`, such as `dashboard:<secret>:1000`, in requests per second to each API, or `0` for no limit ([how keys are sent](api.md))',
    'none',
  ),
  TRUST_PROXY: described(
    schema.trustProxy,
    'proxies whose `X-Forwarded-For` is trusted: their number, or their addresses (`10.0.0.0/8`, `192.0.2.7`, `loopback`, `linklocal`, `uniquelocal`). In containers: those before the stack',
    'none',
  ),
  KEEP_ALIVE_S: described(
    schema.wholeNumber(1, 3_600).default(65),
    'seconds for which an idle connection is kept. It must exceed the idle time of a load balancer before the API (often 60), or some requests meet a connection that has just closed (502)',
  ),
  MAX_QUOTE_AGE_S: described(
    schema.wholeNumber(1, DAY_S).default(120),
    'a quote from an older block is refused with 503',
  ),
  READY_POOLS: described(
    schema.wholeNumber(0, 1_000).default(100),
    '`/readyz` waits until this many of the most traded pools of the last day are read, except pools that do not respond. At most 1000',
  ),
  IDLE_POOL_DAYS: described(
    schema.wholeNumber(0, 3_650).default(30),
    'pools without a swap or a change of liquidity for this many days are [not quoted](api.md#which-pools-are-quoted) and use no memory. At most 3650; `0` keeps all. Use the same value for all replicas',
  ),
}

export const OPERATION_VARIABLES = {
  METRICS_PORT: described(
    schema.wholeNumber(0, LAST_PORT),
    'Prometheus metrics at `http://HOST:METRICS_PORT/metrics`. With `npm start` the API has this port and the indexer the next one',
    'none',
  ),
  LOG_LEVEL: described(
    schema.logLevel.default('info'),
    '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
  ),
  LOG_FORMAT: described(
    schema.logFormat,
    '`json`: an object per line. `text`: for people',
    '`text` on a terminal, `json` where the output is piped',
  ),
}

export const SETTING_NAMES: readonly string[] = Object.keys({
  ...NETWORK_VARIABLES,
  ...STORAGE_VARIABLES,
  ...INDEXER_VARIABLES,
  ...LAKE_VARIABLES,
  ...WASH_VARIABLES,
  ...API_VARIABLES,
  ...OPERATION_VARIABLES,
})
