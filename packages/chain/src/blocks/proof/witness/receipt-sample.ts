import type { BlockRange } from '@dexfeed/dex'
import type { ChainLog } from '../../../chain-log.ts'
import type { Clock } from '../../../clock.ts'
import type { Session } from '../../../endpoints/endpoint-pool.ts'
import { EndpointFailure, ProofFailed } from '../../../errors/chain-error.ts'
import { LogMatcher } from '../../../json-rpc/rpc-log.ts'
import {
  firstDifferences,
  type ReceiptsOptions,
  type ReportedLogs,
  readReceipts,
  type ShownBlock,
} from './reported-logs.ts'

const EVERY = 50

export class ReceiptSample {
  readonly #options: ReceiptsOptions & { log: ChainLog }
  /** Blocks left until the next sample. Random at first, so that the node cannot predict it. */
  #left: number

  constructor(options: ReceiptsOptions & { log: ChainLog; clock: Pick<Clock, 'random'> }) {
    this.#options = options
    this.#left = Math.floor(options.clock.random() * EVERY)
  }

  /** @throws ProofFailed */
  async check(session: Session, claim: ReportedLogs): Promise<void> {
    if (claim.filter.addresses !== undefined) return
    for (const number of this.#due(claim)) {
      const shown = await this.#shown(session, number)
      if (shown !== null) compare(session, claim, number, shown)
    }
  }

  #due({ from, to }: BlockRange): number[] {
    const due: number[] = []
    let next = from + this.#left
    for (; next <= to; next += EVERY) due.push(next)
    this.#left = next - to - 1
    return due
  }

  async #shown(session: Session, number: number): Promise<ShownBlock | null> {
    try {
      return await readReceipts(session, number, this.#options)
    } catch (error) {
      if (!(error instanceof EndpointFailure) || error.verdict.kind === 'not-yet') throw error
      const fields = { endpoint: session.endpoint.masked, block: number, err: error }
      this.#options.log.warn(
        fields,
        'logs are trusted without proof: the only endpoint serves no receipts to check them',
      )
      return null
    }
  }
}

function compare(
  session: Session,
  { filter, logs, unlisted, hashes, from }: ReportedLogs,
  number: number,
  shown: ShownBlock,
): void {
  const falseBlock = (what: string) => new ProofFailed({ endpoint: session.endpoint.masked, block: number, what })
  if (shown.proof.kind === 'false') throw falseBlock(shown.proof.what)
  const claim = logs.filter(({ blockNumber }) => blockNumber === number)
  const expected = claim[0]?.blockHash ?? hashes?.[number - from] ?? shown.hash
  if (shown.hash !== expected)
    throw session.inconsistent(`block ${number} is ${shown.hash}, its logs are of ${expected}`)
  const matcher = new LogMatcher(filter)
  const inReceipts = shown.logs.filter((log) => matcher.has(log) && !unlisted.has(log.transactionHash))
  const { leftOut, extra: invented } = firstDifferences(claim, inReceipts)
  if (leftOut !== undefined) throw falseBlock(`logs without those of ${leftOut.transactionHash}, which its receipt has`)
  if (invented !== undefined) throw falseBlock(`logs of ${invented.transactionHash} that its receipt does not have`)
}
