import type { Address } from '../../../chain/hex.ts'
import type { Leg, PoolTrade } from '../../trade.ts'
import type { AccountNets } from '../receipt-flows.ts'

/** Of each token, the accounts that gave some, and those that got some. */
interface Parties {
  gave: Map<Address, Set<Address>>
  got: Map<Address, Set<Address>>
}

const NONE: ReadonlySet<Address> = new Set()

/**
 * Which of many accounts hold trades: gave what they sell and got what they buy. Each two ends are looked up once, among
 * those accounts that had to do with one of the two tokens.
 */
export class Holders {
  readonly #accounts: ReadonlySet<Address>
  readonly #areCoinsKnown: boolean
  readonly #parties: Parties = { gave: new Map(), got: new Map() }
  readonly #known = new Map<string, readonly Address[]>()

  /** @param netsOf of each of the accounts */
  constructor(accounts: readonly Address[], netsOf: (account: Address) => AccountNets, wrappedNative: Address) {
    this.#accounts = new Set(accounts)
    let areCoinsKnown = false
    for (const account of accounts) {
      const { tokens, coins } = netsOf(account)
      areCoinsKnown ||= coins !== undefined
      for (const [token, net] of tokens) this.#note(account, token, net)
      if (coins !== undefined) this.#note(account, wrappedNative, coins)
    }
    this.#areCoinsKnown = areCoinsKnown
  }

  /** The first two accounts that hold a trade: of more nothing follows. Nobody holds one of coins for coins. */
  firstTwoOf({ sell, buy }: Pick<PoolTrade, 'sell' | 'buy'>): readonly Address[] {
    if (sell.native && buy.native) return []
    const key = `${sell.token} ${sell.native} ${buy.token} ${buy.native}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const [gave, got] = [this.#who('gave', sell), this.#who('got', buy)]
    const [fewer, more] = gave.size < got.size ? [gave, got] : [got, gave]
    const found: Address[] = []
    for (const account of fewer) {
      if (more.has(account)) found.push(account)
      if (found.length === 2) break
    }
    this.#known.set(key, found)
    return found
  }

  /** Coins that are not logged leave no trace: they may be anybody's. */
  #who(part: keyof Parties, { token, native }: Leg): ReadonlySet<Address> {
    if (native && !this.#areCoinsKnown) return this.#accounts
    return this.#parties[part].get(token) ?? NONE
  }

  #note(account: Address, token: Address, net: bigint): void {
    if (net === 0n) return
    const parties = net < 0n ? this.#parties.gave : this.#parties.got
    const ofToken = parties.get(token) ?? new Set()
    parties.set(token, ofToken.add(account))
  }
}
