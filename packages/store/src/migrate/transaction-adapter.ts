import { PrismaPg } from '@prisma/adapter-pg'
import type { SqlDriverAdapter, SqlMigrationAwareDriverAdapterFactory, Transaction } from '@prisma/driver-adapter-utils'
import { ConnectionPool } from '../database/connection-pool.ts'
import type { WatchedConfig } from '../database/watched-client.ts'

/** A statement that waits for a table makes all later reads of it wait, too. */
const LOCK_TIMEOUT_MS = 2_000

export interface TransactionAdapter {
  factory: SqlMigrationAwareDriverAdapterFactory
  firstError(): unknown
  commit(): Promise<void>
  rollback(): Promise<void>
}

/**
 * Opens an adapter that works in one transaction. Prisma's own adapter splits a script at every semicolon, even in a
 * comment, and leaves a failed migration half applied.
 */
export async function openTransactionAdapter(config: WatchedConfig): Promise<TransactionAdapter> {
  const base = await new PrismaPg(new ConnectionPool(config), { disposeExternalPool: true }).connect()
  const transaction = await base.startTransaction()
  await transaction.executeRaw(statement(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`))
  let firstError: unknown = null
  const noting: Noting = (work) =>
    work.catch((error: unknown) => {
      firstError ??= error
      throw error
    })
  const adapter = adapterOf(base, transaction, noting)
  const end = async (sql: 'COMMIT' | 'ROLLBACK') => {
    try {
      await noting(transaction.executeRaw(statement(sql)))
    } finally {
      await (sql === 'COMMIT' ? transaction.commit() : transaction.rollback())
      await base.dispose()
    }
  }
  return {
    factory: {
      provider: base.provider,
      adapterName: base.adapterName,
      connect: async () => adapter,
      connectToShadowDb: () => Promise.reject(new Error('migrations are applied without a shadow database')),
    },
    firstError: () => firstError,
    commit: () => end('COMMIT'),
    rollback: () => end('ROLLBACK'),
  }
}

type Noting = <T>(work: Promise<T>) => Promise<T>

function adapterOf(base: SqlDriverAdapter, tx: Transaction, noting: Noting): SqlDriverAdapter {
  return {
    provider: base.provider,
    adapterName: base.adapterName,
    queryRaw: (query) => noting(tx.queryRaw(query)),
    executeRaw: (query) => noting(tx.executeRaw(query)),
    async executeScript(script) {
      // Without arguments all statements of the script are sent together.
      await noting(tx.executeRaw(statement(script)))
    },
    startTransaction: () => Promise.reject(new Error('migrations are applied in one transaction')),
    dispose: async () => {},
  }
}

function statement(sql: string) {
  return { sql, args: [], argTypes: [] }
}
