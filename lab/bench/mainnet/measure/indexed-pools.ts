import { type Address, SECOND } from '@dexfeed/dex'
import type { Client } from 'pg'

/** The API queries the unread pools again after this time. */
const UNREAD_LIFE_MS = 2 * SECOND

/**
 * Which pools of a network the API must know. Every bound is from what was seen before, so a slow machine gives no
 * wrong one.
 */
export class IndexedPools {
  readonly #client: Client
  readonly #chainId: number
  /** When each pool was first seen in the database, at the latest. */
  readonly #seen = new Map<Address, number>()
  /** When each head was first seen there, with the time of the look before: it was stored after that. */
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
   * Whether the API has queried the unread pools since this one was stored. The market of the newest block was made by
   * queries that began after the market of the block before it was complete, so after that block was stored. Of the
   * unread pools they may have used what was read two seconds before.
   */
  isKnown(pool: Address): boolean {
    const stored = this.#heads.find(({ head }) => head >= this.#before)?.after ?? Number.NEGATIVE_INFINITY
    return (this.#seen.get(pool) ?? Number.POSITIVE_INFINITY) < stored - UNREAD_LIFE_MS
  }
}
