import { type LeggedTrade, total } from './legs.ts'
import { gainersOf, isToken, keepersOf, type Receipt } from './receipt.ts'

interface Flow {
  /** The wrapped coin's address for the coin, too. */
  token: string
  /** Null: unknown. */
  amount: bigint | null
  native: boolean
}

/** What an account gave and got, where that is one token, or the coin, for another. */
export interface OneForOne {
  account: string
  out: Flow
  in: Flow
}

/** Null where the flows of the account are something else, or do not tell. */
export function oneForOne(
  trades: readonly LeggedTrade[],
  named: ReadonlySet<string>,
  venues: ReadonlySet<string>,
  receipt: Receipt,
): OneForOne | null {
  const account = flowAccount(named, receipt)
  if (account === null || receipt.changesLiquidity) return null
  const nets = [...(receipt.nets.get(account) ?? [])]
  if (!nets.every(([asset]) => isToken(asset))) return null
  const gave = nets.filter(([, net]) => net < 0n).map(([token, net]) => ({ token, amount: -net, native: false }))
  const got = nets.filter(([, net]) => net > 0n).map(([token, net]) => ({ token, amount: net, native: false }))

  const outs: Flow[] = [...gave]
  const ins: Flow[] = [...got]
  const spent = receipt.value - total(receipt.withdrawals)
  if (spent > 0n && account === receipt.signer) outs.push({ token: receipt.wrappedNative, amount: spent, native: true })
  if (gave.length > 0 && got.length === 0) ins.push(...coinsIn(gave[0]?.token, trades, venues, receipt))

  const [out, into] = [outs[0], ins[0]]
  if (!out || !into || outs.length + ins.length > 2 || out.token === into.token) return null
  if (gave.length > 0 && got.length > 0 && wasUnwrappedAfter({ account, token: into.token }, trades, venues, receipt))
    return null
  return { account, out, in: into }
}

function flowAccount(named: ReadonlySet<string>, { nets, signer }: Receipt): string | null {
  const [only = null] = named
  if (named.size > 1) return null
  const hasAny = (account: string | null) =>
    account !== null && [...(nets.get(account) ?? [])].some(([asset]) => isToken(asset))
  if (hasAny(only)) return only
  return hasAny(signer) ? signer : only
}

/** The coins that an account got which gave a token and got none. */
function coinsIn(
  given: string | undefined,
  trades: readonly LeggedTrade[],
  venues: ReadonlySet<string>,
  receipt: Receipt,
): Flow[] {
  const { wrappedNative: token, moves } = receipt
  const isSomebodys = trades.some(({ through: { buy } }) => {
    return buy.token !== token && keepersOf(buy.token, venues, receipt).length > 0
  })
  if (isSomebodys) return []
  const paid = total(receipt.withdrawals.filter(({ account }) => !venues.has(account)))
  if (paid > 0n) return [{ token, amount: paid, native: true }]
  const [keeper, another] = gainersOf(token, receipt).filter(({ account }) => !venues.has(account))
  const handedOn = moves.some((move) => move.token === given && move.from === keeper?.account)
  return keeper && !another && handedOn ? [{ token, amount: null, native: true }] : []
}

/** Whether coins that a trade bought were unwrapped after an account had got all of a token: then both were bought. */
function wasUnwrappedAfter(
  { account, token }: { account: string; token: string },
  trades: readonly LeggedTrade[],
  venues: ReadonlySet<string>,
  { moves, withdrawals }: Receipt,
): boolean {
  const last = Math.max(
    ...moves.filter(({ to, ...move }) => move.token === token && to === account).map(({ logIndex }) => logIndex),
  )
  return (
    trades.some(({ through }) => through.buy.native) &&
    withdrawals.some((one) => !venues.has(one.account) && one.logIndex > last)
  )
}
