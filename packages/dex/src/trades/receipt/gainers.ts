import type { Address } from '../../chain/hex.ts'
import type { Ledger } from './ledger.ts'
import { BURN_ADDRESSES } from './receipt-flows.ts'

interface CoinNets {
  coins: bigint
  wrapped: bigint
}

/** Accounts that received or gave something in a transaction, without venues. Each result is computed once. */
export class Gainers {
  readonly #ledger: Ledger
  readonly #venues: ReadonlySet<Address>
  readonly #byToken = new Map<Address, readonly [Address, bigint][]>()
  #ofCoins: readonly CoinNets[] | null = null

  /** @param venues contracts that hold and move tokens but are not a trader's account */
  constructor(ledger: Ledger, venues: ReadonlySet<Address>) {
    this.#ledger = ledger
    this.#venues = venues
  }

  /** Returns accounts that received some of a token, without the token's contract and burn addresses, too. */
  of(token: Address): readonly [Address, bigint][] {
    const known = this.#byToken.get(token)
    if (known !== undefined) return known
    const nets = [...this.#ledger.ofToken(token)]
    const gainers = nets.filter(([account, net]) => net > 0n && this.#isAccount(account, token))
    this.#byToken.set(token, gainers)
    return gainers
  }

  /** The same for the coin or its wrapper, if coins are logged: what each such account netted of both. */
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

  /** Whether anybody gave some of a token, beside venues. */
  isGiven(token: Address): boolean {
    return [...this.#ledger.ofToken(token)].some(([account, net]) => net < 0n && !this.#venues.has(account))
  }

  #isAccount(account: Address, token: Address): boolean {
    return !this.#venues.has(account) && account !== token && !BURN_ADDRESSES.includes(account)
  }
}
