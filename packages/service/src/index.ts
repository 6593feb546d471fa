export { diskMetrics } from './disk-metrics.ts'
export { startEmbeddedPostgres, stopAbandonedPostgres } from './embedded-postgres/embedded-postgres.ts'
export {
  checkApiEnvironment,
  checkChainEnvironment,
  checkIndexerEnvironment,
  checkLakeEnvironment,
  checkMcpEnvironment,
  checkMigrateEnvironment,
  checkStackEnvironment,
} from './environment/check-environment.ts'
export type { Check } from './environment/read-variables.ts'
export type { ReadFile } from './environment/secret-files.ts'
export {
  type ApiKey,
  type ApiSettings,
  type BucketSettings,
  type ChainSettings,
  INDEXER_ROLES,
  type IndexerRole,
  type IndexerSettings,
  type LakeSettings,
  type NetworkSettings,
  type ProcessSettings,
  type ProgramSettings,
  type StackSettings,
} from './environment/settings.ts'
export { SETTING_NAMES } from './environment/variables.ts'
export { assertPortsFree } from './http/assert-ports-free.ts'
export { failureBody, METHODS } from './http/failure-body.ts'
export { closeServer, createServer, listenOn, urlOf } from './http/http-server.ts'
export { serveMetrics } from './http/serve-metrics.ts'
export type { MessageClasses } from './http/stop-parser.ts'
export { responseOn, type Upgrade, type Upgrades } from './http/upgrades.ts'
export { createLogger, type Logger, type LogLevel } from './logger.ts'
export { lowerPriority } from './lower-priority.ts'
export { makeFolder } from './make-folder.ts'
export { maskUrls } from './mask-urls.ts'
export { isProcessAlive } from './process-alive.ts'
export { projectRoot } from './project-root.ts'
export { resolveDatabaseUrl } from './resolve-database-url.ts'
export { command, type ProgramContext, runCommand, runProgram } from './run-program.ts'
export type { Shutdown } from './shutdown.ts'
export { supervise } from './supervise.ts'
