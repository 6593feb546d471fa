import { topicOf } from '../../abi/fragment.ts'
import { addressTopic, hasWords, MAX_UINT256, uintWord } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import type { Address, Hex } from '../../chain/hex.ts'

/** Emits a `Transfer` for every move of coins from one account to another (EIP-7708). It has no code and is no token. */
export const SYSTEM_ADDRESS: Address = `0x${'f'.repeat(39)}e`

const TRANSFER: Hex = topicOf('event Transfer(address indexed from, address indexed to, uint256 value)')

/** A move of coins from one account to another, in wei. Gas is none. */
export interface CoinTransfer {
  from: Address
  to: Address
  amount: bigint
  logIndex: number
}

/** The move of coins that a log of the system address tells; null: another log. Drafts of EIP-7708 had more of them. */
export function coinTransferOf({ address, topics, data, logIndex }: Log): CoinTransfer | null {
  if (address !== SYSTEM_ADDRESS || topics[0] !== TRANSFER || topics.length !== 3 || !hasWords(data, 1)) return null
  return { from: addressTopic(topics, 1), to: addressTopic(topics, 2), amount: uintWord(data, 0), logIndex }
}

/** What each account got of coins less what it gave, in wei. */
export function coinHoldersOf(coins: readonly CoinTransfer[]): Map<Address, bigint> {
  const nets = new Map<Address, bigint>()
  for (const { from, to, amount } of coins) {
    nets.set(to, (nets.get(to) ?? 0n) + amount)
    nets.set(from, (nets.get(from) ?? 0n) - amount)
  }
  return nets
}

/** An end of a trade in the coin or its wrapper. */
export interface CoinEnd {
  amount: bigint
  /** The coin, not the wrapper. */
  native: boolean
}

/**
 * What an account gave, or got, of the coin and its wrapper for a trade, out of what it netted of each; null: neither has
 * the sign of the end. Where it netted both, one may be beside the trade (a fee in coins): of the coin alone, the wrapper
 * alone and both together it is what comes nearest to the pools' amount.
 *
 * @param coins what moved of the coin in the direction of the end, negative in the other one
 * @param wrapped the same of the wrapper
 */
export function coinEnd(coins: bigint, wrapped: bigint, pools: bigint): CoinEnd | null {
  const both = coins + wrapped
  let nearest: CoinEnd | null = null
  for (const amount of [coins, wrapped, both]) {
    if (amount <= 0n || amount > MAX_UINT256) continue
    if (nearest !== null && distance(amount, pools) >= distance(nearest.amount, pools)) continue
    const native = amount === both ? coins >= wrapped : amount === coins
    nearest = { amount, native }
  }
  return nearest
}

function distance(a: bigint, b: bigint): bigint {
  return a < b ? b - a : a - b
}
