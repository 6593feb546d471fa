import { type BlockId, HOUR, MINUTE } from '@dexfeed/dex'
import type { ChainLog } from '../../../chain-log.ts'
import type { Endpoint } from '../../../endpoints/endpoint.ts'
import { type EndpointPool, type Session, UNSETTLED_ATTEMPTS } from '../../../endpoints/endpoint-pool.ts'
import { ChainError, ProofFailed } from '../../../errors/chain-error.ts'
import { headerRequest } from '../../../json-rpc/messages.ts'
import { type RpcObject, readObject } from '../../../json-rpc/rpc-value.ts'
import type { BlockProver } from '../commitments/block-prover.ts'

/**
 * Blocks from `from` on that no endpoint can prove, because their headers have `fields` that this version does not
 * know.
 */
export interface HeaderAlert {
  from: number
  fields: readonly string[]
}

export interface UnknownHeader {
  block: BlockId
  fields: readonly string[]
  /** Whether the header also lacks known fields, so that it cannot be checked at all. */
  isLean: boolean
}

interface UnknownHeadersOptions {
  log: ChainLog
  now: () => number
}

const REMIND_MS = HOUR
const SET_ASIDE_MS = MINUTE
const MAX_FIELDS = 8
const FIELD_NAME = /^\w{1,40}$/

/**
 * Judges headers with unknown fields. Such a header is a lie if another endpoint's header of the block matches its
 * hash. If none does, the chain has forked: blocks are read without proof until a block at least as high is proven.
 */
export class UnknownHeaders {
  readonly #pool: EndpointPool
  readonly #options: UnknownHeadersOptions
  #alert: (HeaderAlert & { to: number }) | null = null
  #loggedAt = Number.NEGATIVE_INFINITY
  readonly #warnedAt = new Map<Endpoint, number>()

  constructor(pool: EndpointPool, options: UnknownHeadersOptions) {
    this.#pool = pool
    this.#options = options
  }

  get alert(): HeaderAlert | null {
    return this.#alert === null ? null : { from: this.#alert.from, fields: this.#alert.fields }
  }

  /**
   * @throws ProofFailed if the header of another endpoint matches this hash
   * @throws ChainInconsistent if another endpoint proves a different block, or does not have the block yet
   */
  async judge(session: Session, header: UnknownHeader, prover: BlockProver): Promise<void> {
    const {
      block: { number, hash },
      isLean,
    } = header
    let lacking: Endpoint | null = null
    for (const other of this.#others(session.endpoint)) {
      const shown = await this.#shownBy(other, number)
      if (shown === 'none') lacking = other
      if (typeof shown === 'string' || prover.hasItsHash(shown) !== true) continue
      if (isLean) return
      if (shown.hash === hash) {
        const what = `its header does not have its hash, that of ${other.masked} has`
        throw new ProofFailed({ endpoint: session.endpoint.masked, block: number, what })
      }
      this.#setAside(session.endpoint, other, number)
      throw session.inconsistent(`header ${number} does not have its hash ${hash}, ${other.masked} has ${shown.hash}`)
    }
    // The operation tries the endpoints in turn, so this endpoint may get no further attempt.
    const isLastTry = session.attempt + this.#pool.endpoints.length >= UNSETTLED_ATTEMPTS
    if (lacking !== null && !isLastTry) {
      throw session.inconsistent(`header ${number} does not have its hash, and ${lacking.masked} does not have it yet`)
    }
    this.#raiseAlert(header)
  }

  proven(number: number): void {
    if (this.#alert === null || number < this.#alert.to) return
    this.#options.log.info({ block: number, ...this.alert }, 'headers match their hashes again: blocks are proven')
    this.#alert = null
    this.#loggedAt = Number.NEGATIVE_INFINITY
  }

  #others(endpoint: Endpoint): Endpoint[] {
    const now = this.#options.now()
    return this.#pool.endpoints.filter((other) => other.host !== endpoint.host && other.readyAt('live') <= now)
  }

  async #shownBy(other: Endpoint, number: number): Promise<RpcObject | 'none' | 'failed'> {
    try {
      const { results } = await this.#pool.once(other, 'live', (session) => session.request([headerRequest(number)]))
      return results[0] === null || results[0] === undefined ? 'none' : readObject(results[0], 'block')
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      this.#options.log.debug({ endpoint: other.masked, err: error }, 'no header to compare')
      return 'failed'
    }
  }

  #setAside(endpoint: Endpoint, other: Endpoint, block: number): void {
    this.#pool.setAside(endpoint, SET_ASIDE_MS)
    const now = this.#options.now()
    if (now - (this.#warnedAt.get(endpoint) ?? Number.NEGATIVE_INFINITY) < REMIND_MS) return
    this.#warnedAt.set(endpoint, now)
    const fields = { endpoint: endpoint.masked, other: other.masked, block, forMs: SET_ASIDE_MS }
    this.#options.log.warn(
      fields,
      'rpc endpoint set aside: its header does not match its hash, and the other endpoint proves another block; ' +
        'remove the endpoint that is wrong, or update it if the chain has forked',
    )
  }

  #raiseAlert({ block: { number }, fields }: UnknownHeader): void {
    const raised = this.#alert
    const names = [...new Set([...(raised?.fields ?? []), ...fields.filter((name) => FIELD_NAME.test(name))])]
    this.#alert = {
      from: Math.min(number, raised?.from ?? number),
      to: Math.max(number, raised?.to ?? number),
      fields: names.slice(0, MAX_FIELDS),
    }
    const now = this.#options.now()
    if (now - this.#loggedAt < REMIND_MS) return
    this.#loggedAt = now
    this.#options.log.error(
      { ...this.alert, block: number },
      `headers from block ${this.#alert.from} on have fields that this version does not know, and do not match their ` +
        'hashes without them: the chain has forked. Blocks are read without proof. Update dexfeed (docs/internals/forks.md)',
    )
  }
}
