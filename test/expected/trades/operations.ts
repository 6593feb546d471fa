import type { RecordedLog } from '../chain-record.ts'
import type { Hop } from './receipt/hops.ts'
import { moveIn } from './receipt/moves-in-logs.ts'
import { accountsNamed, mayBeOrder, operationEvent, type Settlement } from './receipt/settlements.ts'

export interface Part {
  logs: readonly RecordedLog[]
  hops: readonly Hop[]
  named: ReadonlySet<string>
  /** The account whose operations these are. */
  operator: string | null
}

/**
 * Splits a transaction into each account's operations (ERC-4337) and the remaining logs. Without operations it stays
 * whole.
 */
export function partsOf(
  logs: readonly RecordedLog[],
  hops: readonly Hop[],
  settlements: readonly Settlement[],
): Part[] {
  const whole = { logs, hops, named: accountsNamed(logs, settlements), operator: null }
  const owners = ownersOf(logs, settlements)
  const ownerOf = (hop: Hop) => owners.get(hop.logIndex) ?? null
  const accounts = [...new Set(owners.values())]
  const orders = logs.filter((log) => mayBeOrder(log, settlements))
  const isInside = hops.some(ownerOf) || orders.some(({ index }) => owners.has(index))
  if (!isInside || accounts.some((account) => paysElsewhere(account, logs, owners))) return [whole]

  const logsOf = (account: string | null) => logs.filter(({ index }) => (owners.get(index) ?? null) === account)
  const hopsOf = (account: string | null) => hops.filter((hop) => ownerOf(hop) === account)
  const mayTrade = (part: Part, own = part.logs) => part.hops.length > 0 || own.some((log) => orders.includes(log))
  const outside = {
    logs: logsOf(null),
    hops: hopsOf(null),
    operator: null,
    named: accountsNamed(logsOf(null), settlements),
  }
  const parts = accounts.map((account): Part => {
    const own = logsOf(account)
    const shared = mayTrade(outside) ? [] : outside.logs
    const read = [...own, ...shared].toSorted((a, b) => a.index - b.index)
    return { logs: read, hops: hopsOf(account), named: accountsNamed(read, settlements), operator: account }
  })
  const placeOf = ({ logs: read, hops: [hop] }: Part) =>
    hop?.logIndex ?? 1e9 + (read.find((log) => orders.includes(log))?.index ?? 0)
  return [...parts, outside].filter((part) => mayTrade(part)).toSorted((a, b) => placeOf(a) - placeOf(b))
}

function ownersOf(logs: readonly RecordedLog[], settlements: readonly Settlement[]): Map<number, string> {
  const owners = new Map<number, string>()
  let since: RecordedLog[] = []
  for (const log of logs) {
    const event = operationEvent(log, settlements)
    if (event === null || !event.begins) since.push(log)
    if (event === null) continue
    if (!event.begins && event.success) for (const { index } of since) owners.set(index, event.account)
    since = []
  }
  return owners
}

/** Returns whether an account with a single log in its operation gave tokens in another account's operation. */
function paysElsewhere(account: string, logs: readonly RecordedLog[], owners: ReadonlyMap<number, string>): boolean {
  if ([...owners.values()].filter((owner) => owner === account).length > 1) return false
  return logs.some((log) => {
    const owner = owners.get(log.index)
    return owner !== undefined && owner !== account && moveIn(log).some(({ from }) => from === account)
  })
}
