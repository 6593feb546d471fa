import { createHash } from 'node:crypto'
import { type Address, dayOf, type Hex } from '@dexfeed/dex'

/** The trades of a made chain, for comparison with the database. */
export interface Tally {
  blocks: number
  swaps: number
  /** Swap events, those of unverified pools among them. */
  swapEvents: number
  trades: number
  /** SHA-256 of each block's rows, as `rowText` writes them, one per line, in their order. */
  rows: readonly string[]
  /** Distinct traders, summed over the days. */
  traderDays: number
}

export interface TalliedTrade {
  /** Of its transaction in the block. */
  index: number
  txHash: Hex
  trader: Address
  sell: Leg
  buy: Leg
  /** Of its first swap. */
  pool: Address
}

interface Leg {
  token: Address
  /** Whether it is the coin itself. */
  native: boolean
  amount: bigint
}

/** Collects trades as they are made, block by block. */
export class TallyKeeper {
  readonly #rows: string[] = []
  readonly #traderDays = new Set<string>()
  #trades = 0
  #swapEvents = 0

  /** @param timestamp of the block, seconds since 1970 */
  addBlock(trades: readonly TalliedTrade[], swapEvents: number, timestamp: number): void {
    this.#trades += trades.length
    this.#swapEvents += swapEvents
    for (const { trader } of trades) this.#traderDays.add(`${dayOf(timestamp)} ${trader}`)
    const lines = trades.map((trade) => rowText(trade, timestamp))
    this.#rows.push(createHash('sha256').update(lines.join('\n')).digest('hex'))
  }

  of(swaps: number): Tally {
    return {
      blocks: this.#rows.length,
      swaps,
      swapEvents: this.#swapEvents,
      trades: this.#trades,
      rows: this.#rows,
      traderDays: this.#traderDays.size,
    }
  }
}

/** Returns the fields of a row that the chain decides, in a form that SQL can write, too. */
function rowText({ index, txHash, trader, sell, buy, pool }: TalliedTrade, timestamp: number): string {
  const legs = [sell, buy].map(({ token, native, amount }) => `${token.slice(2)} ${native} ${amount}`)
  const poolKey = BigInt.asIntN(64, BigInt(`0x${pool.slice(-16)}`))
  return [index, timestamp, txHash.slice(2), trader.slice(2), ...legs, poolKey].join(' ')
}
