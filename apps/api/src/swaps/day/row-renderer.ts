import { swapJson, type WrittenToken, writtenToken } from '@dexfeed/contract'
import { type Address, NETWORKS, type NetworkName, type Token } from '@dexfeed/dex'
import type { SwapRow } from '@dexfeed/store'
import type { ListedRow } from './listed-row.ts'

const MAX_TOKENS = 200_000

export type ReadTokens = (network: NetworkName, addresses: readonly Address[]) => Promise<Token[]>

/** Renders rows of a network whose tokens are loaded. */
export class RowRenderer {
  readonly #network: NetworkName
  readonly #coin: WrittenToken
  readonly #maxTokens: number
  readonly #tokens = new Map<Address, WrittenToken>()

  constructor(network: NetworkName, maxTokens = MAX_TOKENS) {
    this.#network = network
    this.#coin = writtenToken(NETWORKS[network].native, null)
    this.#maxTokens = maxTokens
  }

  /** Loads the tokens of some rows, dropping others if there are too many. Returns those that the database lacks. */
  async learn(rows: readonly SwapRow[], read: ReadTokens): Promise<Set<Address>> {
    if (this.#tokens.size > this.#maxTokens) this.#tokens.clear()
    const missing = new Set<Address>()
    for (const { sellToken, sellNative, buyToken, buyNative } of rows) {
      if (!sellNative && !this.#tokens.has(sellToken)) missing.add(sellToken)
      if (!buyNative && !this.#tokens.has(buyToken)) missing.add(buyToken)
    }
    if (missing.size === 0) return missing
    for (const { address, decimals, ...token } of await read(this.#network, [...missing])) {
      missing.delete(address)
      if (decimals !== null) this.#tokens.set(address, writtenToken({ ...token, decimals }, address))
    }
    return missing
  }

  /** Returns null if a token, or its decimals, are unknown. */
  render(row: SwapRow): ListedRow | null {
    const sell = row.sellNative ? this.#coin : this.#tokens.get(row.sellToken)
    const buy = row.buyNative ? this.#coin : this.#tokens.get(row.buyToken)
    if (sell === undefined || buy === undefined) return null
    const { network, blockNumber, transactionIndex, position, time, flagged } = row
    const unpriced = row.volumeUsd === null
    return { network, blockNumber, transactionIndex, position, time, unpriced, flagged, json: swapJson(row, sell, buy) }
  }
}
