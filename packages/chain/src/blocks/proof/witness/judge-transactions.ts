import type { Block, Transaction } from '@dexfeed/dex'
import type { FullBlock } from '../../../json-rpc/rpc-block.ts'
import type { RpcObject } from '../../../json-rpc/rpc-value.ts'
import type { BlockProver } from '../commitments/block-prover.ts'
import { type SignedTransaction, signedTransaction, TRANSACTIONS_PER_TURN } from '../commitments/signed-transaction.ts'

export interface ShownBody {
  header: RpcObject
  block: FullBlock
}

export interface JudgeOptions {
  prover: BlockProver
  logsWithoutTransaction: boolean
  yieldTurn: () => Promise<void>
}

const MAX_TRIED = 32

export interface JudgedTransactions {
  indices: readonly number[]
  /** Whether another endpoint lists the same hashes at these indices. Otherwise the header must prove them. */
  isListed: boolean
  /** Whether the body is known to be whole: some nodes keep only a part of it. */
  isWhole: boolean
}

export type Judgement = 'proven' | 'false' | 'unknown'

export function firstDifference(
  reported: Block,
  { block }: ShownBody,
  logsWithoutTransaction: boolean,
): number | undefined {
  for (const [index, transaction] of reported.transactions) {
    const shown = block.transaction(index, transaction.hash)
    // Nodes disagree about an unsigned transaction, or omit it.
    if (logsWithoutTransaction && isUnsigned(transaction) && isUnsigned(shown)) continue
    if (shown === null || !isSame(shown, transaction)) return index
  }
  return undefined
}

function isUnsigned(transaction: Transaction | null): boolean {
  return transaction === null || transaction.from === null
}

function isSame(transaction: Transaction, other: Transaction): boolean {
  return transaction.hash === other.hash && transaction.from === other.from && transaction.value === other.value
}

/**
 * Judges transactions by their own fields (Yellow Paper, 4.3): the encoding must match the hash, the signature the
 * sender, and all encodings the transactions root. Returns `unknown` if no transaction of the block matches its hash:
 * this version probably does not know the encoding.
 */
export async function judgeTransactions(
  { header, block }: ShownBody,
  { indices, isListed, isWhole }: JudgedTransactions,
  { prover, logsWithoutTransaction, yieldTurn }: JudgeOptions,
): Promise<Judgement> {
  const encoded = new Map<number, SignedTransaction | null>()
  const signedAt = async (index: number): Promise<SignedTransaction | null> => {
    const cached = encoded.get(index)
    if (cached !== undefined) return cached
    if (encoded.size % TRANSACTIONS_PER_TURN === TRANSACTIONS_PER_TURN - 1) await yieldTurn()
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
  // On some forks the root does not cover Polygon's state-sync transaction, the last one of a block.
  if (logsWithoutTransaction && all.at(-1) === null) all.pop()
  const encodings = all.flatMap((each) => each?.encoding ?? [])
  if (encodings.length < all.length) return 'unknown'
  const proof = prover.proveTransactions(header, encodings)
  return proof === 'false' && (logsWithoutTransaction || !isWhole) ? 'unknown' : proof
}

async function anyOf(count: number, holds: (index: number) => Promise<boolean>): Promise<boolean> {
  for (let index = 0; index < count; index += Math.ceil(count / MAX_TRIED)) if (await holds(index)) return true
  return false
}
