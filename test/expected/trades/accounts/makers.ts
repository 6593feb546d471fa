import type { Hop } from '../receipt/hops.ts'
import { BURNT, type Receipt } from '../receipt/receipt.ts'
import { accountsNamed, limitOrderIn, type Settlement } from '../receipt/settlements.ts'
import { magnitude } from './flows.ts'

export const DUST = 10n ** 12n

/** Removes makers of limit orders from the named accounts, unless the trade is theirs. */
export function withMakers(
  named: ReadonlySet<string>,
  hops: readonly Hop[],
  venues: ReadonlySet<string>,
  receipt: Receipt,
  settlements: readonly Settlement[],
): ReadonlySet<string> {
  const orders = receipt.logs.flatMap((log) => limitOrderIn(log, settlements) ?? [])
  const unnamed = receipt.logs.some((log) => limitOrderIn(log, settlements) === null)
  const others = accountsNamed(
    receipt.logs.filter((log) => limitOrderIn(log, settlements) === undefined),
    settlements,
  )
  const makers = new Set(orders.filter((maker) => named.has(maker) && !others.has(maker)))
  if (makers.size === 0 && !unnamed) return named
  const { nets, signer, logsCoins, value, moves } = receipt
  const coins = signer === null ? 0n : logsCoins ? nets.coins(signer) : value
  if (others.size > 0 || nets.tokens(signer).length > 0 || magnitude(coins) >= DUST) return others
  if (hops.length === 0) return makers
  const isToken = (account: string) => moves.some(({ token }) => token === account)
  const givers = nets.accounts().filter((account) => {
    const gave = moves.some(({ from }) => from === account) && nets.tokens(account).some(({ net }) => net < 0n)
    return gave && !venues.has(account) && account !== BURNT[0] && !isToken(account)
  })
  if (!unnamed) return givers.every((giver) => makers.has(giver)) ? makers : new Set()
  return givers.length === 1 && [...makers].every((maker) => givers.includes(maker)) ? new Set(givers) : new Set()
}
