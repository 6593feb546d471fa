import type { LeggedTrade } from '../legs.ts'
import { BURNT, type Receipt, spentCoins, total, WORD } from '../receipt/receipt.ts'
import type { OrderTold, ToldTokens } from '../receipt/settlements.ts'

export interface Flow {
  token: string
  amount: bigint
  native: boolean
}

export interface OneForOne {
  account: string
  out: Flow
  in: Flow
}

export interface Parties {
  named: ReadonlySet<string>
  /** The account whose operations hold all hops. */
  operator: string | null
  venues: ReadonlySet<string>
  told: ToldTokens
  orders: readonly OrderTold[]
}

/** Returns null if the account has other flows, or if they do not show what it traded. */
export function oneForOne(
  trades: readonly LeggedTrade[],
  { named, venues }: Parties,
  receipt: Receipt,
): OneForOne | null {
  const account = flowAccount(named, receipt)
  if (account === null || named.size > 1 || !areCredible(account, receipt)) return null
  if (receipt.logsCoins) return pairOf(account, loggedFlows(account, receipt))
  const flows = tokenFlows(account, receipt)
  const spent = spentCoins(receipt)
  const hasGot = flows.some(({ amount }) => amount > 0n)
  const hasGiven = flows.some(({ amount }) => amount < 0n)
  if (spent > 0n && account === receipt.signer) {
    flows.push({ token: receipt.wrappedNative, amount: -spent, native: true })
  }
  if (hasGiven && !hasGot) flows.push(...coinsPaid(trades, venues, receipt))
  const pair = pairOf(account, flows)
  return pair && hasGiven && hasGot && gotCoinsLater(pair, trades, venues, receipt) ? null : pair
}

/** Coins and wrapped coins in the same direction are one flow. */
export function loggedFlows(account: string, receipt: Receipt): Flow[] {
  const { nets, wrappedNative: token } = receipt
  const [coins, wrapped] = [nets.coins(account), nets.wrapped(account)]
  const others = tokenFlows(account, receipt).filter((flow) => flow.token !== token)
  const isOneWay = coins > 0n === wrapped > 0n && coins !== 0n && wrapped !== 0n
  const native = magnitude(coins) >= magnitude(wrapped)
  const both = isOneWay
    ? [{ token, amount: coins + wrapped, native }]
    : [
        { token, amount: coins, native: true },
        { token, amount: wrapped, native: false },
      ]
  return [...others, ...both.filter(({ amount }) => amount !== 0n)]
}

export function tokenFlows(account: string, { nets }: Receipt): Flow[] {
  return nets.tokens(account).map(({ token, net }) => ({ token, amount: net, native: false }))
}

export function pairOf(account: string, flows: readonly Flow[]): OneForOne | null {
  const [out, into] = [flows.find(({ amount }) => amount < 0n), flows.find(({ amount }) => amount > 0n)]
  if (!out || !into || flows.length !== 2 || out.token === into.token) return null
  if (-out.amount > WORD || into.amount > WORD) return null
  return { account, out: { ...out, amount: -out.amount }, in: into }
}

function areCredible(account: string, receipt: Receipt): boolean {
  return !receipt.changesLiquidity && !receipt.nets.hasItems(account) && !isIncredible(account, receipt)
}

export function isIncredible(account: string | null, { nets }: Receipt): boolean {
  return magnitude(nets.coins(account)) > WORD || nets.tokens(account).some(({ net }) => magnitude(net) > WORD)
}

function flowAccount(named: ReadonlySet<string>, { nets, signer }: Receipt): string | null {
  const hasAny = (account: string) => nets.tokens(account).length > 0
  const [only = null] = named
  return [...named].find(hasAny) ?? (signer !== null && hasAny(signer) ? signer : only)
}

function coinsPaid(trades: readonly LeggedTrade[], venues: ReadonlySet<string>, receipt: Receipt): Flow[] {
  const { wrappedNative: token, withdrawals } = receipt
  const hasHolder = trades.some(({ through: { buy } }) => {
    return buy.token !== token && holdersOf(buy.token, venues, receipt).length > 0
  })
  const paid = total(withdrawals.filter(({ account }) => !venues.has(account)))
  return hasHolder || paid === 0n ? [] : [{ token, amount: paid, native: true }]
}

/** Returns whether coins were unwrapped after the account had got all of the other token, so that it got both. */
function gotCoinsLater(
  { account, in: { token } }: OneForOne,
  trades: readonly LeggedTrade[],
  venues: ReadonlySet<string>,
  { moves, withdrawals }: Receipt,
): boolean {
  const got = moves.filter((move) => move.token === token && move.to === account).map(({ logIndex }) => logIndex)
  return (
    trades.some(({ through }) => through.buy.native) &&
    withdrawals.some((wrapping) => !venues.has(wrapping.account) && wrapping.logIndex > Math.max(-1, ...got))
  )
}

/** Returns who gained a token, except venues, the token's contract and burn addresses. */
export function holdersOf(token: string, venues: ReadonlySet<string>, { nets }: Receipt) {
  return nets.accounts().flatMap((account) => {
    const amount = nets.of(account, token)
    const counts = amount > 0n && !venues.has(account) && account !== token && !BURNT.includes(account)
    return counts ? [{ account, amount }] : []
  })
}

export function magnitude(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}
