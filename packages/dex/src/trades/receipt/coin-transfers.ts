import { topicOf } from '../../abi/fragment.ts'
import { addressTopic, hasWords, uintWord } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import type { Address } from '../../chain/hex.ts'

const TRANSFER = topicOf('event Transfer(address indexed from, address indexed to, uint256 value)')
const LOG_TRANSFER = topicOf(
  'event LogTransfer(address indexed token, address indexed from, address indexed to, uint256 amount, uint256 input1, uint256 input2, uint256 output1, uint256 output2)',
)

/** Emits a `Transfer` for every coin transfer between accounts (EIP-7708). It has no code and is not a token. */
export const SYSTEM_ADDRESS: Address = `0x${'f'.repeat(39)}e`

/** Polygon's coin as a contract. Polygon's nodes log every coin transfer between accounts as its `LogTransfer`. */
export const POLYGON_COIN: Address = `0x${'0'.repeat(36)}1010`

/** A coin transfer between accounts, in wei. Gas is not included. */
export interface CoinTransfer {
  from: Address
  to: Address
  amount: bigint
  logIndex: number
}

/** Returns the coin transfer in a log of the system address, else null. Drafts of EIP-7708 had more kinds of logs. */
export function coinTransferOf({ address, topics, data, logIndex }: Log): CoinTransfer | null {
  if (address !== SYSTEM_ADDRESS || topics[0] !== TRANSFER || topics.length !== 3 || !hasWords(data, 1)) return null
  return { from: addressTopic(topics, 1), to: addressTopic(topics, 2), amount: uintWord(data, 0), logIndex }
}

/**
 * Returns the coin transfer in a log of Polygon's coin, else null. The coin's own function `transfer` emits the event
 * once more: the coins go through the contract, so its balances before and after (`input`, `output`) do not show them.
 */
export function polygonTransferOf({ address, topics, data, logIndex }: Log): CoinTransfer | null {
  if (address !== POLYGON_COIN || topics[0] !== LOG_TRANSFER || topics.length !== 4 || !hasWords(data, 5)) return null
  const amount = uintWord(data, 0)
  const isPaid = uintWord(data, 1) - amount === uintWord(data, 3) && uintWord(data, 2) + amount === uintWord(data, 4)
  return isPaid ? { from: addressTopic(topics, 2), to: addressTopic(topics, 3), amount, logIndex } : null
}
