import { firstWhere } from '../sorted.ts'

/** Liquidity that was put in or taken out. */
export interface Change {
  logIndex: number
  isAdded: boolean
  /** Null where the log tells other amounts. */
  shares: bigint | null
}

/** What one place of a pool (a bin, or all of it) got and gave of liquidity in a transaction. */
export class PlaceLiquidity {
  readonly #changes: Change[] = []
  /** Worked out when first asked for. */
  #prepared: Prepared | null = null

  /** In any order, before anything is asked. */
  add(change: Change): void {
    this.#changes.push(change)
  }

  /**
   * Whether liquidity stands there at a log that the transaction put in before and takes out after. Shares are netted:
   * what is there at the log is more than what is there in the end. Where no log tells shares, some was put in and some
   * is taken.
   */
  isPassing(at: number): boolean {
    this.#prepared ??= prepare(this.#changes)
    const { nets, hasShares, firstAdded, lastRemoved } = this.#prepared
    if (!hasShares) return firstAdded < at && lastRemoved > at
    const net = nets[firstWhere(nets.length, (place) => (nets[place]?.logIndex ?? 0) >= at) - 1]?.net ?? 0n
    return net > 0n && net > (nets.at(-1)?.net ?? 0n)
  }
}

interface Prepared {
  /** In log order, with the net of shares up to and with each. */
  nets: { logIndex: number; net: bigint }[]
  /** Some log tells shares. */
  hasShares: boolean
  firstAdded: number
  lastRemoved: number
}

function prepare(changes: readonly Change[]): Prepared {
  const ordered = [...changes].sort((a, b) => a.logIndex - b.logIndex)
  let net = 0n
  return {
    nets: ordered.map(({ logIndex, isAdded, shares }) => {
      net += (isAdded ? 1n : -1n) * (shares ?? 0n)
      return { logIndex, net }
    }),
    hasShares: ordered.some(({ shares }) => shares !== null),
    firstAdded: ordered.find(({ isAdded }) => isAdded)?.logIndex ?? Number.POSITIVE_INFINITY,
    lastRemoved: ordered.findLast(({ isAdded }) => !isAdded)?.logIndex ?? Number.NEGATIVE_INFINITY,
  }
}
