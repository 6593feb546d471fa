import { topicOf } from '../../abi/contract-abi.ts'
import { addressTopic, hasWords, uintWord } from '../../abi/words.ts'
import type { Address, Hex, Log } from '../../chain.ts'
import type { Settlement } from '../../deployments/deployment.ts'
import { Counts, Groups } from '../../totals.ts'
import { entryPointsOf, TRANSFER } from '../receipt/receipt-flows.ts'
import { isOrderLog, USER_OPERATION } from '../receipt/settlements.ts'
import type { Hop } from '../trade.ts'

/**
 * Limit on accounts times logs outside operations, since a bundle may hold thousands of both. Recorded bundles need a
 * few hundred.
 */
const MAX_SHARED_LOGS = 20_000
const BEFORE_EXECUTION = topicOf('event BeforeExecution()')

/** A part of a transaction whose trades are made separately, with all the logs that this needs. */
export interface TransactionPart {
  hops: readonly Hop[]
  logs: readonly Log[]
  /** The account whose operations hold all hops; absent outside operations. */
  operator?: Address
}

/**
 * Splits a transaction into one part for each account with user operations (ERC-4337) that trade, and one for
 * everything outside operations (docs/internals/trades.md, 20). `logs` is the whole receipt, in log order.
 */
export function operationParts(
  hops: readonly Hop[],
  logs: readonly Log[],
  settlements: readonly Settlement[],
): TransactionPart[] {
  // Most transactions have no user operations.
  if (!logs.some(({ topics }) => topics[0] === USER_OPERATION)) return [{ hops, logs }]
  const owners = ownersOf(logs, entryPointsOf(settlements))
  const orders = logs.filter((log) => isOrderLog(log, settlements))
  const hopsOf = byOwner(hops, owners)
  const accounts = new Set([...hopsOf.keys(), ...byOwner(orders, owners).keys()])
  if (accounts.size === Number(accounts.has(null)) || hasMisplacedEvents(owners, logs)) return [{ hops, logs }]
  const logsOf = byOwner(logs, owners)
  const outside = logsOf.of(null)
  // If hops or orders lie outside operations, the logs outside belong to those, not to the hops inside.
  const areShared = !accounts.has(null) && outside.length * accounts.size <= MAX_SHARED_LOGS
  return [...accounts].map((account) => {
    const inside = logsOf.of(account)
    const read = areShared ? [...inside, ...outside].sort((a, b) => a.logIndex - b.logIndex) : inside
    return { hops: hopsOf.of(account), logs: read, ...(account !== null && { operator: account }) }
  })
}

/** The key is null outside operations. */
function byOwner<T extends { logIndex: number }>(
  things: readonly T[],
  owners: ReadonlyMap<number, Address>,
): Groups<Address | null, T> {
  const groups = new Groups<Address | null, T>()
  for (const thing of things) groups.add(owners.get(thing.logIndex) ?? null, thing)
  return groups
}

function hasMisplacedEvents(owners: ReadonlyMap<number, Address>, logs: readonly Log[]): boolean {
  const sizes = new Counts<Address>()
  for (const account of owners.values()) sizes.add(account)
  return logs.some(({ topics, logIndex }) => {
    if (topics[0] !== TRANSFER || topics.length !== 3) return false
    const from = addressTopic(topics, 1)
    return sizes.of(from) === 1 && owners.has(logIndex) && owners.get(logIndex) !== from
  })
}

function ownersOf(logs: readonly Log[], entryPoints: readonly Address[]): ReadonlyMap<number, Address> {
  const owners = new Map<number, Address>()
  let open: number[] = []
  for (const { address, topics, data, logIndex } of logs) {
    open.push(logIndex)
    if (!entryPoints.includes(address)) continue
    if (topics[0] === BEFORE_EXECUTION) open = []
    else if (isUserOperation(topics, data)) {
      // A failed operation has no effect.
      if (uintWord(data, 1) === 1n) for (const place of open) owners.set(place, addressTopic(topics, 2))
      open = []
    }
  }
  return owners
}

function isUserOperation(topics: readonly Hex[], data: Hex): boolean {
  return topics[0] === USER_OPERATION && topics.length === 4 && hasWords(data, 4)
}
