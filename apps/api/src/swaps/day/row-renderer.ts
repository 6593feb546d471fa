import { swapJson } from '@dexfeed/contract'
import type { Address, NetworkName, Token } from '@dexfeed/dex'
import type { SwapRow } from '@dexfeed/store'
import { type CatalogToken, describeToken, nativeToken } from '../../token-catalog.ts'
import { FLAGGED, type RenderedBlock, UNPRICED } from './rendered-block.ts'

/** Tokens that are kept at most, of a network. */
const MAX_TOKENS = 200_000

export type ReadTokens = (network: NetworkName, addresses: readonly Address[]) => Promise<Token[]>

/** Rows of a network become bytes here. */
export class RowRenderer {
  readonly #network: NetworkName
  readonly #coin: CatalogToken
  readonly #maxTokens: number
  /** Tokens that can be stated. */
  readonly #tokens = new Map<Address, CatalogToken>()

  constructor(network: NetworkName, wrappedNative: Address, maxTokens = MAX_TOKENS) {
    this.#maxTokens = maxTokens
    this.#network = network
    this.#coin = nativeToken(network, wrappedNative)
  }

  /**
   * Makes the tokens of rows known, and those of others unknown where there are too many. Those that cannot be stated
   * are asked for again every time.
   *
   * @returns those that the database does not have
   */
  async learn(rows: readonly SwapRow[], read: ReadTokens): Promise<Set<Address>> {
    const missing = new Set<Address>()
    for (const { sellToken, sellNative, buyToken, buyNative } of rows) {
      if (!sellNative && !this.#tokens.has(sellToken)) missing.add(sellToken)
      if (!buyNative && !this.#tokens.has(buyToken)) missing.add(buyToken)
    }
    if (missing.size === 0) return missing
    if (this.#tokens.size > this.#maxTokens) this.#tokens.clear()
    const asked = this.#tokens.size === 0 ? tokensOf(rows) : missing
    for (const token of await read(this.#network, [...asked])) {
      missing.delete(token.address)
      const described = describeToken(token)
      if (described !== null) this.#tokens.set(token.address, described)
    }
    return missing
  }

  /**
   * The rows of one block, all of whose tokens were in what was learnt last. A row with a token whose decimals are not
   * known cannot be stated and is left out; null: there is no other.
   */
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
      ...{ network: this.#network, number: first.blockNumber, time: first.time, bytes: Buffer.from(text) },
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

/** What the rows of a block became. */
export interface BlockOfRows {
  number: number
  /** Seconds. */
  time: number
  /** Null: none of them can be stated. */
  rendered: RenderedBlock | null
  /** Their tokens that nobody knew. */
  unknown: readonly Address[]
}

/** Renders rows that come in order, block by block. */
export async function* renderBlocks(
  renderer: RowRenderer,
  pages: AsyncIterable<SwapRow[]>,
  read: ReadTokens,
): AsyncGenerator<BlockOfRows> {
  let rows: SwapRow[] = []
  const unknown = new Set<Address>()
  const finished = (): BlockOfRows => ({
    number: rows[0]?.blockNumber ?? 0,
    time: rows[0]?.time ?? 0,
    rendered: renderer.render(rows),
    unknown: unknown.size === 0 ? [] : [...tokensOf(rows)].filter((address) => unknown.has(address)),
  })
  for await (const page of pages) {
    // The rows of the block that the last page ended in are not rendered yet.
    for (const address of await renderer.learn([...rows, ...page], read)) unknown.add(address)
    for (const row of page) {
      if (rows[0] !== undefined && rows[0].blockNumber !== row.blockNumber) {
        yield finished()
        rows = []
      }
      rows.push(row)
    }
    // Others want answers meanwhile.
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (rows.length > 0) yield finished()
}
