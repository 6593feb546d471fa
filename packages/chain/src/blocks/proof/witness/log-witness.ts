import { type Block, type BlockRange, type Hex, HOUR, MINUTE, SECOND } from '@dexfeed/dex'
import type { ChainLog } from '../../../chain-log.ts'
import type { Clock } from '../../../clock.ts'
import type { Endpoint } from '../../../endpoints/endpoint.ts'
import { closedError, type EndpointPool, type Session } from '../../../endpoints/endpoint-pool.ts'
import { ChainError, ProofFailed } from '../../../errors/chain-error.ts'
import { blockRequest, type LogFilter, logsOfBlockRequests, responseCount } from '../../../json-rpc/messages.ts'
import { type PlacedLog, readFoundLogs } from '../../../json-rpc/rpc-log.ts'
import { expectBlock } from '../../fetch-blocks.ts'
import { fetchLogs } from '../../fetch-logs.ts'
import {
  firstDifferences,
  ReceiptSample,
  type ReceiptsOptions,
  type ReportedLogs,
  reportedByBlocks,
  settleLog,
} from './reported-logs.ts'

interface RangeLogs {
  logs: readonly PlacedLog[]
  end: Hex
  filter: LogFilter
}

export interface LogWitnessOptions extends ReceiptsOptions {
  filter: LogFilter
  log: ChainLog
  clock: Clock
  headPatienceMs: number
  closed: AbortSignal
}

interface EndpointRecord {
  hasAgreed: boolean
  lies: number
  missedAt: number | null
}

type Reading = 'head' | 'final' | 'second opinion'

const NOTHING_KNOWN: EndpointRecord = { hasAgreed: false, lies: 0, missedAt: null }
const MAX_LIES = 3

/** How long history waits for an absent endpoint, which it then ignores until the endpoint agrees again. */
const PATIENCE_MS = 10 * MINUTE
/** The same for second opinions. Nothing waits for them, because their blocks are already indexed. */
const OPINION_PATIENCE_MS = 24 * HOUR
const FIRST_PAUSE_MS = SECOND / 10
const LONGEST_PAUSE_MS = 2 * SECOND
const LONGEST_WAIT_MS = 70 * SECOND
const WARN_EVERY_MS = MINUTE

/**
 * Confirms unproven logs, which an endpoint of another host must report, too. If there is no other endpoint, the
 * receipts of sampled blocks must prove them. An endpoint that is proven wrong is set aside.
 */
export class LogWitness {
  readonly #pool: EndpointPool
  readonly #options: LogWitnessOptions
  readonly #sample: ReceiptSample
  readonly #records = new Map<Endpoint, EndpointRecord>()
  #warnAt = 0

  constructor(pool: EndpointPool, options: LogWitnessOptions) {
    this.#pool = pool
    this.#options = options
    this.#sample = new ReceiptSample(options)
  }

  confirmFinal(
    session: Session,
    { from, to }: BlockRange,
    blocks: readonly Block[],
    secondOpinion: boolean,
  ): Promise<void> {
    const end = blocks.at(-1)?.hash ?? '0x'
    const claim = { ...reportedByBlocks({ from, to }, blocks, this.#options.filter), hashes: null, end }
    return this.#confirm(session, claim, secondOpinion ? 'second opinion' : 'final')
  }

  confirmHead(session: Session, blocks: readonly Block[]): Promise<void> {
    const hashes = blocks.map(({ hash }) => hash)
    const first = blocks[0]
    const last = blocks.at(-1)
    if (first === undefined || last === undefined) return Promise.resolve()
    const claim = reportedByBlocks({ from: first.number, to: last.number }, blocks, this.#options.filter)
    return this.#confirm(session, { ...claim, hashes, end: last.hash }, 'head')
  }

  confirmLogs(session: Session, range: BlockRange, { logs, end, filter }: RangeLogs): Promise<void> {
    const claim = { ...range, filter, logs, end, hashes: null, unlisted: new Map() }
    return this.#confirm(session, claim, 'head')
  }

  async #confirm(session: Session, claim: ReportedLogs, reading: Reading): Promise<void> {
    const { clock, closed } = this.#options
    const isFinal = reading !== 'head'
    const others = this.#pool.witnessesOf(session.endpoint)
    const until = clock.now() + LONGEST_WAIT_MS
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      for (const other of others) {
        const isReady = other.readyAt(isFinal ? 'bulk' : 'live') <= clock.now()
        const again = isReady ? await this.#fetchFrom(session, other, claim, isFinal) : null
        if (again !== null) return this.#compare(session, other, claim, again)
        this.#noteMissed(other)
      }
      const awaited = others.find((other) => this.#isAwaited(other, reading))
      if (awaited === undefined) {
        this.#warnOfOneAlone(session, others, claim)
        return this.#sample.check(session, claim)
      }
      if (clock.now() >= until) throw session.missing(awaitedLogs(awaited, claim), 'eth_getLogs')
      await clock.sleep(pause, closed)
      if (closed.aborted) throw closedError()
    }
  }

  #isAwaited(other: Endpoint, reading: Reading): boolean {
    const { hasAgreed, lies, missedAt } = this.#recordOf(other)
    const now = this.#options.clock.now()
    return lies < MAX_LIES && now - (missedAt ?? now) < this.#patienceMs(reading, hasAgreed)
  }

  #patienceMs(reading: Reading, hasAgreed: boolean): number {
    if (reading === 'second opinion') return OPINION_PATIENCE_MS
    const { headPatienceMs } = this.#options
    return reading === 'final' && hasAgreed ? Math.max(PATIENCE_MS, headPatienceMs) : headPatienceMs
  }

  #warnOfOneAlone({ endpoint }: Session, absent: readonly Endpoint[], { from, to }: ReportedLogs): void {
    const now = this.#options.clock.now()
    if (absent.length === 0 || now < this.#warnAt) return
    this.#warnAt = now + WARN_EVERY_MS
    const fields = { endpoint: endpoint.masked, absent: absent.map(({ masked }) => masked), from, to }
    this.#options.log.warn(fields, 'logs are trusted from one endpoint: no other one has responded for long')
  }

  #recordOf(endpoint: Endpoint): EndpointRecord {
    return this.#records.get(endpoint) ?? NOTHING_KNOWN
  }

  #noteAgreed(...endpoints: readonly Endpoint[]): void {
    for (const endpoint of endpoints) this.#records.set(endpoint, { hasAgreed: true, lies: 0, missedAt: null })
  }

  #noteLie(endpoint: Endpoint): void {
    const record = this.#recordOf(endpoint)
    this.#records.set(endpoint, { ...record, lies: record.lies + 1 })
  }

  #noteMissed(endpoint: Endpoint): void {
    const record = this.#recordOf(endpoint)
    this.#records.set(endpoint, { ...record, missedAt: record.missedAt ?? this.#options.clock.now() })
  }

  async #fetchFrom(
    session: Session,
    other: Endpoint,
    claim: ReportedLogs,
    isFinal: boolean,
  ): Promise<PlacedLog[] | null> {
    const priority = isFinal ? 'bulk' : 'live'
    let found: Awaited<ReturnType<typeof fetchReportedLogs>> & { signed: Hex | null }
    try {
      found = await this.#pool.once(other, priority, async (second) => {
        return { ...(await fetchReportedLogs(second, claim)), signed: await signedAmong(second, claim.unlisted) }
      })
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      this.#options.log.debug({ endpoint: other.masked, err: error }, 'no second endpoint to compare logs with')
      return null
    }
    const { logs, end, signed } = found
    // Without its signer, a transaction looks like one made by the chain itself, whose logs are not compared.
    if (signed !== null) throw session.inconsistent(`it shows no signer of ${signed}, ${other.masked} does`)
    if (end === claim.end) return logs.filter(({ transactionHash }) => !claim.unlisted.has(transactionHash))
    if (!isFinal) return null
    this.#options.log.warn(
      { endpoint: other.masked, block: claim.to, hash: end },
      'endpoints are on different branches',
    )
    throw session.inconsistent(`block ${claim.to} is ${claim.end}, at ${other.masked} it is ${end}`)
  }

  async #compare(session: Session, other: Endpoint, claim: ReportedLogs, again: readonly PlacedLog[]): Promise<void> {
    const { leftOut, extra } = firstDifferences(claim.logs, again)
    for (const log of [leftOut, extra]) {
      if (log === undefined) continue
      const wrong = await this.#wrongAbout(log, session, other, log === leftOut)
      if (wrong === null) continue
      this.#noteLie(wrong)
      const what = `the logs of ${log.transactionHash}, which ${log === leftOut ? 'it leaves out' : 'it reports falsely'}`
      const error = (masked: string) => new ProofFailed({ endpoint: masked, block: log.blockNumber, what })
      if (wrong === session.endpoint) throw error(session.endpoint.masked)
      await this.#pool.once(wrong, 'bulk', () => Promise.reject(error(wrong.masked))).catch(() => undefined)
      return this.#sample.check(session, claim)
    }
    this.#noteAgreed(session.endpoint, other)
  }

  async #wrongAbout(
    log: PlacedLog,
    session: Session,
    other: Endpoint,
    isReportedByOther: boolean,
  ): Promise<Endpoint | null> {
    const wrong = await this.#pool
      .once(other, 'bulk', (second) => {
        const [reporter, denier] = isReportedByOther ? [second, session] : [session, second]
        return settleLog(log, { reporter, denier }, this.#options)
      })
      .catch((error: unknown) => {
        if (!(error instanceof ChainError)) throw error
        this.#options.log.debug({ err: error }, 'receipts to compare could not be read')
        return 'unsettled' as const
      })
    if (wrong === 'neither') return null
    if (wrong === 'reporter') return isReportedByOther ? other : session.endpoint
    if (wrong === 'denier') return isReportedByOther ? session.endpoint : other
    const { blockNumber: block, transactionHash: transaction } = log
    const endpoints = [session.endpoint.masked, other.masked]
    const level = wrong === null ? 'error' : 'debug'
    this.#options.log[level]({ endpoints, block, transaction }, 'endpoints contradict each other about logs')
    throw session.inconsistent(`logs of block ${block}, of which ${other.masked} reports others`)
  }
}

function awaitedLogs({ masked }: Endpoint, { from, to }: BlockRange): string {
  return `a response of ${masked}, to compare the logs of blocks ${from} to ${to} with,`
}

async function signedAmong(session: Session, unlisted: ReadonlyMap<Hex, number>): Promise<Hex | null> {
  if (unlisted.size === 0) return null
  const numbers = [...new Set(unlisted.values())]
  const { results } = await session.request(numbers.map(blockRequest))
  const shown = numbers.flatMap((number, i) => expectBlock(session, number, results[i]).transactions())
  return shown.find(({ hash, from }) => from !== null && unlisted.has(hash))?.hash ?? null
}

async function fetchReportedLogs(session: Session, claim: ReportedLogs): Promise<{ logs: PlacedLog[]; end: string }> {
  const { filter, hashes, to } = claim
  if (hashes !== null) {
    const { results } = await session.request(hashes.flatMap((hash) => logsOfBlockRequests(filter, hash)))
    const responses = responseCount(filter)
    const logs = hashes.flatMap((hash, i) =>
      readFoundLogs(results.slice(i * responses, (i + 1) * responses), filter, session.inconsistent).filter(
        ({ blockHash }) => blockHash === hash,
      ),
    )
    return { logs, end: claim.end }
  }
  const sizes = filter.addresses === undefined ? session.endpoint.topicRange : session.endpoint.addressRange
  const logs: PlacedLog[] = []
  for (let from = claim.from; ; ) {
    const part = await fetchLogs(session, sizes, filter, { from, to })
    logs.push(...part.logs())
    if (part.to === to) return { logs, end: part.last.hash }
    from = part.to + 1
  }
}
