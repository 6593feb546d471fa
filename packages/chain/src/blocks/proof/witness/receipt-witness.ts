import { type Hex, type Log, SECOND } from '@dexfeed/dex'
import type { Clock } from '../../../clock.ts'
import type { Endpoint } from '../../../endpoints/endpoint.ts'
import type { EndpointPool, Session } from '../../../endpoints/endpoint-pool.ts'
import type { Priority } from '../../../endpoints/request-gate.ts'
import { ChainError } from '../../../errors/chain-error.ts'
import { containsLogs } from '../../../json-rpc/rpc-log.ts'

export interface ReceiptWitnessOptions {
  clock: Clock
  headPatienceMs: number
}

const FIRST_PAUSE_MS = SECOND / 10

type ReceiptLogs = readonly Log[][]

/** Compares unproven receipts with those of an endpoint of another host, and uses those with more logs. */
export class ReceiptWitness {
  readonly #pool: EndpointPool
  readonly #options: ReceiptWitnessOptions
  readonly #missedAt = new Map<Endpoint, number>()

  constructor(pool: EndpointPool, options: ReceiptWitnessOptions) {
    this.#pool = pool
    this.#options = options
  }

  /** @throws ChainInconsistent if two receipts of a transaction contradict each other */
  async confirm(
    session: Session,
    hashes: readonly Hex[],
    fetch: (session: Session) => Promise<Log[][]>,
    priority: Priority,
  ): Promise<Log[][]> {
    const [reported, other] = await Promise.all([fetch(session), this.#fetchFromOther(session, fetch, priority)])
    if (other === null) return reported
    return reported.map((logs, i) => fullerOf(session, hashes[i] ?? '0x', logs, other[i] ?? []))
  }

  async #fetchFromOther(
    { endpoint }: Session,
    fetch: (session: Session) => Promise<Log[][]>,
    priority: Priority,
  ): Promise<ReceiptLogs | null> {
    const { clock, headPatienceMs } = this.#options
    const others = this.#pool.witnessesOf(endpoint)
    for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
      for (const other of others) {
        const reported = other.readyAt(priority) <= clock.now() ? await this.#fetchFrom(other, fetch, priority) : null
        if (reported !== null) {
          this.#missedAt.delete(other)
          return reported
        }
        if (!this.#missedAt.has(other)) this.#missedAt.set(other, clock.now())
      }
      const givenUpAt = clock.now() + pause - headPatienceMs
      if (!others.some((other) => this.#isAwaited(other, givenUpAt))) return null
      await clock.sleep(pause)
    }
  }

  /** An endpoint without `missedAt` has just responded to a concurrent call. */
  #isAwaited(endpoint: Endpoint, givenUpAt: number): boolean {
    const missedAt = this.#missedAt.get(endpoint)
    return missedAt === undefined || missedAt >= givenUpAt
  }

  async #fetchFrom(
    endpoint: Endpoint,
    fetch: (session: Session) => Promise<Log[][]>,
    priority: Priority,
  ): Promise<ReceiptLogs | null> {
    try {
      return await this.#pool.once(endpoint, priority, fetch)
    } catch (error) {
      if (error instanceof ChainError) return null
      throw error
    }
  }
}

function fullerOf(session: Session, hash: Hex, each: Log[], other: Log[]): Log[] {
  const [fuller, shorter] = each.length < other.length ? [other, each] : [each, other]
  if (containsLogs(fuller, shorter)) return fuller
  throw session.inconsistent(`two receipts of ${hash} that contradict each other`)
}
