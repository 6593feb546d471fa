import type { Block, Transaction } from '@dexfeed/dex'
import type { FullBlock } from '../../../json-rpc/rpc-block.ts'
import type { RpcObject } from '../../../json-rpc/rpc-value.ts'
import type { BlockProver } from '../commitments/block-prover.ts'
import { type SignedTransaction, signedTransaction } from '../commitments/signed-transaction.ts'

/** A block with all its transactions, as an endpoint shows it. */
export interface ShownBody {
  header: RpcObject
  block: FullBlock
}

export interface JudgeOptions {
  prover: BlockProver
  logsWithoutTransaction: boolean
  /** Is waited for between pieces of work of milliseconds. */
  yieldTurn: () => Promise<void>
}

/** Encodings in one piece. */
const AT_ONCE = 16
/** So many transactions of a block tell whether their encoding is known here. */
const MOST_TRIED = 32

/** Which transactions are asked about, and what is known of their block. */
export interface JudgedTransactions {
  indices: readonly number[]
  /** Whether the block has transactions of just these hashes, as others say too; else the header must say so. */
  isListed: boolean
  /** Whether the body that is shown is all of the block's, which some nodes do not keep. */
  isWhole: boolean
}

/** What the own fields of transactions say of how they are shown. */
export type Judgement = 'proven' | 'false' | 'unknown'

/** The first of the transactions told of a block that an endpoint shows otherwise: its index. */
export function shownOtherwise(
  reported: Block,
  { block }: ShownBody,
  logsWithoutTransaction: boolean,
): number | undefined {
  for (const [index, transaction] of reported.transactions) {
    const shown = block.transaction(index, transaction.hash)
    // Nodes differ in what they show of it.
    if (logsWithoutTransaction && isUnsigned(transaction) && isUnsigned(shown)) continue
    if (shown === null || !isSame(shown, transaction)) return index
  }
  return undefined
}

/** The chain's own, where it is shown at all. */
function isUnsigned(transaction: Transaction | null): boolean {
  return transaction === null || transaction.from === null
}

function isSame(one: Transaction, other: Transaction): boolean {
  return one.hash === other.hash && one.from === other.from && one.value === other.value
}

/**
 * Whether transactions are what their own fields make them: the hash is that of the encoding, the sender the one who
 * signed, and the block's header commits to the encodings (Yellow Paper, 4.3). Where no other transaction of the block has
 * the hash of its fields either, it is rather the encoding that is not known here.
 */
export async function judgeTransactions(
  { header, block }: ShownBody,
  { indices, isListed, isWhole }: JudgedTransactions,
  { prover, logsWithoutTransaction, yieldTurn }: JudgeOptions,
): Promise<Judgement> {
  const encoded = new Map<number, SignedTransaction | null>()
  const signedAt = async (index: number): Promise<SignedTransaction | null> => {
    const known = encoded.get(index)
    if (known !== undefined) return known
    if (encoded.size % AT_ONCE === AT_ONCE - 1) await yieldTurn()
    const signed = index < block.transactionCount ? signedTransaction(block.raw(index)) : null
    encoded.set(index, signed)
    return signed
  }
  const holds = async (index: number): Promise<boolean> => {
    const signed = await signedAt(index)
    return signed !== null && block.isAt(index, signed.hash)
  }
  let areKnown = true
  for (const index of indices) {
    const signed = await signedAt(index)
    const sender = signed === null ? null : signed.sender()
    if (signed === null || sender === null) {
      areKnown = false
      continue
    }
    if (!(await holds(index))) return (await anyOf(block.transactionCount, holds)) ? 'false' : 'unknown'
    if (sender !== block.transaction(index, signed.hash)?.from) return 'false'
    await yieldTurn()
  }
  if (!areKnown) return 'unknown'
  if (isListed) return 'proven'
  const all: (SignedTransaction | null)[] = []
  for (let index = 0; index < block.transactionCount; index++) all.push(await signedAt(index))
  // The chain's own transaction stands last, on some forks outside of the root.
  if (logsWithoutTransaction && all.at(-1) === null) all.pop()
  const encodings = all.flatMap((one) => one?.encoding ?? [])
  if (encodings.length < all.length) return 'unknown'
  const proof = prover.proveTransactions(header, encodings)
  return proof === 'false' && (logsWithoutTransaction || !isWhole) ? 'unknown' : proof
}

/** Whether something holds for any of a list's places, as far as some of them show. */
async function anyOf(count: number, holds: (index: number) => Promise<boolean>): Promise<boolean> {
  for (let index = 0; index < count; index += Math.ceil(count / MOST_TRIED)) if (await holds(index)) return true
  return false
}
