import type { V1Row } from '@dexfeed/contract'
import { expect } from 'vitest'
import type { ApiFixture } from '../api-fixture.ts'
import type { Received } from './listener.ts'

type Row = V1Row<'searchSwaps'>

const MAX_PAGE = 1_000

/** Returns the current rows of all pages of `/v1/swaps`. */
export async function wholeList(api: ApiFixture, query: string): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await api.get(`/v1/swaps?${query}&limit=${MAX_PAGE}${cursor && `&cursor=${cursor}`}`)
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
  readonly #rows = new Map<string, Omit<Row, 'final'>>()
  readonly #final = new Map<string, number>()
  /** The parts of the list that were read again. */
  resets: string[] = []

  constructor(api: ApiFixture, query: string) {
    this.#api = api
    this.#query = query
  }

  async begin(): Promise<void> {
    for (const row of await wholeList(this.#api, this.#query)) this.#put(row)
  }

  async take(received: Received): Promise<void> {
    if (received.event === 'swap') this.#put(received.data)
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
    const all = await wholeList(this.#api, `${this.#query}${span}`)
    for (const row of all) if (row.network === network) this.#put(row)
  }

  #put({ final: _, ...row }: Omit<Row, 'final'> & { final?: boolean }): void {
    const { network, block_number, transaction_index, position } = row
    this.#rows.set([network, block_number, transaction_index, position].join(), row)
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
  const key = (row: Row) =>
    [
      row.network,
      ...[row.block_number, row.transaction_index, row.position].map((n) => String(n).padStart(12, '0')),
    ].join()
  return rows.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}
