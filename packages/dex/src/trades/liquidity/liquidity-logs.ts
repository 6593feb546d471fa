import { topicOf } from '../../abi/fragment.ts'
import { addressTopic, hasWords, uintWord } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import { type Hex, ZERO_ADDRESS } from '../../chain/hex.ts'
import { present } from '../../present.ts'
import { type LiquidityChange, type LiquidityReader, wordsAt } from '../../venues/liquidity-change.ts'
import { DEX_KINDS, protocolOf } from '../../venues/registry.ts'

const TRANSFER = topicOf('event Transfer(address indexed from, address indexed to, uint256 value)')
const TRANSFER_BATCH = topicOf(
  'event TransferBatch(address indexed sender, address indexed from, address indexed to, uint256[] ids, uint256[] amounts)',
)
/** The zero address as a topic. */
const ZERO_TOPIC: Hex = `0x${'0'.repeat(64)}`

/** Readers of liquidity logs, by first topic. Nothing proves that the emitter is a pool. */
const READERS: ReadonlyMap<Hex, LiquidityReader> = new Map([
  // Shares of pairs, of Balancer, and of most pools of Curve, minted and burnt.
  [TRANSFER, readShares],
  // Shares of bins: one token id per bin.
  [TRANSFER_BATCH, readBinShares],
  ...DEX_KINDS.flatMap((kind) => protocolOf(kind).liquidityLogs ?? []),
])

/** Returns whether a log may remove liquidity. Cheap, because it runs for every log of a transaction with hops. */
export function mayTakeLiquidity({ topics }: Log): boolean {
  const topic = topics[0]
  // Nearly all logs with this topic are transfers between accounts.
  if (topic === TRANSFER) return topics[2] === ZERO_TOPIC
  return topic !== undefined && READERS.has(topic)
}

/** Returns the liquidity changes in a log; empty for other logs. */
export function liquidityChanges(log: Log): LiquidityChange[] {
  return READERS.get(log.topics[0] ?? '0x')?.(log) ?? []
}

function readShares({ address, topics, data }: Log): LiquidityChange[] {
  if (topics.length !== 3 || !hasWords(data, 1)) return []
  const isAdded = isMade(topics, 1)
  return isAdded === null ? [] : [{ of: address, bin: null, isAdded, shares: uintWord(data, 0) }]
}

function readBinShares({ address, topics, data }: Log): LiquidityChange[] {
  const isAdded = topics.length === 4 ? isMade(topics, 2) : null
  const ids = wordsAt(data, 0)
  const amounts = wordsAt(data, 1)
  if (isAdded === null || ids === null || amounts?.length !== ids.length) return []
  return ids.map((bin, at) => ({ of: address, bin, isAdded, shares: present(amounts[at]) }))
}

/** Returns whether shares were minted (from zero) or burnt; null: transferred. `from` is the index of its topic. */
function isMade(topics: readonly Hex[], from: number): boolean | null {
  const [isOutOfNothing, isIntoNothing] = [from, from + 1].map((place) => addressTopic(topics, place) === ZERO_ADDRESS)
  return isOutOfNothing === isIntoNothing ? null : (isOutOfNothing ?? null)
}
