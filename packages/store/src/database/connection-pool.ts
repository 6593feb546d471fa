import { AsyncLocalStorage } from 'node:async_hooks'
import { Pool, type PoolClient } from 'pg'

type OnConnect = (error: Error | undefined, client: PoolClient | undefined, done: (release?: unknown) => void) => void

/** The pool under Prisma. It knows which connection a transaction of Prisma's runs on, so that COPY can join it. */
export class ConnectionPool extends Pool {
  readonly #leases = new AsyncLocalStorage<{ last: PoolClient | null }>()

  /** Runs `work`; what it is given tells the connection that was taken last within it. */
  async watchingLeases<T>(work: (lastLeased: () => PoolClient) => Promise<T>): Promise<T> {
    const lease: { last: PoolClient | null } = { last: null }
    const lastLeased = () => {
      if (lease.last === null) throw new Error('no connection was taken from the pool')
      return lease.last
    }
    return this.#leases.run(lease, () => work(lastLeased))
  }

  override connect(): Promise<PoolClient>
  override connect(onConnect: OnConnect): void
  override connect(onConnect?: OnConnect): Promise<PoolClient> | undefined {
    if (onConnect !== undefined) {
      super.connect(onConnect)
      return
    }
    const lease = this.#leases.getStore()
    return super.connect().then((client) => {
      if (lease !== undefined) lease.last = client
      return client
    })
  }
}
