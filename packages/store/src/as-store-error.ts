import { StoreError } from './store-error.ts'

/** SQLSTATE classes: connection, resources, operator intervention, system error, transaction conflict. */
const RETRYABLE_CLASSES = new Set(['08', '40', '53', '57', '58'])
/** Lock time-out; read-only (a fail-over in progress). */
const RETRYABLE_STATES = new Set(['55P03', '25006'])
const RETRYABLE_SYSTEM_ERRORS = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'])
/** Prisma's own: connection (P1...), pool time-out, conflict, too many connections. */
const RETRYABLE_PRISMA = /^(P1\d{3}|P2024|P2034|P2037)$/
/** What node-postgres says, without a code, when a connection goes away or cannot be had. */
const CONNECTION_GONE =
  /connection terminated|client has encountered a connection error|timeout exceeded|timeout expired/i

/** The error as a StoreError that tells whether to try again; the original one is its cause. */
export function asStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new StoreError(`the database failed: ${message}`, { retryable: isRetryable(error, message), cause: error })
}

/** SQLSTATE or system error code; null without one. */
export function codeOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return typeof code === 'string' ? code : null
}

function isRetryable(error: unknown, message: string): boolean {
  const code = codeOf(error)
  if (code === null) return CONNECTION_GONE.test(message)
  if (RETRYABLE_SYSTEM_ERRORS.has(code) || RETRYABLE_STATES.has(code)) return true
  if (RETRYABLE_PRISMA.test(code)) return true
  return code.length === 5 && RETRYABLE_CLASSES.has(code.slice(0, 2))
}
