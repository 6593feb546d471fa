import { MAX_UINT256 } from '../../abi/words.ts'
import type { Address, Transaction } from '../../chain.ts'
import { type ReadonlyTotals, Totals } from '../../totals.ts'
import { BURN_ADDRESSES, type ItemTransfer, type ReceiptFlows, totalOf, type Wrapping } from './receipt-flows.ts'

/** How much of each token an account received minus what it gave, in base units; never zero. */
export interface AccountNets {
  tokens: ReadonlyTotals<Address>
  /** In wei; absent if unknown. */
  coins?: bigint
  /** The nets do not show the account's trades, because it moved single items or a token reports impossible amounts. */
  isUnclear: boolean
}

type Nets = ReadonlyTotals<Address>

const NO_NETS: Nets = new Totals()
const NO_ACCOUNTS: ReadonlySet<Address> = new Set()

/**
 * Computes nets: how much of a token an account received in a transaction minus what it gave, including wrapping. Each
 * result is computed once.
 */
export class Ledger {
  readonly flows: ReceiptFlows
  readonly wrappedNative: Address
  #byToken: ReadonlyMap<Address, Nets> | null = null
  #byAccount: ReadonlyMap<Address, Nets> | null = null
  #coins: Nets | null = null
  #withItems: ReadonlySet<Address> | null = null
  #withCoins: { transaction: Transaction; nets: Nets } | null = null
  #unwrapped: bigint | null = null
  readonly #nets = new Map<Address, AccountNets>()

  constructor(flows: ReceiptFlows, wrappedNative: Address) {
    this.flows = flows
    this.wrappedNative = wrappedNative
  }

  with(flows: ReceiptFlows): Ledger {
    return flows === this.flows ? this : new Ledger(flows, this.wrappedNative)
  }

  /** Returns the net of each account that took part in a transfer of a token, even if it is zero. */
  ofToken(token: Address): Nets {
    this.#byToken ??= netsByToken(this)
    return this.#byToken.get(token) ?? NO_NETS
  }

  of(account: Address): AccountNets {
    const cached = this.#nets.get(account)
    if (cached !== undefined) return cached
    this.#byToken ??= netsByToken(this)
    this.#byAccount ??= netsByAccount(this.#byToken)
    this.#withItems ??= accountsOfItems(this.flows.items)
    const tokens = this.#byAccount.get(account) ?? NO_NETS
    const coins = this.flows.coins === undefined ? undefined : this.coins.of(account)
    const isUnclear = this.#withItems.has(account) || hasIncredible(tokens.values()) || hasIncredible([coins ?? 0n])
    const nets = coins === undefined ? { tokens, isUnclear } : { tokens, coins, isUnclear }
    this.#nets.set(account, nets)
    return nets
  }

  /** In wei, by account; empty if coins are not logged. */
  get coins(): Nets {
    if (this.#coins !== null) return this.#coins
    const nets = new Totals<Address>()
    for (const { from, to, amount } of this.flows.coins ?? []) {
      nets.add(to, amount)
      nets.add(from, -amount)
    }
    this.#coins = nets
    return nets
  }

  /**
   * All coins that were unwrapped, except by accounts that had wrapped exactly as many and moved no wrapper: those coins
   * were on their way to a venue that takes coins. The others may have gone back to whoever sent them.
   */
  get unwrapped(): bigint {
    if (this.#unwrapped !== null) return this.#unwrapped
    const { transfers, deposits, withdrawals } = this.flows
    const wrapped = byAccount(deposits)
    const backTo = byAccount(withdrawals)
    const movers = new Set<Address>()
    for (const { token, from, to } of transfers) if (token === this.wrappedNative) movers.add(from).add(to)
    let unwrapped = totalOf(withdrawals)
    for (const [account, amount] of wrapped) {
      if (backTo.of(account) === amount && !movers.has(account)) unwrapped -= amount
    }
    this.#unwrapped = unwrapped
    return unwrapped
  }

  /**
   * Returns the nets of a token. Those of the wrapped coin include the known coins: all if they are logged, otherwise
   * the transaction's `value`.
   */
  withCoins(token: Address, transaction: Transaction): Nets {
    if (token !== this.wrappedNative) return this.ofToken(token)
    if (this.#withCoins?.transaction === transaction) return this.#withCoins.nets
    const nets = new Totals(this.ofToken(token))
    for (const [account, net] of this.coins) nets.add(account, net)
    const { from, value } = transaction
    if (this.flows.coins === undefined && from !== null) nets.add(from, -value)
    this.#withCoins = { transaction, nets }
    return nets
  }
}

function byAccount(wrappings: readonly Wrapping[]): Totals<Address> {
  const totals = new Totals<Address>()
  for (const { account, amount } of wrappings) totals.add(account, amount)
  return totals
}

function netsByToken({ flows, wrappedNative }: Ledger): Map<Address, Totals<Address>> {
  const byToken = new Map<Address, Totals<Address>>()
  const netsOf = (token: Address) => {
    const nets = byToken.get(token) ?? new Totals<Address>()
    byToken.set(token, nets)
    return nets
  }
  for (const { token, from, to, amount } of flows.transfers) {
    const nets = netsOf(token)
    nets.add(from, -amount)
    nets.add(to, amount)
  }
  for (const { account, amount } of flows.deposits) netsOf(wrappedNative).add(account, amount)
  for (const { account, amount } of flows.withdrawals) netsOf(wrappedNative).add(account, -amount)
  return byToken
}

function netsByAccount(byToken: ReadonlyMap<Address, Nets>): Map<Address, Nets> {
  const byAccount = new Map<Address, Totals<Address>>()
  for (const [token, nets] of byToken) {
    for (const [account, net] of nets) {
      if (net === 0n) continue
      const tokens = byAccount.get(account) ?? new Totals<Address>()
      byAccount.set(account, tokens)
      tokens.set(token, net)
    }
  }
  return byAccount
}

function accountsOfItems(items: readonly ItemTransfer[]): ReadonlySet<Address> {
  if (items.length === 0) return NO_ACCOUNTS
  const accounts = new Set<Address>()
  const nets = new Totals<string>()
  for (const { item, from, to, amount } of items) {
    nets.add(`${from} ${item}`, -amount)
    nets.add(`${to} ${item}`, amount)
  }
  for (const { item, from, to } of items) {
    for (const account of [from, to]) if (nets.of(`${account} ${item}`) !== 0n) accounts.add(account)
  }
  return accounts
}

/** Returns whether a net exceeds a uint256: no token or coin exists in such amounts. */
export function hasIncredible(nets: Iterable<bigint>): boolean {
  for (const net of nets) if (net > MAX_UINT256 || net < -MAX_UINT256) return true
  return false
}

interface CoinNets {
  coins: bigint
  wrapped: bigint
}

export class Gainers {
  readonly #ledger: Ledger
  readonly #venues: ReadonlySet<Address>
  readonly #byToken = new Map<Address, readonly [Address, bigint][]>()
  #ofCoins: readonly CoinNets[] | null = null

  constructor(ledger: Ledger, venues: ReadonlySet<Address>) {
    this.#ledger = ledger
    this.#venues = venues
  }

  /** Returns the accounts with a positive net of a token, except venues, the token's contract and burn addresses. */
  of(token: Address): readonly [Address, bigint][] {
    const cached = this.#byToken.get(token)
    if (cached !== undefined) return cached
    const nets = [...this.#ledger.ofToken(token)]
    const gainers = nets.filter(([account, net]) => net > 0n && this.#isAccount(account, token))
    this.#byToken.set(token, gainers)
    return gainers
  }

  /** Like `of`, for coins and their wrapper together, if coins are logged. */
  ofCoins(): readonly CoinNets[] {
    if (this.#ofCoins !== null) return this.#ofCoins
    const { coins, wrappedNative } = this.#ledger
    const wrapped = this.#ledger.ofToken(wrappedNative)
    this.#ofCoins = [...new Set([...coins.keys(), ...wrapped.keys()])].flatMap((account) => {
      const nets = { coins: coins.of(account), wrapped: wrapped.of(account) }
      const isGain = (nets.coins > 0n || nets.wrapped > 0n) && this.#isAccount(account, wrappedNative)
      return isGain ? [nets] : []
    })
    return this.#ofCoins
  }

  isGiven(token: Address): boolean {
    return [...this.#ledger.ofToken(token)].some(([account, net]) => net < 0n && !this.#venues.has(account))
  }

  #isAccount(account: Address, token: Address): boolean {
    return !this.#venues.has(account) && account !== token && !BURN_ADDRESSES.includes(account)
  }
}
