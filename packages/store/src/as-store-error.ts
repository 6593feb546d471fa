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

/** SQLSTATE or system error code, also where Prisma wraps it; else Prisma's own; null without any. */
export function codeOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return wrappedCode(error) ?? (typeof code === 'string' ? code : null)
}

/** What the server said to Prisma's adapter. */
function wrappedCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const { meta } = error as { meta?: { driverAdapterError?: { cause?: { originalCode?: unknown } } } }
  const code = meta?.driverAdapterError?.cause?.originalCode
  return typeof code === 'string' ? code : null
}

function isRetryable(error: unknown, message: string): boolean {
  if (CONNECTION_GONE.test(message)) return true
  const code = codeOf(error)
  if (code === null) return false
  if (RETRYABLE_SYSTEM_ERRORS.has(code) || RETRYABLE_STATES.has(code)) return true
  if (RETRYABLE_PRISMA.test(code)) return true
  return code.length === 5 && RETRYABLE_CLASSES.has(code.slice(0, 2))
}
