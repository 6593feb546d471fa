import type { Session } from '../../../endpoints/session.ts'
import type { FullBlock } from '../../../json-rpc/rpc-block.ts'
import type { RpcObject } from '../../../json-rpc/rpc-value.ts'
import type { BlockProver } from '../commitments/block-prover.ts'
import { signedTransaction } from '../commitments/signed-transaction.ts'

/** A block as an endpoint returned it, with as many receipts as transactions. */
export interface ShownBlock {
  header: RpcObject
  block: FullBlock
  receipts: readonly RpcObject[]
}

export interface PartialBlockOptions {
  prover: BlockProver
  logsWithoutTransaction: boolean
}

/** Encodings between two pauses: each takes a part of a millisecond. */
const AT_ONCE = 16

/**
 * Whether an endpoint returned only a part of a block, in body and receipts alike, because it keeps no more.
 *
 * The transactions must show it: by their indices, or by the root in a header that has its hash. Gas shows nothing: the
 * header's may be above or below that of the last receipt (EIP-7778, EIP-8037).
 */
export async function isPartOfBlock(
  session: Session,
  shown: ShownBlock,
  options: PartialBlockOptions,
): Promise<boolean> {
  const { header, block, receipts } = shown
  if (options.prover.hasItsHash(header) !== true) return false
  if (receipts.length === 0 || receipts.length !== block.transactionCount) return false
  const places = receipts.map((_, i) => Number(block.raw(i).transactionIndex))
  if (!receipts.every(({ transactionIndex }, i) => Number(transactionIndex) === places[i])) return false
  const isInPlace = places.every((place, i) => place === i)
  return !isInPlace || (await isBodyCut(session, shown, options))
}

/**
 * Whether the transactions are provably not all of the block's. False if they cannot be encoded. Also false on Polygon,
 * whose own transaction is in the root only on some forks.
 */
async function isBodyCut(
  session: Session,
  { header, block }: ShownBlock,
  { prover, logsWithoutTransaction }: PartialBlockOptions,
): Promise<boolean> {
  if (logsWithoutTransaction) return false
  const encodings: Uint8Array[] = []
  for (let index = 0; index < block.transactionCount; index++) {
    if (index % AT_ONCE === AT_ONCE - 1) await session.yieldTurn()
    const signed = signedTransaction(block.raw(index))
    if (signed === null) return false
    encodings.push(signed.encoding)
  }
  return prover.proveTransactions(header, encodings) === 'false'
}
