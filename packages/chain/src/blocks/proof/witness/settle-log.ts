import type { Session } from '../../../endpoints/endpoint-pool.ts'
import { ChainError, ChainInconsistent, EndpointFailure } from '../../../errors/chain-error.ts'
import { blockRequest } from '../../../json-rpc/messages.ts'
import { contentOf, type PlacedLog } from '../../../json-rpc/rpc-log.ts'
import { expectBlock } from '../../fetch-blocks.ts'
import { type ReceiptsOptions, readReceipts, type ShownBlock } from './reported-logs.ts'

/** `neither` if honest nodes may differ about the log; null if undecided. */
export type WrongEndpoint = 'reporter' | 'denier' | 'neither' | null

/**
 * Decides by the block's receipts which of two endpoints is wrong about a log.
 *
 * @throws ChainInconsistent, or EndpointFailure with the verdict `not-yet`, if one of them does not have this block now
 */
export async function settleLog(
  log: PlacedLog,
  { reporter, denier }: { reporter: Session; denier: Session },
  options: ReceiptsOptions,
): Promise<WrongEndpoint> {
  if (options.logsWithoutTransaction && (await isUnlisted(log, reporter))) return 'neither'
  const byReporter = await shownBy(reporter, log, options)
  const byDenier = await shownBy(denier, log, options)
  return judgeLog(log, byReporter, byDenier)
}

/**
 * Uses proven receipts if there are any. Otherwise an endpoint is wrong if its receipts contradict its own claim, and
 * so is a denier without receipts if the reporter has them.
 *
 * @param byReporter null if the reporter does not return the receipts
 */
export function judgeLog(log: PlacedLog, byReporter: ShownBlock | null, byDenier: ShownBlock | null): WrongEndpoint {
  const text = contentOf(log)
  const has = ({ logs }: ShownBlock): boolean => logs.some((shown) => contentOf(shown) === text)
  if (byReporter?.proof.kind === 'proven') return has(byReporter) ? 'denier' : 'reporter'
  if (byReporter?.proof.kind === 'false') return 'reporter'
  if (byDenier?.proof.kind === 'proven') return has(byDenier) ? 'denier' : 'reporter'
  if (byDenier?.proof.kind === 'false') return 'denier'
  if (byDenier !== null && has(byDenier)) return 'denier'
  if (byReporter !== null && !has(byReporter)) return 'reporter'
  return byReporter !== null && byDenier === null ? 'denier' : null
}

async function shownBy(session: Session, log: PlacedLog, options: ReceiptsOptions): Promise<ShownBlock | null> {
  try {
    const shown = await readReceipts(session, log.blockNumber, options)
    if (shown.hash !== log.blockHash) throw session.inconsistent(`block ${log.blockNumber} is ${shown.hash} now`)
    return shown
  } catch (error) {
    if (!(error instanceof ChainError) || error instanceof ChainInconsistent) throw error
    if (error instanceof EndpointFailure && error.verdict.kind === 'not-yet') throw error
    return null
  }
}

async function isUnlisted(
  { blockNumber, transactionHash, transactionIndex }: PlacedLog,
  session: Session,
): Promise<boolean> {
  const { results } = await session.request([blockRequest(blockNumber)])
  const block = expectBlock(session, blockNumber, results[0])
  return (block.transaction(transactionIndex, transactionHash)?.from ?? null) === null
}
