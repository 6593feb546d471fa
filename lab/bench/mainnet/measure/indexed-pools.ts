import type { Address } from '@dexfeed/dex'
import type { Client } from 'pg'

/** When each pool of a network was first seen in the database. */
export class IndexedPools {
  readonly #client: Client
  readonly #chainId: number
  readonly #seen = new Map<Address, number>()

  constructor(client: Client, chainId: number) {
    this.#client = client
    this.#chainId = chainId
  }

  async look(): Promise<void> {
    const { rows } = await this.#client.query<{ address: string }>(
      `SELECT encode(address, 'hex') AS address FROM pool WHERE chain_id = $1`,
      [this.#chainId],
    )
    const now = performance.now()
    for (const { address } of rows) if (!this.#seen.has(`0x${address}`)) this.#seen.set(`0x${address}`, now)
  }

  /** Whether a pool was seen by a time. @param by a value of `performance.now()` */
  wasThere(pool: Address, by: number): boolean {
    return (this.#seen.get(pool) ?? Number.POSITIVE_INFINITY) <= by
  }
}
