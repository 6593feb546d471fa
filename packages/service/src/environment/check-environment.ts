import { DAY_S, MINUTE, NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import * as z from 'zod'
import type { LogLevel } from '../logger.ts'
import { ARCHIVES, archiveOf, keyWarnings } from './archive-settings.ts'
import { networkSettings } from './network-settings.ts'
import { type Check, finish, LAST_PORT, read } from './read-variables.ts'
import {
  type Environment,
  givenValue,
  type RateVariable,
  type ReadFile,
  type RpcVariable,
  rateVariable,
  rpcVariable,
  withSecretFiles,
} from './secret-files.ts'
import type {
  ApiSettings,
  ChainSettings,
  IndexerSettings,
  MigrateSettings,
  RpcRate,
  StackSettings,
} from './settings.ts'
import * as schema from './variable-schemas.ts'

const MANY_DAYS = 36_500
/** The API answers for seven days, of which the first began up to eight days ago. */
const LEAST_KEPT_DAYS = 8
const KEPT_DAYS = 30

const POSTGRES = schema.urlOf(['postgres:', 'postgresql:'])
const COMMON = { DATABASE_URL: POSTGRES, LOG_LEVEL: schema.logLevel }
const RPC_URLS = Object.fromEntries(NETWORK_NAMES.map((network) => [rpcVariable(network), schema.rpcUrls])) as Record<
  RpcVariable,
  typeof schema.rpcUrls
>
const RPC_RATES = Object.fromEntries(
  NETWORK_NAMES.map((network) => [rateVariable(network), schema.rpcRates]),
) as Record<RateVariable, typeof schema.rpcRates>
const METRICS = { HOST: schema.hostName, METRICS_PORT: schema.wholeNumber(0, LAST_PORT) }

/** 101: never. */
const PERCENT = schema.wholeNumber(1, 101)

const INDEXER = z.object({
  ...COMMON,
  ...METRICS,
  REDIS_URL: schema.urlOf(['redis:', 'rediss:']),
  ...RPC_URLS,
  ...RPC_RATES,
  ...ARCHIVES,
  RPC_COMPUTE_UNITS: schema.computeUnits,
  NETWORKS: schema.networkList,
  DEX_CONFIG: schema.anyText,
  START_BLOCK: schema.startBlocks,
  BACKFILL_DAYS: schema.wholeNumber(0, MANY_DAYS),
  POLL_MS: schema.wholeNumber(10, MINUTE),
  INDEXER_ROLE: schema.indexerRole,
  BACKFILL_CONCURRENCY: schema.wholeNumber(1, 64),
  BULL_BOARD_PORT: schema.wholeNumber(0, LAST_PORT),
  AUDIT: schema.onOrOff,
  PROVE_HISTORY: schema.shareOfBlocks,
  RETENTION_DAYS: schema.keptDays(LEAST_KEPT_DAYS, MANY_DAYS),
  WASH_MIN_VOLUME_USD: schema.wholeNumber(0, 1_000_000_000),
  WASH_MIN_SWAPS: schema.wholeNumber(1, 1_000_000),
  WASH_ROUND_TRIP_PERCENT: PERCENT,
  WASH_TOP_TRADERS: schema.wholeNumber(1, 100),
  WASH_TOP_TRADERS_PERCENT: PERCENT,
  WASH_MATCHED_PERCENT: PERCENT,
})

const API = z.object({
  ...COMMON,
  ...METRICS,
  API_DATABASE_URL: POSTGRES,
  PORT: schema.wholeNumber(0, LAST_PORT),
  RATE_LIMIT_PER_S: schema.wholeNumber(0, 1_000_000),
  MAX_QUOTE_AGE_S: schema.wholeNumber(1, DAY_S),
  READY_POOLS: schema.wholeNumber(0, 1_000),
  IDLE_POOL_DAYS: schema.wholeNumber(0, 3_650),
  TRUST_PROXY: schema.trustProxy,
  LIST_CACHE_DIR: schema.anyText,
})

const MIGRATE = z.object({ ...COMMON, API_DATABASE_URL: POSTGRES })

export const checkIndexerEnvironment: Check<IndexerSettings> = (environment, readFile) => {
  const { values, problems } = read(INDEXER, environment, readFile)
  const rpcProblems = NETWORK_NAMES.filter((network) => problems.some((line) => line.startsWith(rpcVariable(network))))
  // A wrong list of networks is a problem already; networks that it may not have meant add none.
  const refused = problems.some((line) => line.startsWith('NETWORKS:')) ? NETWORK_NAMES : rpcProblems
  const checked = networkSettings(
    {
      wanted: values.NETWORKS ?? null,
      rpcUrls: byNetwork((network) => values[rpcVariable(network)]),
      rates: byNetwork((network) => values[rateVariable(network)]),
      archives: byNetwork((network) => archiveOf(values, network)),
      computeUnits: values.RPC_COMPUTE_UNITS ?? {},
      refused,
      startBlocks: values.START_BLOCK ?? {},
      dexConfig: values.DEX_CONFIG ?? null,
    },
    readFile,
  )
  const { RETENTION_DAYS: kept = KEPT_DAYS } = values
  return finish([...problems, ...checked.problems], () => ({
    ...common(values),
    warnings: [...checked.warnings, ...keyWarnings(values), ...retentionWarnings(values.BACKFILL_DAYS, kept)],
    ...metrics(values),
    audit: values.AUDIT ?? true,
    proveHistory: values.PROVE_HISTORY ?? null,
    retentionDays: kept,
    networks: checked.networks,
    backfillDays: values.BACKFILL_DAYS ?? 7,
    pollMs: values.POLL_MS ?? 500,
    redisUrl: values.REDIS_URL ?? null,
    role: values.INDEXER_ROLE ?? 'both',
    backfillConcurrency: values.BACKFILL_CONCURRENCY ?? 2,
    bullBoardPort: values.BULL_BOARD_PORT ?? null,
    wash: {
      minVolumeUsd: values.WASH_MIN_VOLUME_USD ?? 10_000,
      minSwaps: values.WASH_MIN_SWAPS ?? 20,
      roundTripPercent: values.WASH_ROUND_TRIP_PERCENT ?? 50,
      topTraders: values.WASH_TOP_TRADERS ?? 2,
      topTradersPercent: values.WASH_TOP_TRADERS_PERCENT ?? 90,
      matchedPercent: values.WASH_MATCHED_PERCENT ?? 50,
    },
  }))
}

/** What is known of networks by a variable of each. */
function byNetwork<T>(given: (network: NetworkName) => T | undefined): Partial<Record<NetworkName, T>> {
  const known: Partial<Record<NetworkName, T>> = {}
  for (const network of NETWORK_NAMES) {
    const value = given(network)
    if (value !== undefined) known[network] = value
  }
  return known
}

interface ChainValues {
  LOG_LEVEL?: LogLevel
  DEX_CONFIG?: string
  POLL_MS?: number
  RPC_COMPUTE_UNITS?: Readonly<Record<string, number>>
}

/** For a program that reads one network and needs nothing else. */
export function checkChainEnvironment(network: NetworkName): Check<ChainSettings> {
  const variable = rpcVariable(network)
  const rate = rateVariable(network)
  const object = z.object({
    LOG_LEVEL: schema.logLevel,
    [variable]: schema.rpcUrls,
    [rate]: schema.rpcRates,
    RPC_COMPUTE_UNITS: schema.computeUnits,
    DEX_CONFIG: schema.anyText,
    POLL_MS: schema.wholeNumber(10, MINUTE),
  })
  return (environment, readFile) => {
    const { values, problems } = read(object, environment, readFile)
    const given = values as ChainValues
    const urls = (values as { [name in typeof variable]?: readonly string[] })[variable]
    const rates = (values as { [name in typeof rate]?: readonly (RpcRate | null)[] })[rate]
    const isRefused = problems.some((line) => line.startsWith(variable))
    if (urls === undefined && !isRefused) problems.push(`${variable}: is not set; it says where to read ${network}`)
    const variables = {
      wanted: [network],
      rpcUrls: urls === undefined ? {} : { [network]: urls },
      rates: rates === undefined ? {} : { [network]: rates },
      archives: {},
      computeUnits: given.RPC_COMPUTE_UNITS ?? {},
      refused: [network],
      startBlocks: {},
      dexConfig: given.DEX_CONFIG ?? null,
    }
    const checked = networkSettings(variables, readFile)
    const [settings] = checked.networks
    if (settings === undefined || problems.length + checked.problems.length > 0) {
      return { problems: [...problems, ...checked.problems] }
    }
    return {
      settings: {
        logLevel: given.LOG_LEVEL ?? 'info',
        databaseUrl: null,
        warnings: checked.warnings,
        network: settings,
        pollMs: given.POLL_MS ?? 500,
      },
    }
  }
}

function retentionWarnings(wanted = 0, kept: number | null): string[] {
  return kept !== null && wanted > kept
    ? [`BACKFILL_DAYS: is ${wanted}, but RETENTION_DAYS keeps ${kept} days: no more are indexed`]
    : []
}

export const checkApiEnvironment: Check<ApiSettings> = (environment, readFile) => {
  const { values, problems } = read(API, environment, readFile)
  const port = values.PORT ?? 3000
  if (port !== 0 && port === values.METRICS_PORT) problems.push(`METRICS_PORT: is ${port}, the port of the API itself`)
  return finish(problems, () => ({
    ...common(values),
    ...metrics(values),
    apiDatabaseUrl: values.API_DATABASE_URL ?? null,
    port,
    rateLimitPerS: values.RATE_LIMIT_PER_S ?? 200,
    maxQuoteAgeS: values.MAX_QUOTE_AGE_S ?? 120,
    readyPools: values.READY_POOLS ?? 100,
    idlePoolDays: values.IDLE_POOL_DAYS ?? 30,
    networks: namedNetworks(environment, readFile),
    trustProxy: values.TRUST_PROXY ?? null,
    listCacheDir: values.LIST_CACHE_DIR ?? null,
  }))
}

export const checkMigrateEnvironment: Check<MigrateSettings> = (environment, readFile) => {
  const { values, problems } = read(MIGRATE, environment, readFile)
  return finish(problems, () => ({ ...common(values), apiDatabaseUrl: values.API_DATABASE_URL ?? null }))
}

/** Indexer and API at once; the warnings are left to the two programs. */
export const checkStackEnvironment: Check<StackSettings> = (environment, readFile) => {
  const indexer = checkIndexerEnvironment(environment, readFile)
  const api = checkApiEnvironment(environment, readFile)
  if (!indexer.settings || !api.settings) {
    return { problems: [...new Set([...(indexer.problems ?? []), ...(api.problems ?? [])])] }
  }
  const { logLevel, databaseUrl, apiDatabaseUrl, host, port, metricsPort } = api.settings
  const next = metricsPort ? metricsPort + 1 : null
  if (next !== null && (next === port || next > LAST_PORT)) {
    return { problems: [`METRICS_PORT: the port after it (${next}), which the indexer takes, cannot be used`] }
  }
  return { settings: { logLevel, databaseUrl, apiDatabaseUrl, warnings: [], host, port, metricsPort } }
}

/** The networks that the indexer's variables name; their problems are left to the indexer. */
function namedNetworks(given: Environment, readFile: ReadFile): readonly NetworkName[] {
  const { environment } = withSecretFiles(given, readFile)
  const wanted = schema.networkList.safeParse(givenValue(environment, 'NETWORKS'))
  if (wanted.success && wanted.data) return wanted.data
  return NETWORK_NAMES.filter((network) => {
    const name = rpcVariable(network)
    return (givenValue(environment, name) ?? givenValue(environment, `${name}_FILE`)) !== undefined
  })
}

function common(values: Partial<z.output<typeof MIGRATE>>) {
  return { logLevel: values.LOG_LEVEL ?? 'info', databaseUrl: values.DATABASE_URL ?? null, warnings: [] } as const
}

function metrics(values: { HOST?: string | undefined; METRICS_PORT?: number | undefined }) {
  return { host: values.HOST ?? '127.0.0.1', metricsPort: values.METRICS_PORT ?? null }
}
