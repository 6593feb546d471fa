import type { Hop } from '../receipt/hops.ts'
import { BURNT, type Receipt } from '../receipt/receipt.ts'
import { accountsNamed, isUnnamedFill, limitOrderIn, type Settlement } from '../receipt/settlements.ts'
import { magnitude } from './flows.ts'

export const DUST = 10n ** 12n

/** The accounts that events name, or that their events of limit orders show. */
export interface Named {
  accounts: ReadonlySet<string>
  makers: ReadonlySet<string>
  /** The signer, if it has an order that names nobody. */
  taker: string | null
  /** Whether without hops each account has an order. */
  hasFills: boolean
}

/** Removes makers of limit orders from the named accounts, unless the trade is theirs. */
export function withMakers(
  named: ReadonlySet<string>,
  hops: readonly Hop[],
  venues: ReadonlySet<string>,
  receipt: Receipt,
  settlements: readonly Settlement[],
): Named {
  const { logs, signer, nets, logsCoins, value } = receipt
  const told = logs.flatMap((log) => limitOrderIn(log, settlements) ?? [])
  const others = accountsNamed(
    logs.filter((log) => limitOrderIn(log, settlements) === undefined),
    settlements,
  )
  const makers = new Set(told.filter((maker) => named.has(maker) && !others.has(maker)))
  const hasFills = makers.size > 0 || logs.some((log) => isUnnamedFill(log, settlements))
  const none = { makers: new Set<string>(), taker: null, hasFills }
  if (!hasFills) return { ...none, accounts: named }
  if (others.size > 0) return { ...none, accounts: others }
  const coins = signer === null ? 0n : logsCoins ? nets.coins(signer) : value
  if (nets.tokens(signer).length > 0 || magnitude(coins) >= DUST) {
    const taker = hops.length === 0 ? signer : null
    return { ...none, accounts: new Set(taker === null ? [] : [taker]), taker }
  }
  const fills = logs.filter((log) => limitOrderIn(log, settlements) === null)
  const all = allMakers(fills, makers, hops, venues, receipt)
  return { ...none, accounts: all, makers: all }
}

function allMakers(
  fills: Receipt['logs'],
  known: ReadonlySet<string>,
  hops: readonly Hop[],
  venues: ReadonlySet<string>,
  { nets, moves, withdrawals, wrappedNative }: Receipt,
): ReadonlySet<string> {
  const hasHops = hops.length > 0
  const isToken = (account: string) => moves.some(({ token }) => token === account)
  const givers = [...new Set(moves.map(({ from }) => from))].filter((account) => {
    const gave = nets.tokens(account).some(({ net }) => net < 0n)
    return gave && !venues.has(account) && account !== BURNT[0] && !isToken(account)
  })
  const paid = fills.map(({ index }) => {
    const move = moves.findLast(({ logIndex }) => logIndex < index)
    const isCoin = withdrawals.some(({ logIndex }) => logIndex < index && logIndex > (move?.logIndex ?? -1))
    return move === undefined || isCoin || !givers.includes(move.to) ? null : move.to
  })
  const makers = new Set([...known, ...paid.flatMap((maker) => maker ?? [])])
  const open = paid.filter((maker) => maker === null).length
  const [first] = givers
  const isOfMakers = first === undefined || makers.has(first)
  if (open === 0 && (!hasHops || isOfMakers)) return makers
  const left = givers.filter((giver) => {
    return !makers.has(giver) && (hasHops || nets.of(giver, wrappedNative) === 0n)
  })
  return left.length === open ? new Set([...makers, ...left]) : new Set()
}
