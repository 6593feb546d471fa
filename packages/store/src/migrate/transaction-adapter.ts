import { PrismaPg } from '@prisma/adapter-pg'
import type { SqlDriverAdapter, SqlMigrationAwareDriverAdapterFactory, Transaction } from '@prisma/driver-adapter-utils'
import type { ClientConfig } from 'pg'

/** An adapter for the schema engine that does all its work in one transaction. */
export interface TransactionAdapter {
  factory: SqlMigrationAwareDriverAdapterFactory
  /** The first error of a migration script; the engine's own is that of its report about it. */
  scriptError(): unknown
  commit(): Promise<void>
  rollback(): Promise<void>
}

/**
 * Opens it. Prisma's adapter differs in two points that make it unfit for migrations: it splits a script at every
 * semicolon, also in a comment, and a migration that fails or is killed midway stays half applied.
 */
export async function openTransactionAdapter(config: ClientConfig): Promise<TransactionAdapter> {
  const base = await new PrismaPg(config).connect()
  const transaction = await base.startTransaction()
  let scriptError: unknown = null
  const adapter = adapterOf(base, transaction, (error) => {
    scriptError ??= error
  })
  const end = async (sql: 'COMMIT' | 'ROLLBACK') => {
    try {
      await transaction.executeRaw(statement(sql))
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
    scriptError: () => scriptError,
    commit: () => end('COMMIT'),
    rollback: () => end('ROLLBACK'),
  }
}

function adapterOf(base: SqlDriverAdapter, tx: Transaction, onScriptError: (error: unknown) => void): SqlDriverAdapter {
  return {
    provider: base.provider,
    adapterName: base.adapterName,
    queryRaw: (query) => tx.queryRaw(query),
    executeRaw: (query) => tx.executeRaw(query),
    async executeScript(script) {
      try {
        // Without arguments it goes to the server as it is, all its statements at once.
        await tx.executeRaw(statement(script))
      } catch (error) {
        onScriptError(error)
        throw error
      }
    },
    startTransaction: () => Promise.reject(new Error('migrations are applied in one transaction')),
    dispose: async () => {},
  }
}

function statement(sql: string) {
  return { sql, args: [], argTypes: [] }
}
