import { topicOf } from '../abi/fragment.ts'
import { addressTopic, hasWords, uintWord } from '../abi/words.ts'
import type { Log } from '../chain/block.ts'
import type { Address } from '../chain/hex.ts'

const TRANSFER = topicOf('event Transfer(address indexed from, address indexed to, uint256 value)')

/** A movement of a token as the token's contract tells it. */
export interface TokenTransfer {
  token: Address
  from: Address
  to: Address
  amount: bigint
  logIndex: number
}

/** The ERC-20 transfers among a transaction's logs, in log order; those of NFTs have a fourth topic. */
export function tokenTransfers(logs: readonly Log[]): TokenTransfer[] {
  return logs.flatMap(({ address: token, topics, data, logIndex }) =>
    topics[0] === TRANSFER && topics.length === 3 && hasWords(data, 1)
      ? [{ token, from: addressTopic(topics, 1), to: addressTopic(topics, 2), amount: uintWord(data, 0), logIndex }]
      : [],
  )
}
