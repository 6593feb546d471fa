import { topicOf } from '../../abi/fragment.ts'
import { hasWords } from '../../abi/words.ts'
import type { Log, Transaction } from '../../chain/block.ts'
import { type Address, ZERO_ADDRESS } from '../../chain/hex.ts'
import type { Settlement } from '../../deployments/deployment.ts'
import { DUST_COINS } from './coin-ends.ts'
import type { Ledger } from './ledger.ts'
import type { NamedAccount } from './settlements.ts'

/** Of 1inch's AggregationRouterV6: it names no maker. */
const ORDER_FILLED = topicOf('event OrderFilled(bytes32 orderHash, uint256 remainingAmount)')

export interface MakerFacts {
  transaction: Transaction
  logs: readonly Log[]
  ledger: Ledger
  hasHops: boolean
  /** Contracts that hold and move tokens but are not a trader's account. */
  venues: ReadonlySet<Address>
  settlements: readonly Settlement[]
}

/**
 * Returns the named accounts without makers of 1inch's limit orders whose orders are a part of somebody else's swap, and
 * with the only maker that no event names. A trade is the makers' if no other account is named, the signer gave and got
 * nothing, and nobody beside them gave anything to the pools. Rules: docs/internals/trades.md.
 */
export function withMakers(named: readonly NamedAccount[], facts: MakerFacts): readonly NamedAccount[] {
  const { transaction, ledger, hasHops } = facts
  const filled = facts.logs.findLast((log) => isUnnamedFill(log, facts.settlements))
  const others = named.filter(({ isMaker }) => isMaker !== true)
  if (others.length === named.length && filled === undefined) return named
  if (others.length > 0 || isParty(transaction, ledger)) return others
  // Without pools, a filler gave what a maker got.
  if (!hasHops) return named
  const givers = giversOf(facts)
  if (filled === undefined) return givers.every((giver) => named.some(({ account }) => account === giver)) ? named : []
  const [account, ...more] = givers
  if (account === undefined || more.length > 0 || named.some((namedAccount) => namedAccount.account !== account))
    return []
  const { logIndex } = filled
  return [{ account, sold: new Set(), bought: new Set(), hasOrder: true, isMaker: true, logIndex }]
}

function isUnnamedFill({ address, topics, data }: Log, settlements: readonly Settlement[]): boolean {
  if (topics[0] !== ORDER_FILLED || topics.length !== 1 || !hasWords(data, 2)) return false
  return settlements.some((settlement) => settlement.kind === '1inch-v6' && settlement.address === address)
}

/** Whether the signer gave or got anything itself. */
function isParty({ from, value }: Transaction, ledger: Ledger): boolean {
  if (from === null) return false
  const { tokens, coins = -value } = ledger.of(from)
  return tokens.size > 0 || coins >= DUST_COINS || -coins >= DUST_COINS
}

/** Returns the accounts that gave some token, beside venues and tokens' contracts. */
function giversOf({ ledger, venues }: MakerFacts): Address[] {
  const { transfers } = ledger.flows
  const tokens = new Set(transfers.map(({ token }) => token))
  const senders = [...new Set(transfers.map(({ from }) => from))]
  return senders.filter((account) => {
    if (account === ZERO_ADDRESS || venues.has(account) || tokens.has(account)) return false
    return [...ledger.of(account).tokens.values()].some((net) => net < 0n)
  })
}
