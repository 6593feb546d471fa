import { addressTopic, hasWords, uintWord } from '../abi-words.ts'
import type { Block } from '../chain/block.ts'
import type { Address, Hex } from '../chain/hex.ts'

/** Deposit(address indexed dst, uint256 wad) of WETH9 and its copies */
export const DEPOSIT: Hex = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c'
/** Withdrawal(address indexed src, uint256 wad) */
export const WITHDRAWAL: Hex = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65'

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
    const account = topics[1]
    if (address !== wrappedNative || account === undefined || topics.length !== 2 || !hasWords(data, 1)) continue
    if (topics[0] !== DEPOSIT && topics[0] !== WITHDRAWAL) continue
    const flow = flows.get(transactionIndex) ?? { deposits: [], withdrawals: [] }
    const wrapping = { account: addressTopic(account), amount: uintWord(data, 0), logIndex }
    if (topics[0] === DEPOSIT) flow.deposits.push(wrapping)
    else flow.withdrawals.push(wrapping)
    flows.set(transactionIndex, flow)
  }
  return flows
}
