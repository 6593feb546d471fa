import type { Session } from '../../../endpoints/session.ts'
import { ChainError, ChainInconsistent, EndpointFailure } from '../../../errors/chain-error.ts'
import { blockRequest } from '../../../json-rpc/requests.ts'
import { expectBlock } from '../../fetch-blocks.ts'
import { type ReceiptsOptions, readReceipts, type ShownBlock } from './read-receipts.ts'
import type { ToldLog } from './reported-logs.ts'

/** Who is wrong about a log; nobody where nodes may differ about it, null where it cannot be told. */
export type Wrong = 'teller' | 'denier' | 'nobody' | null

/**
 * Finds out which of two endpoints is wrong about a log that only one of them tells: by the receipts of its block.
 *
 * @throws ChainInconsistent, or an EndpointFailure of what is not there yet, where one has no such block now
 */
export async function settleLog(
  log: ToldLog,
  { teller, denier }: { teller: Session; denier: Session },
  options: ReceiptsOptions,
): Promise<Wrong> {
  if (options.logsWithoutTransaction && (await isUnlisted(log, teller))) return 'nobody'
  const byTeller = await shownBy(teller, log, options)
  const byDenier = await shownBy(denier, log, options)
  return judgeLog(log, byTeller, byDenier)
}

/**
 * A proof decides. Where nodes show no fields to prove by, one that contradicts itself is wrong, and one that shows no
 * receipts at all against one that does.
 *
 * @param byTeller the block as the endpoint shows it that tells the log; null: it does not show it
 */
export function judgeLog({ text }: ToldLog, byTeller: ShownBlock | null, byDenier: ShownBlock | null): Wrong {
  const has = ({ logs }: ShownBlock): boolean => logs.some((log) => log.text === text)
  if (byTeller?.proof.kind === 'proven') return has(byTeller) ? 'denier' : 'teller'
  if (byTeller?.proof.kind === 'false') return 'teller'
  if (byDenier?.proof.kind === 'proven') return has(byDenier) ? 'denier' : 'teller'
  if (byDenier?.proof.kind === 'false') return 'denier'
  if (byDenier !== null && has(byDenier)) return 'denier'
  if (byTeller !== null && !has(byTeller)) return 'teller'
  return byTeller !== null && byDenier === null ? 'denier' : null
}

async function shownBy(session: Session, log: ToldLog, options: ReceiptsOptions): Promise<ShownBlock | null> {
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

/** Whether the chain itself made the log's transaction, so that nodes differ in showing it. */
async function isUnlisted(
  { blockNumber, transactionHash, transactionIndex }: ToldLog,
  session: Session,
): Promise<boolean> {
  const { results } = await session.ask([blockRequest(blockNumber)])
  const block = expectBlock(session, blockNumber, results[0])
  return (block.transaction(transactionIndex, transactionHash)?.from ?? null) === null
}
