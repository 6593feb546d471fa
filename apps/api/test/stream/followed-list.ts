import type { V1Row } from '@dexfeed/contract'
import { expect } from 'vitest'
import type { ApiFixture } from '../api-fixture.ts'
import type { Received } from './listener.ts'

type SwapRow = V1Row<'searchSwaps'>
type MoveRow = V1Row<'listLiquidityEvents'>
type Row = SwapRow | MoveRow
type Streamed = Omit<SwapRow, 'final'> | Omit<MoveRow, 'final'>

export interface StreamedList {
  path: '/v1/swaps' | '/v1/liquidity_events'
  event: 'swap' | 'liquidity'
}

export const SWAPS: StreamedList = { path: '/v1/swaps', event: 'swap' }
export const LIQUIDITY: StreamedList = { path: '/v1/liquidity_events', event: 'liquidity' }

const MAX_PAGE = 1_000

/** Returns the current rows of all pages of a list. */
export async function wholeList(api: ApiFixture, query: string, { path } = SWAPS): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await api.get(`${path}?${query}&limit=${MAX_PAGE}${cursor && `&cursor=${cursor}`}`)
    expect(status, JSON.stringify(body)).toBe(200)
    rows.push(...body.data)
    cursor = body.next
  }
  return rows
}

/** The list of a client that read it once and then only applies the events. */
export class FollowedList {
  readonly #api: ApiFixture
  readonly #query: string
  readonly #list: StreamedList
  readonly #rows = new Map<string, Row>()
  readonly #final = new Map<string, number>()
  /** The parts of the list that were read again. */
  resets: string[] = []

  constructor(api: ApiFixture, query: string, list: StreamedList = SWAPS) {
    this.#api = api
    this.#query = query
    this.#list = list
  }

  async begin(): Promise<void> {
    for (const row of await wholeList(this.#api, this.#query, this.#list)) this.#put(row)
  }

  async take(received: Received): Promise<void> {
    if (received.event === 'swap' || received.event === 'liquidity') this.#put(received.data)
    if (received.event === 'removed')
      this.#drop(received.data.network, Number(received.data.from_block), Number(received.data.to_block))
    if (received.event === 'head') this.#final.set(received.data.network, Number(received.data.final_block ?? -1))
    if (received.event === 'reset') await this.#reset(received.data)
  }

  /** Returns the rows in the list's order: newest first. */
  get rows(): Row[] {
    const rows = [...this.#rows.values()].map((row) => ({
      ...row,
      final: Number(row.block_number) <= (this.#final.get(row.network) ?? -1),
    }))
    return sorted(rows)
  }

  async #reset({ network, from_block, to_block, from, to, reason }: Extract<Received, { event: 'reset' }>['data']) {
    this.resets.push(reason)
    this.#drop(network, Number(from_block ?? 0), Number(to_block ?? Number.MAX_SAFE_INTEGER))
    if (from_block !== null && from === null) return
    const span = from === null || to === null ? '' : `&from=${from}&to=${to}`
    const found = await this.#api.get(`/v1/swaps?network=${network}`)
    // The network is no longer indexed.
    if (found.status === 404) return
    const all = await wholeList(this.#api, `${this.#query}${span}`, this.#list)
    for (const row of all) if (row.network === network) this.#put(row)
  }

  #put(row: Streamed): void {
    this.#rows.set(placeOf(row), { ...row, final: false })
  }

  #drop(network: string, from: number, to: number): void {
    for (const [key, row] of this.#rows) {
      const block = Number(row.block_number)
      if (row.network === network && from <= block && block <= to) this.#rows.delete(key)
    }
  }
}

/** Returns rows in an order that does not depend on how the list was built. */
export function sorted(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
}

function placeOf(row: Streamed): string {
  const position = 'position' in row ? row.position : row.log_index
  const place = [row.block_number, row.transaction_index, position].map((n) => String(n).padStart(12, '0'))
  return [row.network, ...place].join()
}
