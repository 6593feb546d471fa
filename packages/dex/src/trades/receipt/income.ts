import { type Address, type Transaction, ZERO_ADDRESS } from '../../chain.ts'
import { Groups } from '../../totals.ts'
import { keeperOf } from '../../venues/managed-pool.ts'
import type { Hop } from '../trade.ts'
import type { Ledger } from './ledger.ts'
import type { TokenTransfer } from './receipt-flows.ts'

interface IncomeFacts {
  transaction: Transaction
  hops: readonly Hop[]
  ends: ReadonlySet<Address>
  /** The signer, and the accounts that events name. */
  accounts: readonly Address[]
  venues: ReadonlySet<Address>
  listed: ReadonlySet<Address>
}

/**
 * Returns the ledger without what accounts received apart from their trades, and without tokens that only repeat the
 * transfers of another token (docs/internals/trades.md, "Income").
 */
export function withoutIncome(ledger: Ledger, facts: IncomeFacts): Ledger {
  const { flows } = ledger
  const income = new Income(ledger, facts)
  const transfers = flows.transfers.filter((transfer) => !income.has(transfer) && !income.repeats(transfer))
  return transfers.length === flows.transfers.length ? ledger : ledger.with({ ...flows, transfers })
}

const NO_TOKENS: ReadonlySet<Address> = new Set()

class Income {
  readonly #ledger: Ledger
  readonly #facts: IncomeFacts
  readonly #traded: ReadonlySet<Address>
  readonly #accounts: ReadonlySet<Address>
  readonly #paidTo = new Map<Address, ReadonlySet<bigint>>()
  readonly #repeated = new Map<Address, ReadonlySet<Address>>()
  readonly #payersOf = new Map<Address, ReadonlySet<Address>>()
  readonly #mintedByPool = new Map<Address, boolean>()
  /** Each token that was transferred, with its sender. */
  #sent: ReadonlySet<string> | null = null

  constructor(ledger: Ledger, facts: IncomeFacts) {
    this.#ledger = ledger
    this.#facts = facts
    const traded = new Set(facts.ends)
    for (const { token, from, to } of ledger.flows.transfers) if (facts.ends.has(token)) traded.add(from).add(to)
    this.#traded = traded
    this.#accounts = new Set(facts.accounts)
  }

  has(transfer: TokenTransfer): boolean {
    const { token, from, to } = transfer
    if (from === to || !this.#accounts.has(to) || !this.#traded.has(token)) return false
    return from === ZERO_ADDRESS ? this.#isMintedForNothing(transfer) : this.#isGift(transfer)
  }

  repeats({ token, from, to }: TokenTransfer): boolean {
    return this.#repeatsFor(from, token) || this.#repeatsFor(to, token)
  }

  #repeatsFor(account: Address, token: Address): boolean {
    return this.#accounts.has(account) && this.#repeatedOf(account).has(token)
  }

  #isMintedForNothing({ token, to, amount }: TokenTransfer): boolean {
    const { transfers } = this.#ledger.flows
    const paid = this.#paidToContract(token)
    if (paid.size > 0) {
      const isPaidMint = (other: TokenTransfer) =>
        other.token === token && other.from === ZERO_ADDRESS && paid.has(other.amount)
      return !paid.has(amount) && transfers.some(isPaidMint)
    }
    return !this.#isMintedByPool(token) && this.#gaveOnlyTraded(to)
  }

  #isMintedByPool(token: Address): boolean {
    const cached = this.#mintedByPool.get(token)
    if (cached !== undefined) return cached
    const isMinted = this.#facts.hops.some((hop) => hop.tokenOut === token && !this.#paysItself(hop))
    this.#mintedByPool.set(token, isMinted)
    return isMinted
  }

  #paidToContract(token: Address): ReadonlySet<bigint> {
    const cached = this.#paidTo.get(token)
    if (cached !== undefined) return cached
    const paid = this.#ledger.flows.transfers.filter((transfer) => transfer.to === token && transfer.token !== token)
    const amounts = new Set(paid.map(({ amount }) => amount))
    this.#paidTo.set(token, amounts)
    return amounts
  }

  #paysItself({ pool, tokenOut }: Hop): boolean {
    this.#sent ??= new Set(this.#ledger.flows.transfers.map(({ token, from }) => token + from))
    return this.#sent.has(tokenOut + keeperOf(pool))
  }

  /** A sender that received nothing in the transaction, or only such a gift itself, neither sold nor refunded anything. */
  #isGift({ from, to, token }: TokenTransfer): boolean {
    const { ends, venues, transaction } = this.#facts
    if (!ends.has(token) || venues.has(from) || this.#accounts.has(from) || from === transaction.from) return false
    const payers = this.#payersOf.get(token) ?? this.#payers(token)
    this.#payersOf.set(token, payers)
    return !payers.has(from) && this.#gaveOnlyTraded(to)
  }

  /** Returns who received anything but gifts of the token. A burnt token counts as paid to the token's contract. */
  #payers(token: Address): ReadonlySet<Address> {
    const { transfers, coins = [], deposits } = this.#ledger.flows
    const { venues, transaction } = this.#facts
    const payers = new Set<Address>([...venues, ...this.#accounts])
    if (transaction.from !== null) payers.add(transaction.from)
    for (const { to } of coins) payers.add(to)
    for (const { account } of deposits) payers.add(account)
    const next = new Groups<Address, Address>()
    const areMintsPaid = this.#paidToContract(token).size > 0 || this.#isMintedByPool(token)
    for (const other of transfers) {
      if (other.to === ZERO_ADDRESS) payers.add(other.token)
      if (other.token === token && (other.from !== ZERO_ADDRESS || !areMintsPaid)) next.add(other.from, other.to)
      else payers.add(other.to)
    }
    payers.delete(ZERO_ADDRESS)
    // Iterating a set includes what is added meanwhile.
    for (const payer of payers) for (const to of next.of(payer)) if (to !== ZERO_ADDRESS) payers.add(to)
    return payers
  }

  #gaveOnlyTraded(account: Address): boolean {
    const { transaction } = this.#facts
    const { wrappedNative } = this.#ledger
    const { tokens, coins } = this.#ledger.of(account)
    const sent = account === transaction.from ? transaction.value : 0n
    const gaveCoins = coins === undefined ? sent > this.#ledger.unwrapped : coins < 0n
    if (gaveCoins && !this.#traded.has(wrappedNative)) return false
    return [...tokens].every(([token, net]) => net > 0n || this.#traded.has(token))
  }

  #repeatedOf(account: Address): ReadonlySet<Address> {
    const cached = this.#repeated.get(account)
    if (cached !== undefined) return cached
    const nets = [...this.#ledger.of(account).tokens]
    const isOriginal = (token: Address) => this.#traded.has(token) || this.#facts.listed.has(token)
    let tokens = NO_TOKENS
    if (nets.some(([token]) => !isOriginal(token))) {
      const originals = new Set(nets.flatMap(([token, net]) => (isOriginal(token) ? [net] : [])))
      tokens = new Set(nets.flatMap(([token, net]) => (!isOriginal(token) && originals.has(net) ? [token] : [])))
    }
    this.#repeated.set(account, tokens)
    return tokens
  }
}
