export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
  stopAbandonedPostgres,
} from './embedded-postgres/embedded-postgres.ts'
export {
  type Check,
  type Checked,
  checkApiEnvironment,
  checkChainEnvironment,
  checkIndexerEnvironment,
  checkMigrateEnvironment,
  checkStackEnvironment,
} from './environment/check-environment.ts'
export type { Environment, ReadFile } from './environment/secret-files.ts'
export {
  type ApiSettings,
  type ChainSettings,
  INDEXER_ROLES,
  type IndexerRole,
  type IndexerSettings,
  type MetricsSettings,
  type MigrateSettings,
  type NetworkSettings,
  type ProgramSettings,
  type StackSettings,
  type WashSettings,
} from './environment/settings.ts'
export { settingsOrExit } from './environment.ts'
export { createLogger, type Logger, type LoggerOptions, type LogLevel } from './logger.ts'
export { maskUrls } from './mask-urls.ts'
export { isProcessAlive } from './process-alive.ts'
export { projectRoot } from './project-root.ts'
export { type ResolvedDatabase, resolveDatabaseUrl } from './resolve-database-url.ts'
export { type ProgramContext, runProgram } from './run-program.ts'
export { type MetricsServer, type MetricsServerOptions, serveMetrics } from './serve-metrics.ts'
export { openShutdown, type Shutdown, type ShutdownOptions } from './shutdown.ts'
export { type Ended, type Program, type SuperviseOptions, type Supervisor, supervise } from './supervise.ts'
