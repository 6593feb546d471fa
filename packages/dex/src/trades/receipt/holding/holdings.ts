import type { Address } from '../../../chain/hex.ts'
import { BURN_ADDRESSES } from '../burn-addresses.ts'
import { coinHoldersOf } from '../coin-flows.ts'
import { type AccountNets, holdersOf, netsOfAll, type ReceiptFlows, type TokenTransfer } from '../receipt-flows.ts'

/** What an account netted of the coin and of its wrapper. */
interface CoinNets {
  coins: bigint
  wrapped: bigint
}

/** Who gave and got what in a transaction. Each answer is worked out once. */
export class Holdings {
  readonly #flows: ReceiptFlows
  readonly #accounts: readonly Address[]
  readonly #venues: ReadonlySet<Address>
  readonly #wrappedNative: Address
  readonly #nets = new Map<Address, AccountNets>()
  #netsOf: ((account: Address) => AccountNets) | null = null
  #transfersOf: ReadonlyMap<Address, readonly TokenTransfer[]> | null = null
  readonly #gainers = new Map<Address, readonly [Address, bigint][]>()
  #coinGainers: readonly CoinNets[] | null = null

  /**
   * @param accounts those whose nets may be asked for
   * @param venues contracts that take and give tokens but are nobody's account
   */
  constructor(flows: ReceiptFlows, accounts: readonly Address[], venues: ReadonlySet<Address>, wrappedNative: Address) {
    this.#flows = flows
    this.#accounts = accounts
    this.#venues = venues
    this.#wrappedNative = wrappedNative
  }

  netsOf(account: Address): AccountNets {
    const known = this.#nets.get(account)
    if (known !== undefined) return known
    this.#netsOf ??= netsOfAll(this.#accounts, this.#flows, this.#wrappedNative)
    const nets = this.#netsOf(account)
    this.#nets.set(account, nets)
    return nets
  }

  /** Accounts that got some of a token: no venues, not the token's own contract, and nobody who burns it. */
  gainersOf(token: Address): readonly [Address, bigint][] {
    const known = this.#gainers.get(token)
    if (known !== undefined) return known
    this.#transfersOf ??= byToken(this.#flows.transfers)
    const transfers = this.#transfersOf.get(token) ?? []
    const holders = holdersOf(token, { ...this.#flows, transfers }, this.#wrappedNative)
    const gainers = [...holders].filter(([holder, net]) => net > 0n && this.#isAccount(holder, token))
    this.#gainers.set(token, gainers)
    return gainers
  }

  /** The same of the coin or its wrapper, where coins are logged: what each such account netted of the two. */
  coinGainers(): readonly CoinNets[] {
    if (this.#coinGainers !== null) return this.#coinGainers
    const wrapped = holdersOf(this.#wrappedNative, this.#flows, this.#wrappedNative)
    const coins = coinHoldersOf(this.#flows.coins ?? [])
    this.#coinGainers = [...new Set([...coins.keys(), ...wrapped.keys()])].flatMap((holder) => {
      const nets = { coins: coins.get(holder) ?? 0n, wrapped: wrapped.get(holder) ?? 0n }
      const isGain = (nets.coins > 0n || nets.wrapped > 0n) && this.#isAccount(holder, this.#wrappedNative)
      return isGain ? [nets] : []
    })
    return this.#coinGainers
  }

  #isAccount(holder: Address, token: Address): boolean {
    return !this.#venues.has(holder) && holder !== token && !BURN_ADDRESSES.includes(holder)
  }
}

function byToken(transfers: readonly TokenTransfer[]): Map<Address, TokenTransfer[]> {
  const groups = new Map<Address, TokenTransfer[]>()
  for (const transfer of transfers) {
    const group = groups.get(transfer.token)
    if (group === undefined) groups.set(transfer.token, [transfer])
    else group.push(transfer)
  }
  return groups
}
