import { NETWORK_NAMES, type NetworkName, present } from '@dexfeed/dex'
import * as z from 'zod'
import type { LogLevel } from '../logger.ts'
import { networkSettings } from './network-settings.ts'
import { type Check, finish, read } from './read-variables.ts'
import {
  type Environment,
  givenValue,
  type HistoryVariable,
  historyVariables,
  type ReadFile,
  rateVariable,
  rpcVariable,
  withSecretFiles,
} from './secret-files.ts'
import type {
  ApiSettings,
  ArchiveSettings,
  ChainSettings,
  IndexerSettings,
  LakeSettings,
  MigrateSettings,
  ProcessSettings,
  RpcRate,
  StackSettings,
} from './settings.ts'
import {
  API_VARIABLES,
  INDEXER_VARIABLES,
  LAKE_VARIABLES,
  LAST_PORT,
  NETWORK_VARIABLES,
  OPERATION_VARIABLES,
  STORAGE_VARIABLES,
  WASH_VARIABLES,
} from './variables.ts'

const { DATABASE_URL, API_DATABASE_URL, REDIS_URL, RETENTION_DAYS, LIST_CACHE_DIR } = STORAGE_VARIABLES
const { HOST, ...API_ONLY } = API_VARIABLES
const { METRICS_PORT, LOG_LEVEL, LOG_FORMAT } = OPERATION_VARIABLES
const COMMON = { DATABASE_URL, LOG_LEVEL, LOG_FORMAT }
const METRICS = { HOST, METRICS_PORT }

const INDEXER = z.object({
  ...COMMON,
  ...METRICS,
  REDIS_URL,
  ...NETWORK_VARIABLES,
  ...INDEXER_VARIABLES,
  RETENTION_DAYS,
  LAKE_URL: LAKE_VARIABLES.LAKE_URL,
  ...WASH_VARIABLES,
})
const { LAKE_READ_URL, ...LAKE_ONLY } = LAKE_VARIABLES
const API = z.object({ ...COMMON, ...METRICS, API_DATABASE_URL, ...API_ONLY, LIST_CACHE_DIR, LAKE_READ_URL })
const MIGRATE = z.object({ ...COMMON, API_DATABASE_URL })
const LAKE = z.object({ ...COMMON, ...METRICS, ...LAKE_ONLY })
const MCP = z.object({ LOG_LEVEL, LOG_FORMAT })

export const checkIndexerEnvironment: Check<IndexerSettings> = (environment, readFile) => {
  const { values, problems } = read(INDEXER, environment, readFile)
  const rpcProblems = NETWORK_NAMES.filter((network) => problems.some((line) => line.startsWith(rpcVariable(network))))
  // If NETWORKS is wrong, that is reported already. Do not also report networks that it may not have meant.
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
  return finish([...problems, ...checked.problems], values, (all) => ({
    ...common(all),
    warnings: [...checked.warnings, ...keyWarnings(all), ...retentionWarnings(all.BACKFILL_DAYS, all.RETENTION_DAYS)],
    ...metrics(all),
    audit: all.AUDIT,
    proveHistory: all.PROVE_HISTORY ?? null,
    retentionDays: all.RETENTION_DAYS,
    restoreSince: all.RESTORE_SINCE ?? null,
    hasLake: all.LAKE_URL !== undefined,
    networks: checked.networks,
    backfillDays: all.BACKFILL_DAYS,
    pollMs: all.POLL_MS,
    redisUrl: all.REDIS_URL ?? null,
    role: all.INDEXER_ROLE,
    backfillConcurrency: all.BACKFILL_CONCURRENCY,
    historyThreads: all.HISTORY_THREADS ?? null,
    bullBoardPort: all.BULL_BOARD_PORT ?? null,
    alertsConfig: all.ALERTS_CONFIG ?? null,
    alertsSecrets: all.ALERTS_SECRETS ?? new Map(),
    wash: {
      minVolumeUsd: all.WASH_MIN_VOLUME_USD,
      minSwaps: all.WASH_MIN_SWAPS,
      roundTripPercent: all.WASH_ROUND_TRIP_PERCENT,
      topTraders: all.WASH_TOP_TRADERS,
      topTradersPercent: all.WASH_TOP_TRADERS_PERCENT,
      matchedPercent: all.WASH_MATCHED_PERCENT,
    },
  }))
}

function byNetwork<T>(given: (network: NetworkName) => T | undefined): Partial<Record<NetworkName, T>> {
  const known: Partial<Record<NetworkName, T>> = {}
  for (const network of NETWORK_NAMES) {
    const value = given(network)
    if (value !== undefined) known[network] = value
  }
  return known
}

interface ChainValues {
  LOG_LEVEL: LogLevel
  DEX_CONFIG?: string
  POLL_MS: number
  RPC_COMPUTE_UNITS?: Readonly<Record<string, number>>
}

export function checkChainEnvironment(network: NetworkName): Check<ChainSettings> {
  const variable = rpcVariable(network)
  const rate = rateVariable(network)
  const { RPC_COMPUTE_UNITS, DEX_CONFIG, POLL_MS } = NETWORK_VARIABLES
  const object = z.object({
    ...{ LOG_LEVEL, LOG_FORMAT, RPC_COMPUTE_UNITS, DEX_CONFIG, POLL_MS },
    [variable]: NETWORK_VARIABLES[variable],
    [rate]: NETWORK_VARIABLES[rate],
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
        logLevel: given.LOG_LEVEL,
        databaseUrl: null,
        warnings: checked.warnings,
        network: settings,
        pollMs: given.POLL_MS,
      },
    }
  }
}

function retentionWarnings(wanted: number, kept: number | null): string[] {
  return kept !== null && wanted > kept
    ? [`BACKFILL_DAYS: is ${wanted}, but RETENTION_DAYS keeps ${kept} days: no more are indexed`]
    : []
}

export const checkApiEnvironment: Check<ApiSettings> = (environment, readFile) => {
  const { values, problems } = read(API, environment, readFile)
  const { PORT: port } = values
  if (port !== 0 && port !== undefined && port === values.METRICS_PORT) {
    problems.push(`METRICS_PORT: is ${port}, the port of the API itself`)
  }
  return finish(problems, values, (all) => ({
    ...common(all),
    ...metrics(all),
    apiDatabaseUrl: all.API_DATABASE_URL ?? null,
    port: all.PORT,
    rateLimitPerS: all.RATE_LIMIT_PER_S,
    apiKeys: all.API_KEYS ?? [],
    keepAliveS: all.KEEP_ALIVE_S,
    maxQuoteAgeS: all.MAX_QUOTE_AGE_S,
    readyPools: all.READY_POOLS,
    idlePoolDays: all.IDLE_POOL_DAYS,
    networks: namedNetworks(environment, readFile),
    trustProxy: all.TRUST_PROXY ?? null,
    listCacheDir: all.LIST_CACHE_DIR ?? null,
    lakeReadUrl: all.LAKE_READ_URL ?? null,
  }))
}

export const checkMigrateEnvironment: Check<MigrateSettings> = (environment, readFile) => {
  const { values, problems } = read(MIGRATE, environment, readFile)
  return finish(problems, values, (all) => ({ ...common(all), apiDatabaseUrl: all.API_DATABASE_URL ?? null }))
}

export const checkLakeEnvironment: Check<LakeSettings> = (environment, readFile) => {
  const { values, problems } = read(LAKE, environment, readFile)
  const { LAKE_URL: place, LAKE_ACCESS_KEY_ID: accessKeyId, LAKE_SECRET_ACCESS_KEY: secretAccessKey } = values
  const missing = (name: string, what: string) => problems.push(`${name}: is not set; ${what}`)
  if (place === undefined && !problems.some((line) => line.startsWith('LAKE_URL:'))) {
    missing('LAKE_URL', 'it says where to write the lake')
  }
  if (place !== undefined && 'bucket' in place) {
    if (accessKeyId === undefined) missing('LAKE_ACCESS_KEY_ID', 'the bucket needs it')
    if (secretAccessKey === undefined) missing('LAKE_SECRET_ACCESS_KEY', 'the bucket needs it')
  }
  return finish(problems, values, (all) => ({
    ...common(all),
    ...metrics(all),
    lake: lakeOf(all),
    readPort: all.LAKE_READ_PORT ?? null,
    clickHouse: { user: all.CLICKHOUSE_USER, password: all.CLICKHOUSE_PASSWORD ?? '' },
  }))
}

function lakeOf(all: z.output<typeof LAKE>): LakeSettings['lake'] {
  const { LAKE_URL: place, LAKE_ACCESS_KEY_ID: accessKeyId, LAKE_SECRET_ACCESS_KEY: secretAccessKey } = all
  if (place !== undefined && 'folder' in place) return place
  return {
    ...present(place),
    endpoint: all.LAKE_ENDPOINT ?? null,
    region: all.LAKE_REGION,
    accessKeyId: present(accessKeyId),
    secretAccessKey: present(secretAccessKey),
  }
}

export const checkMcpEnvironment: Check<ProcessSettings> = (environment, readFile) => {
  const { values, problems } = read(MCP, environment, readFile)
  return finish(problems, values, (all) => ({ logLevel: all.LOG_LEVEL, warnings: [] }))
}

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

function namedNetworks(given: Environment, readFile: ReadFile): readonly NetworkName[] {
  const { environment } = withSecretFiles(given, readFile)
  const named = NETWORK_VARIABLES.NETWORKS.safeParse(givenValue(environment, 'NETWORKS'))
  if (named.success && named.data) return named.data
  return NETWORK_NAMES.filter((network) => {
    const name = rpcVariable(network)
    return (givenValue(environment, name) ?? givenValue(environment, `${name}_FILE`)) !== undefined
  })
}

function common({ LOG_LEVEL, DATABASE_URL }: z.output<typeof MIGRATE>) {
  return { logLevel: LOG_LEVEL, databaseUrl: DATABASE_URL ?? null, warnings: [] } as const
}

function metrics({ HOST, METRICS_PORT }: { HOST: string; METRICS_PORT?: number | undefined }) {
  return { host: HOST, metricsPort: METRICS_PORT ?? null }
}

type HistoryValues = { [Name in HistoryVariable]?: string | undefined }

function archiveOf(values: HistoryValues, network: NetworkName): ArchiveSettings | undefined {
  const [url, key] = historyVariables(network)
  const given = values[url]
  return given === undefined ? undefined : { url: given, key: values[key] ?? null }
}

function keyWarnings(values: HistoryValues): string[] {
  return NETWORK_NAMES.flatMap((network) => {
    const [url, key] = historyVariables(network)
    return values[key] !== undefined && values[url] === undefined ? [`${key}: is not used without ${url}`] : []
  })
}
