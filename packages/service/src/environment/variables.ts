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

// Every variable with its schema, default and text. A test makes docs/guide/settings.md from these.

export const LAST_PORT = 65_535

const MANY_DAYS = 36_500
/** The API responds for seven days, the first of which began up to eight days ago. */
const LEAST_KEPT_DAYS = 8
const POSTGRES = schema.urlOf(['postgres:', 'postgresql:'])
/** 101 means never. */
const PERCENT = schema.wholeNumber(1, 101)

/** Describes a variable for the guide. `unset`: what applies without it, if its schema has no default. */
function described<Schema extends z.ZodType>(variable: Schema, description: string, unset = ''): Schema {
  return variable.meta({ description, unset }) as Schema
}

/** Returns the same variable for every network. */
function ofNetworks<Name extends string, Schema>(names: readonly Name[], variable: Schema): Record<Name, Schema> {
  return Object.fromEntries(names.map((name) => [name, variable])) as Record<Name, Schema>
}

export const NETWORK_VARIABLES = {
  ...ofNetworks<RpcVariable, typeof schema.rpcUrls>(
    NETWORK_NAMES.map(rpcVariable),
    described(
      schema.rpcUrls,
      'RPC endpoints: `http(s)://` and `ws(s)://`, separated by commas, in order of preference. At least one must be `http(s)`. A WebSocket announces new heads; a block then costs two RPC items. With polling it costs three or more. At least one network is required',
    ),
  ),
  ...ofNetworks<RateVariable, typeof schema.rpcRates>(
    NETWORK_NAMES.map(rateVariable),
    described(
      schema.rpcRates,
      'the budget of each endpoint. Requests per second: `25` (a batch counts its items). With a burst: `100:30`. In compute units: `330cu`, `330cu:600`. Give one value for all endpoints, or one per `http(s)` URL, separated by commas. `auto` learns the rate from what the endpoint refuses. See [budgets](mainnet.md#budgets)',
      '`auto`',
    ),
  ),
  ...ofNetworks<HistoryVariable, typeof schema.archiveUrl>(
    NETWORK_NAMES.map((network) => historyVariables(network)[0]),
    described(
      schema.archiveUrl,
      "an archive for history: the URL of a Portal's data set, such as `https://portal.example/datasets/binance-mainnet`. See [archive](mainnet.md#an-archive-for-history)",
    ),
  ),
  ...ofNetworks<HistoryVariable, typeof schema.anyText>(
    NETWORK_NAMES.map((network) => historyVariables(network)[1]),
    described(schema.anyText, "the archive's key, sent as a bearer token"),
  ),
  RPC_COMPUTE_UNITS: described(
    schema.computeUnits,
    'prices of methods that differ from the usual ones: `eth_getBlockReceipts:500,eth_getLogs:60`. The usual: `eth_getLogs` 75, `eth_call` 26, a block or its receipts 20',
  ),
  NETWORKS: described(
    schema.networkList,
    'which networks to index: `eth,bsc,polygon`. Several indexers can share them; see [several indexers](mainnet.md#several-indexers)',
    'those with an RPC URL',
  ),
  DEX_CONFIG: described(
    schema.anyText,
    'a JSON file that replaces the built-in deployments of the networks that it names; see [below](#dex_config)',
    'built-in deployments',
  ),
  START_BLOCK: described(
    schema.startBlocks,
    'the first block of a new database: `eth:19000000,bsc:38000000`. If the nodes do not keep that block, the indexer refuses it and reports the first block that they keep',
  ),
  BACKFILL_DAYS: described(
    schema.wholeNumber(0, MANY_DAYS).default(7),
    'without `START_BLOCK`: how many days before the head a new database starts. If the nodes keep less, it starts at the first block that they keep. The seven-day figures need 7',
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
    'what the API connects with. `npm run migrate` creates this user, with the right to read and nothing else',
    '`DATABASE_URL` with a read-only role',
  ),
  REDIS_URL: described(
    schema.urlOf(['redis:', 'rediss:']),
    'Redis for the job queue, with `maxmemory-policy noeviction`. Without it the queue is in Postgres',
  ),
  SECRETS_DIR: described(schema.anyText, 'a folder with a file for each secret, named like its variable'),
  LIST_CACHE_DIR: described(
    schema.anyText,
    'where the API keeps rendered parts of `swaps_24h`, about 700 bytes for each swap of the last day. Several APIs can share the folder. You may delete its files while nothing runs',
    '`.data/lists`; a volume in containers',
  ),
  RETENTION_DAYS: described(
    schema.keptDays(LEAST_KEPT_DAYS, MANY_DAYS).default(30),
    'how many days of rows and candles to keep: at least 8, or `all`. The totals of older hours and days, and their address counts, stay',
  ),
}

export const INDEXER_VARIABLES = {
  INDEXER_ROLE: described(
    schema.indexerRole.default('both'),
    'what `npm run indexer` does: `follow` the heads and fill the queue, work on `backfill` jobs, or `both`. The option `--role` has priority',
  ),
  BACKFILL_CONCURRENCY: described(
    schema.wholeNumber(1, 64).default(2),
    'backfill jobs per process and network at the same time',
  ),
  HISTORY_THREADS: described(
    schema.wholeNumber(0, 64),
    'processes that fill in history beside the one that follows the heads, for `INDEXER_ROLE=both`. They have a low priority, share the budgets of the endpoints, and run only while history is missing. Each takes about 350 MB. `0`: one process does both, so heads are late by seconds while history is filled in',
    'one less than the processors, at most 4',
  ),
  BULL_BOARD_PORT: described(
    schema.wholeNumber(0, LAST_PORT),
    'a read-only view of the queues at `http://127.0.0.1:<port>`, reachable from that machine only',
    'none',
  ),
  AUDIT: described(
    schema.onOrOff.default(true),
    '`on`: final blocks that were read without proof are compared with the chain again and repaired, and all pool states are compared within a day. `off`: neither. See [audit and verify](../internals/repair.md)',
  ),
  PROVE_HISTORY: described(
    schema.shareOfBlocks,
    'the share of history blocks that is proven by their receipts, if endpoints serve the receipts of whole blocks: `all`, or a percentage. A proven block costs two RPC items. Without proof, one item for each block and each transaction that has swaps. Where that would be more, blocks are read whole',
    '`all`; `1` with an archive',
  ),
}

export const WASH_VARIABLES = {
  WASH_MIN_VOLUME_USD: described(
    schema.wholeNumber(0, 1_000_000_000).default(10_000),
    'a pool with less volume on the day is not judged',
  ),
  WASH_MIN_SWAPS: described(
    schema.wholeNumber(1, 1_000_000).default(20),
    'a pool with fewer swaps on the day is not judged, unless its volume is at least this number times `WASH_MIN_VOLUME_USD`',
  ),
  WASH_ROUND_TRIP_PERCENT: described(
    PERCENT.default(50),
    'flagged from this share on: volume that the same address traded back',
  ),
  WASH_TOP_TRADERS: described(
    schema.wholeNumber(1, 100).default(2),
    'flagged if this number of addresses makes the share of the next setting',
  ),
  WASH_TOP_TRADERS_PERCENT: described(PERCENT.default(90), 'that share'),
  WASH_MATCHED_PERCENT: described(
    PERCENT.default(50),
    'flagged from this share on: amounts that one address bought and another sold, equal to the unit',
  ),
}

export const API_VARIABLES = {
  HOST: described(schema.hostName.default('127.0.0.1'), 'where the API and the metrics listen'),
  PORT: described(
    schema.wholeNumber(0, LAST_PORT).default(3000),
    'the port of the API. In containers: the published port',
  ),
  RATE_LIMIT_PER_S: described(
    schema.wholeNumber(0, 1_000_000).default(200),
    'requests per second and client of each API; `0` for no limit',
  ),
  API_KEYS: described(
    schema.apiKeys,
    'clients with separate limits: `name:secret:rate` items, such as `dashboard:<secret>:1000`, with requests per second of each API, or `0` for no limit. The secret is sent as `Authorization: Bearer <secret>` or `X-Api-Key`',
    'none',
  ),
  TRUST_PROXY: described(
    schema.trustProxy,
    'proxies whose `X-Forwarded-For` is trusted: their number, or their addresses (`loopback`, `10.0.0.0/8`). A trusted proxy may use all 2,048 connections; any other client may use 1,536. In containers: the proxies before the load balancer of the stack',
    'none',
  ),
  KEEP_ALIVE_S: described(
    schema.wholeNumber(1, 3_600).default(65),
    'seconds for which a connection is kept after its last response. Make it longer than a load balancer before the API keeps its connections, which is 60 seconds for most',
  ),
  MAX_QUOTE_AGE_S: described(
    schema.wholeNumber(1, DAY_S).default(120),
    'a quote from an older block is refused with 503',
  ),
  READY_POOLS: described(
    schema.wholeNumber(0, 1_000).default(100),
    '`/readyz` waits until this many of the most traded pools of the last day are read, as far as they respond. From 0 to 1000; `0` waits for none',
  ),
  IDLE_POOL_DAYS: described(
    schema.wholeNumber(0, 3_650).default(30),
    'pools without a swap or a change of liquidity for at least this many days are not quoted until their next event, and use no memory of the API. From 0 to 3650; `0` keeps all. Use the same value for all replicas. See [quoted pools](api.md#which-pools-are-quoted)',
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
