import { swapJson } from '@dexfeed/contract'
import { type Address, type NetworkName, present, type Token } from '@dexfeed/dex'
import type { SwapRow } from '@dexfeed/store'
import { type CatalogToken, describeToken, nativeToken } from '../../token-catalog.ts'
import { FLAGGED, type RenderedBlock, UNPRICED } from './rendered-block.ts'

const MAX_TOKENS = 200_000

export type ReadTokens = (network: NetworkName, addresses: readonly Address[]) => Promise<Token[]>

export class RowRenderer {
  readonly #network: NetworkName
  readonly #coin: CatalogToken
  readonly #maxTokens: number
  readonly #tokens = new Map<Address, CatalogToken>()

  constructor(network: NetworkName, wrappedNative: Address, maxTokens = MAX_TOKENS) {
    this.#maxTokens = maxTokens
    this.#network = network
    this.#coin = nativeToken(network, wrappedNative)
  }

  /**
   * Loads tokens, dropping others if there are too many. Returns those that the database does not have; they are
   * queried again every time.
   */
  async learn(rows: readonly SwapRow[], read: ReadTokens): Promise<Set<Address>> {
    const missing = new Set<Address>()
    for (const { sellToken, sellNative, buyToken, buyNative } of rows) {
      if (!sellNative && !this.#tokens.has(sellToken)) missing.add(sellToken)
      if (!buyNative && !this.#tokens.has(buyToken)) missing.add(buyToken)
    }
    if (missing.size === 0) return missing
    if (this.#tokens.size > this.#maxTokens) this.#tokens.clear()
    const queried = this.#tokens.size === 0 ? tokensOf(rows) : missing
    for (const token of await read(this.#network, [...queried])) {
      missing.delete(token.address)
      const described = describeToken(token)
      if (described !== null) this.#tokens.set(token.address, described)
    }
    return missing
  }

  /** Renders a block whose tokens are loaded, without rows of tokens of unknown decimals. Null: no row is left. */
  render(rows: readonly SwapRow[]): RenderedBlock | null {
    let text = ''
    const lengths: number[] = []
    const listed = rows.filter((row) => {
      const sell = row.sellNative ? this.#coin : this.#tokens.get(row.sellToken)
      const buy = row.buyNative ? this.#coin : this.#tokens.get(row.buyToken)
      if (sell === undefined || buy === undefined) return false
      const json = `,${swapJson(row, sell, buy)}`
      text += json
      lengths.push(Buffer.byteLength(json))
      return true
    })
    const [first] = listed
    if (first === undefined) return null
    let end = 0
    return {
      network: this.#network,
      number: first.blockNumber,
      time: first.time,
      bytes: Buffer.from(text),
      ends: Uint32Array.from(lengths, (length) => (end += length)),
      transactions: Uint32Array.from(listed, (row) => row.transactionIndex),
      positions: Uint32Array.from(listed, (row) => row.position),
      marks: Uint8Array.from(listed, (row) => (row.volumeUsd === null ? UNPRICED : 0) | (row.flagged ? FLAGGED : 0)),
    }
  }
}

function tokensOf(rows: readonly SwapRow[]): Set<Address> {
  return new Set(rows.flatMap(({ sellToken, buyToken }) => [sellToken, buyToken]))
}

export interface BlockOfRows {
  number: number
  time: number
  rendered: RenderedBlock | null
  /** Tokens of its rows that the database does not have. */
  unknown: readonly Address[]
}

export async function* renderBlocks(
  renderer: RowRenderer,
  pages: AsyncIterable<SwapRow[]>,
  read: ReadTokens,
): AsyncGenerator<BlockOfRows> {
  let rows: SwapRow[] = []
  const unknown = new Set<Address>()
  const finished = (): BlockOfRows => {
    const { blockNumber: number, time } = present(rows[0])
    const missing = unknown.size === 0 ? [] : [...tokensOf(rows)].filter((address) => unknown.has(address))
    return { number, time, rendered: renderer.render(rows), unknown: missing }
  }
  for await (const page of pages) {
    // The last block of the previous page is not rendered yet.
    for (const address of await renderer.learn([...rows, ...page], read)) unknown.add(address)
    for (const row of page) {
      if (rows[0] !== undefined && rows[0].blockNumber !== row.blockNumber) {
        yield finished()
        rows = []
      }
      rows.push(row)
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (rows.length > 0) yield finished()
}
