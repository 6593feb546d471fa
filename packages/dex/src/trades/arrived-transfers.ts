import type { Address } from '../chain/hex.ts'
import type { TokenTransfer } from './receipt/receipt-flows.ts'
import { firstWhere } from './sorted.ts'

/** What an address had received of a token by some place in the transaction, not from itself. */
export interface Received {
  amount: bigint
  /** Whether all of it came from the token's own contract; true of nothing. */
  isFromToken: boolean
}

/** Transfers of one token to one address, in log order, and what was received by each of them, itself left out. */
interface Arrivals {
  transfers: TokenTransfer[]
  before: Received[]
  total: Received
}

const NOTHING: Received = { amount: 0n, isFromToken: true }

/** A transaction's transfers by what arrived where: each look-up takes a few steps, however many there are. */
export class ArrivedTransfers {
  readonly #arrivals = new Map<string, Arrivals>()

  /** @param transfers in log order */
  constructor(transfers: readonly TokenTransfer[]) {
    for (const transfer of transfers) {
      const { token, from, to, amount } = transfer
      const key = keyOf(token, to)
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

  /** The transfers of a token to an address after one log and before another. */
  between(token: Address, to: Address, after: number, before: number): readonly TokenTransfer[] {
    const { transfers } = this.#arrivals.get(keyOf(token, to)) ?? { transfers: [] }
    return transfers.slice(firstFrom(transfers, after + 1), firstFrom(transfers, before))
  }

  /** What an address had received of a token before a log. */
  receivedBefore(token: Address, to: Address, logIndex: number): Received {
    const arrivals = this.#arrivals.get(keyOf(token, to))
    if (arrivals === undefined) return NOTHING
    return arrivals.before[firstFrom(arrivals.transfers, logIndex)] ?? arrivals.total
  }
}

function keyOf(token: Address, to: Address): string {
  return token + to
}

/** The place of the first transfer with at least this log index. */
function firstFrom(transfers: readonly TokenTransfer[], logIndex: number): number {
  return firstWhere(transfers.length, (place) => (transfers[place]?.logIndex ?? 0) >= logIndex)
}
