import type { Address } from '../chain.ts'
import { present } from '../present.ts'
import type { TokenTransfer } from './receipt/receipt-flows.ts'

/** How much of a token an address received before a log, without transfers from itself. */
export interface Received {
  amount: bigint
  /** All of it came from the token's own contract. */
  isFromToken: boolean
}

interface Arrivals {
  transfers: TokenTransfer[]
  before: Received[]
  total: Received
}

const NOTHING: Received = { amount: 0n, isFromToken: true }

/** Finds a transaction's transfers by token and recipient in logarithmic time. Expects them in log order. */
export class ArrivedTransfers {
  readonly #arrivals = new Map<string, Arrivals>()

  constructor(transfers: readonly TokenTransfer[]) {
    for (const transfer of transfers) {
      const { token, from, to, amount } = transfer
      const key = token + to
      const arrivals = this.#arrivals.get(key) ?? { transfers: [], before: [], total: NOTHING }
      this.#arrivals.set(key, arrivals)
      const { total } = arrivals
      arrivals.transfers.push(transfer)
      arrivals.before.push(total)
      if (from !== to) {
        arrivals.total = { amount: total.amount + amount, isFromToken: total.isFromToken && from === token }
      }
    }
  }

  between(token: Address, to: Address, after: number, before: number): readonly TokenTransfer[] {
    const { transfers } = this.#arrivals.get(token + to) ?? { transfers: [] }
    return transfers.slice(firstFrom(transfers, after + 1), firstFrom(transfers, before))
  }

  receivedBefore(token: Address, to: Address, logIndex: number): Received {
    const arrivals = this.#arrivals.get(token + to)
    if (arrivals === undefined) return NOTHING
    return arrivals.before[firstFrom(arrivals.transfers, logIndex)] ?? arrivals.total
  }
}

function firstFrom(transfers: readonly TokenTransfer[], logIndex: number): number {
  return firstWhere(transfers.length, (index) => present(transfers[index]).logIndex >= logIndex)
}

interface Moved {
  amount: bigint
  places: number[]
}

/** Finds a transaction's transfers by token and amount, in logarithmic time. */
export class TransferAmounts {
  readonly #amounts = new Map<Address, readonly Moved[]>()

  /** @param transfers in log order; transfers from an address to itself are ignored */
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

  has(token: Address, amount: bigint, after: number, before: number): boolean {
    const moved = this.#from(token, amount)[1]
    if (moved?.amount !== amount) return false
    const place = moved.places[firstWhere(moved.places.length, (index) => present(moved.places[index]) > after)]
    return place !== undefined && place < before
  }

  /** Returns the transferred amount nearest to `target`, the earlier one on a tie, or null without transfers. */
  nearest(token: Address, target: bigint): bigint | null {
    const [below, above] = this.#from(token, target)
    if (below === undefined || above === undefined) return (below ?? above)?.amount ?? null
    const less = target - below.amount
    const more = above.amount - target
    if (less === more) return (present(below.places[0]) < present(above.places[0]) ? below : above).amount
    return (less < more ? below : above).amount
  }

  #from(token: Address, target: bigint): [Moved | undefined, Moved | undefined] {
    const amounts = this.#amounts.get(token) ?? []
    const first = firstWhere(amounts.length, (index) => present(amounts[index]).amount >= target)
    return [amounts[first - 1], amounts[first]]
  }
}

/** Returns the first index at which `holds` returns true, or `length`. From there on it must stay true. */
export function firstWhere(length: number, holds: (index: number) => boolean): number {
  let first = 0
  let end = length
  while (first < end) {
    const middle = (first + end) >> 1
    if (holds(middle)) end = middle
    else first = middle + 1
  }
  return first
}
