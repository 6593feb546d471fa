import { type Block, type BlockHeader, type BlockRange, type Log, MINUTE } from '@dexfeed/dex'
import type { ChainLog } from '../../chain-log.ts'
import type { Clock } from '../../clock.ts'
import type { EndpointPool, Session } from '../../endpoints/endpoint-pool.ts'
import { ChainError } from '../../errors/chain-error.ts'
import { type LogFilter, logsOfBlockRequests } from '../../json-rpc/messages.ts'
import { inLogOrder, readFoundLogs } from '../../json-rpc/rpc-log.ts'
import { withoutEmpty } from '../assemble-block.ts'
import type { ReadProven } from '../block-proof.ts'
import { fetchPresentHeader } from '../read-header.ts'
import type { ArchivedRange, Portal } from './portal.ts'
import { ArchiveFailure } from './portal-stream.ts'

const SET_ASIDE_MS = MINUTE
const SET_ASIDE_FOR_LONG_MS = 10 * MINUTE

export interface ArchiveOptions {
  filter: LogFilter
  readProven: ReadProven
  log: ChainLog
  clock: Clock
  share: number
}

interface Refuted {
  block: number
  what: string
}

class ArchiveFalse extends ChainError {
  override readonly name = 'ArchiveFalse'

  constructor(masked: string, block: number, what: string) {
    super(`${masked} shows a false block ${block}: ${what}`, { retryable: true })
  }
}

/**
 * Reads history from an archive. Compares the hash of each range's last block, and randomly chosen receipts, with a
 * node. After a failure or a difference, history is temporarily read from the node instead of the archive.
 */
export class ArchiveHistory {
  readonly #portal: Portal
  readonly #pool: EndpointPool
  readonly #options: ArchiveOptions
  #asideUntil = Number.NEGATIVE_INFINITY

  constructor(portal: Portal, pool: EndpointPool, options: ArchiveOptions) {
    this.#portal = portal
    this.#pool = pool
    this.#options = options
  }

  async readRange(requested: BlockRange): Promise<ArchivedRange | null> {
    const { clock, log } = this.#options
    if (clock.now() < this.#asideUntil) return null
    try {
      const part = await this.#portal.readRange(requested)
      const logging = await this.#confirm(part)
      const blocks = part.blocks.map((block): Block => (block.number < logging ? block : { ...block, logsEther: true }))
      return { ...part, blocks: withoutEmpty(blocks) }
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      const isLasting = error instanceof ArchiveFalse || (error instanceof ArchiveFailure && error.isLasting)
      const forMs = isLasting ? SET_ASIDE_FOR_LONG_MS : SET_ASIDE_MS
      if (clock.now() >= this.#asideUntil) {
        log.warn(
          { archive: this.#portal.masked, err: error, forMs },
          'history is temporarily read from the node instead of the archive',
        )
      }
      this.#asideUntil = clock.now() + forMs
      return null
    }
  }

  close(): Promise<void> {
    return this.#portal.close()
  }

  /**
   * Compares the range with the node and throws ArchiveFalse if they differ. Returns the first block that logs
   * transfers of the native coin, which archives do not report, or infinity.
   */
  async #confirm({ from, to, blocks }: ArchivedRange): Promise<number> {
    const { share, clock } = this.#options
    const sample = blocks.filter(() => clock.random() < share)
    const unproven: Block[] = []
    let logging = Number.POSITIVE_INFINITY
    const what = `blocks ${from} to ${to} of the archive`
    const refuted = await this.#pool.run({ what, priority: 'bulk' }, async (session) => {
      unproven.length = 0
      const last = blocks.at(-1)
      if (last === undefined) return null
      const header = await fetchPresentHeader(session, last.number)
      const differing = differingHeader(header, last)
      if (differing !== null) return { block: last.number, what: differing }
      const found = header.logsEther ? await firstLogging(session, blocks) : Number.POSITIVE_INFINITY
      if (typeof found !== 'number') return found
      logging = found
      return this.#refute(session, sample, unproven)
    })
    // Found outside `pool.run`, so that the endpoint is not blamed for the archive's fault.
    const difference = refuted ?? (await this.#refuteElsewhere(what, unproven))
    if (difference !== null) throw new ArchiveFalse(this.#portal.masked, difference.block, difference.what)
    return logging
  }

  async #refute(session: Session, sample: readonly Block[], unproven: Block[]): Promise<Refuted | null> {
    for (const block of sample) {
      const { what, isProven } = await this.#differs(session, block)
      if (what !== null) return { block: block.number, what }
      if (!isProven) unproven.push(block)
    }
    return null
  }

  /** Asks another host, because the first may omit the same logs as the archive. */
  async #refuteElsewhere(what: string, sample: readonly Block[]): Promise<Refuted | null> {
    if (sample.length === 0) return null
    try {
      return await this.#pool.run({ what, priority: 'bulk', elsewhere: true }, (session) =>
        this.#refute(session, sample, []),
      )
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      this.#options.log.debug({ err: error }, 'archive not compared: no second endpoint responds')
      return null
    }
  }

  async #differs(session: Session, block: Block): Promise<{ what: string | null; isProven: boolean }> {
    const { number, hash } = block
    const { filter, readProven } = this.#options
    const [proven] = (await readProven(session, { from: number, to: number })) ?? []
    const logs =
      proven?.logs ??
      inLogOrder(
        readFoundLogs((await session.request(logsOfBlockRequests(filter, hash))).results, filter, session.inconsistent),
      )
    const isProven = proven !== undefined
    const differs = (what: string) => ({ what, isProven })
    const header = proven === undefined ? null : differingHeader(proven, block)
    if (header !== null) return differs(header)
    if (textOf(logs) !== textOf(block.logs))
      return differs(`${block.logs.length} logs that are not the ${logs.length} of the node`)
    for (const [index, { hash: transactionHash, from, value }] of proven?.transactions ?? []) {
      const reported = block.transactions.get(index)
      if (reported?.hash !== transactionHash || reported.from !== from || reported.value !== value)
        return differs(`another transaction than ${transactionHash}`)
      const shown = block.receipts?.logsOf(index)
      const receipt = proven?.receipts?.logsOf(index)
      if (textOf(shown ?? []) !== textOf(receipt ?? [])) return differs(`another receipt of ${transactionHash}`)
    }
    return { what: null, isProven }
  }
}

/** Bisects for the first block that logs transfers of the native coin, which works because a fork is permanent. */
async function firstLogging(session: Session, blocks: readonly Block[]): Promise<number | Refuted> {
  let first = 0
  let end = blocks.length - 1
  for (let place = 0; first < end; place = (first + end) >> 1) {
    const block = blocks[place]
    if (block === undefined) break
    const header = await fetchPresentHeader(session, block.number)
    const differing = differingHeader(header, block)
    if (differing !== null) return { block: block.number, what: differing }
    if (header.logsEther) end = place
    else first = place + 1
  }
  return blocks[first]?.number ?? Number.POSITIVE_INFINITY
}

/** Compares the timestamp too, because an archive's hash is not computed from its fields. */
function differingHeader(shown: BlockHeader, reported: BlockHeader): string | null {
  if (shown.hash !== reported.hash) return `its hash is ${shown.hash}, not ${reported.hash}`
  if (shown.timestamp !== reported.timestamp) return `its time is ${shown.timestamp}, not ${reported.timestamp}`
  return null
}

function textOf(logs: readonly Log[]): string {
  return JSON.stringify(
    logs.map(({ address, topics, data, transactionIndex, logIndex }) => [
      address,
      topics,
      data,
      transactionIndex,
      logIndex,
    ]),
  )
}
