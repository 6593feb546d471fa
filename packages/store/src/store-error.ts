export class StoreError extends Error {
  override readonly name: string = 'StoreError'
  readonly retryable: boolean

  constructor(message: string, options: { retryable: boolean; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.retryable = options.retryable
  }

  get timedOut(): boolean {
    return codeOf(this.cause) === STATEMENT_TIMEOUT
  }
}

const STATEMENT_TIMEOUT = '57014'

export class DatabaseUnreachable extends StoreError {
  override readonly name = 'DatabaseUnreachable'

  constructor(target: string, reason: string, cause: unknown) {
    super(`cannot use the database at ${target}: ${reason}`, { retryable: true, cause })
  }
}

/** Days that the database no longer keeps cannot be read now. */
export class LakeUnavailable extends StoreError {
  override readonly name = 'LakeUnavailable'

  constructor(reason: string, cause?: unknown) {
    super(`the lake cannot be read: ${reason}`, { retryable: true, cause })
  }
}

/** The lake refuses a request that is too large, or whose answer is: to repeat it does not help. */
export class LakeTooMuch extends StoreError {
  override readonly name = 'LakeTooMuch'

  constructor() {
    super('the days asked for hold too much', { retryable: false })
  }
}

export class DatabaseNotMigrated extends StoreError {
  override readonly name = 'DatabaseNotMigrated'

  constructor(missing: readonly string[]) {
    super(`the database is not up to date (missing: ${missing.join(', ')}); run \`npm run migrate\` first`, {
      retryable: false,
    })
  }
}

export class DatabaseTooNew extends StoreError {
  override readonly name = 'DatabaseTooNew'

  constructor(unknown: readonly string[]) {
    super(`the database was migrated by a newer dexfeed (unknown: ${unknown.join(', ')}); update this installation`, {
      retryable: false,
    })
  }
}

export class MigrationFailed extends StoreError {
  override readonly name = 'MigrationFailed'

  constructor(message: string, cause?: unknown) {
    super(message, { retryable: false, cause })
  }
}

export class GenesisMismatch extends StoreError {
  override readonly name = 'GenesisMismatch'

  constructor(network: string, stored: string, actual: string) {
    super(
      `the database holds ${network} with genesis block ${stored}, the endpoint's chain begins with ${actual}; use another database for another chain`,
      { retryable: false },
    )
  }
}

/** If either hash of block 0 is unknown, the headers of stored blocks must decide. Throws GenesisMismatch. */
export function checkGenesis(network: string, stored: string | null, actual: string | null): void {
  if (stored !== null && actual !== null && stored !== actual) throw new GenesisMismatch(network, stored, actual)
}

export class LeaseLost extends StoreError {
  override readonly name = 'LeaseLost'

  constructor(network: string, epoch: number) {
    super(`another indexer writes ${network} now (epoch ${epoch} is over)`, { retryable: false })
  }
}

/** The lease may still be free: the same process can take it again. */
export class LeaseInterrupted extends StoreError {
  override readonly name = 'LeaseInterrupted'

  constructor(network: string) {
    super(`the connection that holds the right to write ${network} was lost`, { retryable: true })
  }
}

export class RangeAlreadyCovered extends StoreError {
  override readonly name = 'RangeAlreadyCovered'

  constructor(network: string, from: number, to: number) {
    super(`blocks ${from} to ${to} of ${network} are covered already, in whole or in part`, { retryable: false })
  }
}

/** Only final, covered blocks are repaired; the follower owns those above. */
export class RangeNotSettled extends StoreError {
  override readonly name = 'RangeNotSettled'

  constructor(network: string, from: number, to: number) {
    super(`blocks ${from} to ${to} of ${network} are not all final and covered`, { retryable: true })
  }
}

/** Repeat the commit with the rows of these days. */
export class DaysRestored extends StoreError {
  override readonly name = 'DaysRestored'

  constructor() {
    super('days whose rows were left out are kept again', { retryable: true })
  }
}

export class NetworkNotRestored extends StoreError {
  override readonly name = 'NetworkNotRestored'

  constructor(network: string) {
    super(`these days have blocks of ${network}, too: restore them with an indexer that also indexes ${network}`, {
      retryable: false,
    })
  }
}

export class ReorgTooDeep extends StoreError {
  override readonly name = 'ReorgTooDeep'

  constructor(network: string, ancestor: number, finalNumber: number) {
    super(`${network} went back to block ${ancestor}, below block ${finalNumber} that was taken as final`, {
      retryable: false,
    })
  }
}

/** To recover, fetch the blocks from the node again. */
export class BlocksNotLinked extends StoreError {
  override readonly name = 'BlocksNotLinked'

  constructor(network: string, number: number, parentHash: string, expected: string) {
    super(`block ${number} of ${network} names ${parentHash} as its parent, block ${number - 1} is ${expected}`, {
      retryable: true,
    })
  }
}

/** A skipped block was orphaned, or became final and thus part of history. */
export class BlockNotStored extends StoreError {
  override readonly name = 'BlockNotStored'

  constructor(network: string, number: number, hash: string) {
    super(`block ${number} of ${network} is no longer stored as ${hash}`, { retryable: false })
  }
}

/** To recover, read the snapshot again. */
export class HeadMoved extends StoreError {
  override readonly name = 'HeadMoved'

  constructor(network: string, expected: string, actual: string | null) {
    super(`the snapshot of ${network} is of block ${expected}, the indexed head is ${actual ?? 'none'}`, {
      retryable: true,
    })
  }
}

/** Classes of SQLSTATE: connection, transaction conflict, resources, operator intervention, system error. */
const RETRYABLE_CLASSES = new Set(['08', '40', '53', '57', '58'])
/** Lock timeout; read-only, because a failover is in progress. */
const RETRYABLE_STATES = new Set(['55P03', '25006'])
const RETRYABLE_SYSTEM_ERRORS = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'])
/** Connection (P1...), pool timeout, transaction not started or already closed, conflict, too many connections. */
const RETRYABLE_PRISMA = /^(P1\d{3}|P2024|P2028|P2034|P2037)$/
/** Errors without a SQLSTATE; Prisma's own code is then P2010. */
const RETRYABLE_KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout'])
const CONNECTION_GONE =
  /connection terminated|client has encountered a connection error|timeout exceeded|timeout expired/i

const FAILED_CALL = /^\s*Invalid `[^`]*` invocation[^\n]*\s*/

/** Returns a StoreError that says whether a retry may help; its cause is the original error. */
export function asStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const message = (error instanceof Error ? error.message : String(error)).replace(FAILED_CALL, '')
  return new StoreError(`the database failed: ${message}`, { retryable: isRetryable(error, message), cause: error })
}

/** Makes methods reject only with a StoreError, or with a RangeError for a mistake of the caller. */
export function withStoreErrors<Methods extends Record<string, (...args: never[]) => Promise<unknown>>>(
  methods: Methods,
): Methods {
  const mapped = Object.entries(methods).map(([name, method]) => {
    const call = async (...args: never[]) => {
      try {
        return await method(...args)
      } catch (error) {
        throw error instanceof RangeError ? error : asStoreError(error)
      }
    }
    return [name, call]
  })
  return Object.fromEntries(mapped) as Methods
}

/** Returns the SQLSTATE or system error code, even if Prisma wraps it, else Prisma's own code. */
export function codeOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return wrappedCode(error) ?? (typeof code === 'string' ? code : null)
}

function wrappedCode(error: unknown): string | null {
  const code = adapterErrorOf(error)?.originalCode
  return typeof code === 'string' ? code : null
}

interface AdapterError {
  kind?: unknown
  originalCode?: unknown
}

function adapterErrorOf(error: unknown): AdapterError | undefined {
  if (!(error instanceof Error)) return undefined
  const { meta, cause } = error as { meta?: { driverAdapterError?: { cause?: AdapterError } }; cause?: AdapterError }
  return meta?.driverAdapterError?.cause ?? cause
}

function isRetryable(error: unknown, message: string): boolean {
  if (CONNECTION_GONE.test(message)) return true
  if (RETRYABLE_KINDS.has(String(adapterErrorOf(error)?.kind))) return true
  const code = codeOf(error)
  if (code === null) return false
  if (RETRYABLE_SYSTEM_ERRORS.has(code) || RETRYABLE_STATES.has(code)) return true
  if (RETRYABLE_PRISMA.test(code)) return true
  return code.length === 5 && RETRYABLE_CLASSES.has(code.slice(0, 2))
}
