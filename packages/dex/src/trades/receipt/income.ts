import type { Transaction } from '../../chain/block.ts'
import { type Address, ZERO_ADDRESS } from '../../chain/hex.ts'
import { keeperOf } from '../../venues/managed-pool.ts'
import type { Hop } from '../trade.ts'
import type { Ledger } from './ledger.ts'
import { type TokenTransfer, totalOf } from './receipt-flows.ts'

export interface IncomeFacts {
  transaction: Transaction
  hops: readonly Hop[]
  /** Tokens that routes sell or buy. */
  ends: ReadonlySet<Address>
  /** The signer, and the accounts that events name. */
  accounts: readonly Address[]
  /** Contracts that hold and move tokens but are not a trader's account. */
  venues: ReadonlySet<Address>
  /** Tokens whose contracts are curated. */
  listed: ReadonlySet<Address>
}

/**
 * Returns the ledger without what came to an account beside its trades, and without tokens that only repeat the
 * transfers of another one. Rules: docs/internals/trades.md.
 */
export function withoutIncome(ledger: Ledger, facts: IncomeFacts): Ledger {
  const { flows } = ledger
  const income = new Income(ledger, facts)
  const transfers = flows.transfers.filter((transfer) => !income.has(transfer) && !income.repeats(transfer))
  return transfers.length === flows.transfers.length ? ledger : ledger.with({ ...flows, transfers })
}

class Income {
  readonly #ledger: Ledger
  readonly #facts: IncomeFacts
  /** Tokens of routes, and tokens whose contracts took or paid these: lending tokens, say. */
  readonly #traded: ReadonlySet<Address>
  readonly #accounts: ReadonlySet<Address>
  // Computed once, if an account received something.
  readonly #paidTo = new Map<Address, ReadonlySet<bigint>>()
  readonly #repeated = new Map<Address, ReadonlySet<Address>>()
  #receivers: ReadonlySet<Address> | null = null
  #burnt: ReadonlySet<Address> | null = null

  constructor(ledger: Ledger, facts: IncomeFacts) {
    this.#ledger = ledger
    this.#facts = facts
    const traded = new Set(facts.ends)
    for (const { token, from, to } of ledger.flows.transfers) if (facts.ends.has(token)) traded.add(from).add(to)
    this.#traded = traded
    this.#accounts = new Set(facts.accounts)
  }

  /** Whether a transfer brought an account something for which neither it nor a pool paid. */
  has(transfer: TokenTransfer): boolean {
    const { token, from, to } = transfer
    if (from === to || !this.#accounts.has(to) || !this.#traded.has(token)) return false
    return from === ZERO_ADDRESS ? this.#isMintedForNothing(transfer) : this.#isGift(transfer)
  }

  /** Whether a transfer is of a token that repeats an account's transfers of another one: dividend trackers, say. */
  repeats({ token, from, to }: TokenTransfer): boolean {
    return [from, to].some((account) => this.#accounts.has(account) && this.#repeatedOf(account).has(token))
  }

  #isMintedForNothing({ token, to, amount }: TokenTransfer): boolean {
    const paid = this.#paidToContract(token)
    if (paid.size > 0) {
      const isPaid = (minted: bigint) => paid.has(minted)
      return (
        !isPaid(amount) &&
        this.#ledger.flows.transfers.some(
          (tokenTransfer) => isMint(tokenTransfer, token) && isPaid(tokenTransfer.amount),
        )
      )
    }
    const isMintedByPool = this.#facts.hops.some((hop) => hop.tokenOut === token && !this.#paysItself(hop))
    return !isMintedByPool && this.#gaveOnlyTraded(to)
  }

  /** Returns the amounts of other tokens that a token's contract received. */
  #paidToContract(token: Address): ReadonlySet<bigint> {
    const known = this.#paidTo.get(token)
    if (known !== undefined) return known
    const paid = this.#ledger.flows.transfers.filter(
      (tokenTransfer) => tokenTransfer.to === token && tokenTransfer.token !== token,
    )
    const amounts = new Set(paid.map(({ amount }) => amount))
    this.#paidTo.set(token, amounts)
    return amounts
  }

  #paysItself({ pool, tokenOut }: Hop): boolean {
    const keeper = keeperOf(pool)
    return this.#ledger.flows.transfers.some(({ token, from }) => token === tokenOut && from === keeper)
  }

  /** Whether the sender received nothing at all in the transaction: it cannot have sold, nor refunded. */
  #isGift({ from, to, token }: TokenTransfer): boolean {
    const { ends, venues, transaction } = this.#facts
    if (!ends.has(token) || venues.has(from) || this.#accounts.has(from) || from === transaction.from) return false
    const { transfers, coins = [], deposits } = this.#ledger.flows
    this.#receivers ??= new Set([...transfers, ...coins].map((coinTransfer) => coinTransfer.to))
    this.#burnt ??= new Set(
      transfers.flatMap((tokenTransfer) => (tokenTransfer.to === ZERO_ADDRESS ? [tokenTransfer.token] : [])),
    )
    if (this.#receivers.has(from) || deposits.some(({ account }) => account === from)) return false
    // A contract that burns its own token pays for that.
    return !this.#burnt.has(from) && this.#gaveOnlyTraded(to)
  }

  /** Whether nothing that an account gave can have paid for what came to it: all of it went the way of the trades. */
  #gaveOnlyTraded(account: Address): boolean {
    const { transaction } = this.#facts
    const { wrappedNative } = this.#ledger
    const { tokens, coins } = this.#ledger.of(account)
    const sent = account === transaction.from ? transaction.value : 0n
    const gaveCoins = coins === undefined ? sent > totalOf(this.#ledger.flows.withdrawals) : coins < 0n
    if (gaveCoins && !this.#traded.has(wrappedNative)) return false
    return [...tokens].every(([token, net]) => net > 0n || this.#traded.has(token))
  }

  /** Returns the tokens of which an account netted exactly what it netted of a traded or listed one. */
  #repeatedOf(account: Address): ReadonlySet<Address> {
    const known = this.#repeated.get(account)
    if (known !== undefined) return known
    const { listed } = this.#facts
    const nets = [...this.#ledger.of(account).tokens]
    const first = (isFirst: (token: Address) => boolean) =>
      new Set(nets.flatMap(([token, net]) => (isFirst(token) ? [net] : [])))
    const traded = first((token) => this.#traded.has(token))
    const curated = first((token) => listed.has(token))
    const repeated = nets.filter(
      ([token, net]) => !this.#traded.has(token) && !listed.has(token) && (traded.has(net) || curated.has(net)),
    )
    const tokens = new Set(repeated.map(([token]) => token))
    this.#repeated.set(account, tokens)
    return tokens
  }
}

function isMint({ token, from }: TokenTransfer, of: Address): boolean {
  return token === of && from === ZERO_ADDRESS
}
