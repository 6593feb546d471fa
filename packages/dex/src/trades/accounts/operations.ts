import { topicOf } from '../../abi/fragment.ts'
import { addressTopic, hasWords, uintWord } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import type { Address, Hex } from '../../chain/hex.ts'
import type { Settlement } from '../../deployments/deployment.ts'
import { TRANSFER } from '../receipt/receipt-flows.ts'
import { USER_OPERATION } from '../receipt/settlements.ts'
import type { Hop } from '../trade.ts'

/**
 * Logs outside of operations, times accounts. Each account's part is read with all of them: beyond this with none, as a
 * bundle may hold thousands of both. The bundles recorded need a few hundred.
 */
const MOST_SHARED_LOGS = 20_000
const BEFORE_EXECUTION = topicOf('event BeforeExecution()')

/** The part of a transaction that its rows are told from: hops, and all logs that say whose these are. */
export interface TransactionPart {
  hops: readonly Hop[]
  logs: readonly Log[]
}

/**
 * The parts of a transaction with hops: one of each account whose user operations (ERC-4337) have some, one of all hops
 * outside of operations. An entry point runs operations one after the other and ends each with its event, so every log
 * between two of these events belongs to one account. What lies outside of them (validation, what a bundler does
 * beside) is a log of every part, but where hops lie there, too, or where that would be far too many. Where no hop lies in an operation there is one part.
 *
 * @param logs the whole receipt, in log order
 */
export function operationParts(
  hops: readonly Hop[],
  logs: readonly Log[],
  settlements: readonly Settlement[],
): TransactionPart[] {
  // Most transactions have none of its events.
  if (!logs.some(({ topics }) => topics[0] === USER_OPERATION)) return [{ hops, logs }]
  const entryPoints = settlements.filter(({ kind }) => kind === 'erc4337').map(({ address }) => address)
  const owners = ownersOf(logs, entryPoints)
  const hopsOf = byOwner(hops, owners)
  if (hopsOf.size === Number(hopsOf.has(null)) || hasMisplacedEvents(owners, logs)) return [{ hops, logs }]
  const logsOf = byOwner(logs, owners)
  const outside = logsOf.get(null) ?? []
  // What pays for hops outside of operations says nothing of those within.
  const areShared = !hopsOf.has(null) && outside.length * hopsOf.size <= MOST_SHARED_LOGS
  return [...hopsOf].map(([account, ofAccount]) => {
    const own = logsOf.get(account) ?? []
    return { hops: ofAccount, logs: areShared ? [...own, ...outside].sort((a, b) => a.logIndex - b.logIndex) : own }
  })
}

/** What each account's operations hold; null: what lies outside of operations. */
function byOwner<T extends { logIndex: number }>(
  things: readonly T[],
  owners: ReadonlyMap<number, Address>,
): Map<Address | null, T[]> {
  const groups = new Map<Address | null, T[]>()
  for (const thing of things) {
    const owner = owners.get(thing.logIndex) ?? null
    const group = groups.get(owner)
    if (group === undefined) groups.set(owner, [thing])
    else group.push(thing)
  }
  return groups
}

/**
 * Whether an account gave tokens in another one's operation while its own holds nothing but its event: an entry point
 * that does not end operations with their events. Whose a log is then stays open.
 */
function hasMisplacedEvents(owners: ReadonlyMap<number, Address>, logs: readonly Log[]): boolean {
  const sizes = new Map<Address, number>()
  for (const account of owners.values()) sizes.set(account, (sizes.get(account) ?? 0) + 1)
  return logs.some(({ topics, logIndex }) => {
    if (topics[0] !== TRANSFER || topics.length !== 3) return false
    const from = addressTopic(topics, 1)
    return sizes.get(from) === 1 && owners.has(logIndex) && owners.get(logIndex) !== from
  })
}

/** The account whose operation a log is part of, by log index; logs outside of operations have none. */
function ownersOf(logs: readonly Log[], entryPoints: readonly Address[]): ReadonlyMap<number, Address> {
  const owners = new Map<number, Address>()
  let open: number[] = []
  for (const { address, topics, data, logIndex } of logs) {
    open.push(logIndex)
    if (!entryPoints.includes(address)) continue
    if (topics[0] === BEFORE_EXECUTION) open = []
    else if (isUserOperation(topics, data)) {
      // One that failed has done nothing.
      if (uintWord(data, 1) === 1n) for (const place of open) owners.set(place, addressTopic(topics, 2))
      open = []
    }
  }
  return owners
}

function isUserOperation(topics: readonly Hex[], data: Hex): boolean {
  return topics[0] === USER_OPERATION && topics.length === 4 && hasWords(data, 4)
}
