import { type Address, type NetworkName, type PoolAddress, ZERO_ADDRESS } from '@dexfeed/dex'
import type { AlertRule, PricedRule } from './alert-rules.ts'

/** The key of the rules that watch every trade. */
export const ANY = 'any'
/** Length of a manager's address followed by a pool's id. */
const MANAGED_LENGTH = 106

/** A network's rules by what they watch, so that a block only touches the rules of what it moved. */
export class RuleIndex {
  readonly rules: readonly AlertRule[]
  readonly #wrappedNative: Address
  readonly #watching = new Map<string, AlertRule[]>()

  constructor(all: readonly AlertRule[], network: NetworkName, wrappedNative: Address) {
    this.#wrappedNative = wrappedNative
    this.rules = all.filter((rule) => rule.network === network)
    for (const rule of this.rules) {
      if (rule.kind === 'behind') continue
      const { pool, token } = { pool: undefined, token: undefined, ...rule }
      const watched = pool ?? token ?? ANY
      const others = this.#watching.get(watched)
      if (others === undefined) this.#watching.set(watched, [rule])
      else others.push(rule)
    }
  }

  watching(watched: Address | PoolAddress | typeof ANY): readonly AlertRule[] {
    // Pools name the coin by the zero address, and rules by its wrapper.
    return this.#watching.get(watched === ZERO_ADDRESS ? this.#wrappedNative : watched) ?? []
  }
}

export function isPriced(rule: AlertRule): rule is PricedRule {
  return rule.kind === 'price' || rule.kind === 'change'
}

/** Returns the names by which a rule may refer to a pool: a manager's pool also by its id alone. */
export function namesOf(pool: PoolAddress): PoolAddress[] {
  return pool.length === MANAGED_LENGTH ? [pool, `0x${pool.slice(42)}`] : [pool]
}
