import { type Address, dayOf, type Hex } from '@dexfeed/dex'

/** What the trades of a chain add up to, as its maker knows it. Text, because a message between processes has no bigint. */
export interface Tally {
  blocks: number
  swaps: number
  trades: number
  sold: string
  bought: string
  /** Sum of the first 48 bits of each trade's transaction hash, trader and tokens. */
  hashes: string
  traders: string
  tokens: string
  /** Distinct traders, summed over the days. */
  traderDays: number
}

export interface TalliedTrade {
  txHash: Hex
  trader: Address
  timestamp: number
  sell: { token: Address; amount: bigint }
  buy: { token: Address; amount: bigint }
}

/** Sums up trades as they are made. */
export class TallyKeeper {
  #trades = 0
  #sold = 0n
  #bought = 0n
  #hashes = 0n
  #traders = 0n
  #tokens = 0n
  readonly #traderDays = new Set<string>()

  add({ txHash, trader, timestamp, sell, buy }: TalliedTrade): void {
    this.#trades += 1
    this.#sold += sell.amount
    this.#bought += buy.amount
    this.#hashes += leading(txHash)
    this.#traders += leading(trader)
    this.#tokens += leading(sell.token) + leading(buy.token)
    this.#traderDays.add(`${dayOf(timestamp)} ${trader}`)
  }

  of(blocks: number, swaps: number): Tally {
    return {
      blocks,
      swaps,
      trades: this.#trades,
      sold: String(this.#sold),
      bought: String(this.#bought),
      hashes: String(this.#hashes),
      traders: String(this.#traders),
      tokens: String(this.#tokens),
      traderDays: this.#traderDays.size,
    }
  }
}

function leading(hex: Hex): bigint {
  return BigInt(hex.slice(0, 14))
}
