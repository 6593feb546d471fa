import { topicOf } from '../abi/fragment.ts'
import { addressTopic, hasWords, uintWord } from '../abi/words.ts'
import type { Block } from '../chain/block.ts'
import type { Address } from '../chain/hex.ts'

// Of WETH9 and its copies.
export const DEPOSIT = topicOf('event Deposit(address indexed dst, uint256 wad)')
export const WITHDRAWAL = topicOf('event Withdrawal(address indexed src, uint256 wad)')

/** Coins that one account wrapped or unwrapped, in wei. */
export interface Wrapping {
  account: Address
  amount: bigint
  logIndex: number
}

/** What the wrapper did within one transaction, in log order. */
export interface WrapperFlow {
  deposits: Wrapping[]
  withdrawals: Wrapping[]
}

/** The wrapper's flow of each transaction of a block that has one, by transaction index. */
export function wrapperFlows(block: Block, wrappedNative: Address): Map<number, WrapperFlow> {
  const flows = new Map<number, WrapperFlow>()
  for (const { address, topics, data, transactionIndex, logIndex } of block.logs) {
    if (address !== wrappedNative || topics.length !== 2 || !hasWords(data, 1)) continue
    if (topics[0] !== DEPOSIT && topics[0] !== WITHDRAWAL) continue
    const flow = flows.get(transactionIndex) ?? { deposits: [], withdrawals: [] }
    const wrapping = { account: addressTopic(topics, 1), amount: uintWord(data, 0), logIndex }
    if (topics[0] === DEPOSIT) flow.deposits.push(wrapping)
    else flow.withdrawals.push(wrapping)
    flows.set(transactionIndex, flow)
  }
  return flows
}
