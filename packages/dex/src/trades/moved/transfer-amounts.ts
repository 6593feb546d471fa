import type { Address } from '../../chain/hex.ts'
import type { TokenTransfer } from '../receipt/receipt-flows.ts'
import { firstWhere } from '../sorted.ts'

/** One amount of a token, and where it was transferred. */
interface Moved {
  amount: bigint
  /** Ascending. */
  places: number[]
}

/** A transaction's transfers by token and amount: a look-up takes a few steps, however many transfers there are. */
export class TransferAmounts {
  /** By token: ascending amounts, each once. */
  readonly #amounts = new Map<Address, readonly Moved[]>()

  /** @param transfers in log order; one to its own sender counts for nothing */
  constructor(transfers: readonly Pick<TokenTransfer, 'token' | 'from' | 'to' | 'amount' | 'logIndex'>[]) {
    const byToken = new Map<Address, Map<bigint, Moved>>()
    for (const { token, from, to, amount, logIndex } of transfers) {
      if (from === to) continue
      const ofToken = byToken.get(token) ?? new Map<bigint, Moved>()
      byToken.set(token, ofToken)
      const moved = ofToken.get(amount) ?? { amount, places: [] }
      ofToken.set(amount, moved)
      moved.places.push(logIndex)
    }
    for (const [token, ofToken] of byToken) {
      this.#amounts.set(
        token,
        [...ofToken.values()].sort((a, b) => (a.amount < b.amount ? -1 : 1)),
      )
    }
  }

  /** Whether just that much of a token was transferred after one log and before another. */
  has(token: Address, amount: bigint, after: number, before: number): boolean {
    const moved = this.#from(token, amount)[1]
    if (moved?.amount !== amount) return false
    const place = moved.places[firstWhere(moved.places.length, (at) => (moved.places[at] ?? 0) > after)]
    return place !== undefined && place < before
  }

  /** The transferred amount that is nearest to another one, the first of two that are equally near; null: none. */
  nearest(token: Address, wanted: bigint): bigint | null {
    const [below, above] = this.#from(token, wanted)
    if (below === undefined || above === undefined) return (below ?? above)?.amount ?? null
    const [less, more] = [wanted - below.amount, above.amount - wanted]
    if (less === more) return ((below.places[0] ?? 0) < (above.places[0] ?? 0) ? below : above).amount
    return (less < more ? below : above).amount
  }

  /** The last amount below one, and the first that is not. */
  #from(token: Address, wanted: bigint): [Moved | undefined, Moved | undefined] {
    const amounts = this.#amounts.get(token) ?? []
    const at = firstWhere(amounts.length, (place) => (amounts[place]?.amount ?? 0n) >= wanted)
    return [amounts[at - 1], amounts[at]]
  }
}
