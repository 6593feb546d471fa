import { type Address, SECOND } from '@dexfeed/dex'
import type { Client } from 'pg'

/** The API uses the unread pools that it read for this long (UNREAD_LIFE_MS in live-market.ts). */
const UNREAD_LIFE_MS = 2 * SECOND

/**
 * Shows which pools of a network the API must know. The bounds come from the blocks of its responses, not from how long
 * it takes, so they hold on a slow machine, too.
 */
export class IndexedPools {
  readonly #client: Client
  readonly #chainId: number
  /** When each pool was first seen in the database, at the latest. */
  readonly #seen = new Map<Address, number>()
  /** The stored heads, ascending. Each was stored after the time `after`, when the look before did not see it. */
  readonly #heads: { head: number; after: number }[] = []
  #lookedAt = Number.NEGATIVE_INFINITY
  /** The newest block of a response, and the one before it. */
  #newest = Number.NEGATIVE_INFINITY
  #before = Number.NEGATIVE_INFINITY

  constructor(client: Client, chainId: number) {
    this.#client = client
    this.#chainId = chainId
  }

  async look(): Promise<void> {
    const startedAt = performance.now()
    const heads = await this.#client.query<{ head: string | null }>(
      `SELECT head_number::text AS head FROM network WHERE chain_id = $1`,
      [this.#chainId],
    )
    const head = Number(heads.rows[0]?.head ?? Number.NEGATIVE_INFINITY)
    if (head > (this.#heads.at(-1)?.head ?? Number.NEGATIVE_INFINITY)) this.#heads.push({ head, after: this.#lookedAt })
    this.#lookedAt = startedAt
    const { rows } = await this.#client.query<{ address: string }>(
      `SELECT encode(address, 'hex') AS address FROM pool WHERE chain_id = $1`,
      [this.#chainId],
    )
    const now = performance.now()
    for (const { address } of rows) if (!this.#seen.has(`0x${address}`)) this.#seen.set(`0x${address}`, now)
  }

  /** Notes the block of a response. */
  note(block: number): void {
    if (block > this.#newest) [this.#before, this.#newest] = [this.#newest, block]
  }

  /**
   * Returns whether the API has queried the unread pools since this pool was stored. It queries for the market of the
   * newest block after it has completed the market of the block before, so after that block was stored. It may use
   * unread pools that it read two seconds earlier.
   */
  isKnown(pool: Address): boolean {
    const stored = this.#heads.find(({ head }) => head >= this.#before)?.after ?? Number.NEGATIVE_INFINITY
    return (this.#seen.get(pool) ?? Number.POSITIVE_INFINITY) < stored - UNREAD_LIFE_MS
  }
}
