import { addressTopic, hasWords, uintWord } from '../abi-words.ts'
import type { Log } from '../chain/block.ts'
import type { Address, Hex } from '../chain/hex.ts'

/** Transfer(address indexed from, address indexed to, uint256 value) of ERC-20 */
const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

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
  return logs.flatMap(({ address: token, topics: [topic, from, to, ...more], data, logIndex }) =>
    topic === TRANSFER && from !== undefined && to !== undefined && more.length === 0 && hasWords(data, 1)
      ? [{ token, from: addressTopic(from), to: addressTopic(to), amount: uintWord(data, 0), logIndex }]
      : [],
  )
}
