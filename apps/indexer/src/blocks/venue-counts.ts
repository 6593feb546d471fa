import {
  type Address,
  type BlockHops,
  type Hex,
  isSwapLike,
  receiptFlows,
  tradingTransactions,
  venueEvent,
} from '@dexfeed/dex'
import type { VenueCoverage } from '@dexfeed/store'

/** Blocks are sampled by the hash's last digit, because parsing all receipts costs too much. */
const ONE_BLOCK_IN = 8
const MAX_VENUES = 500
const SHOWN = 20
/** Above this, counts are halved, so that recent receipts weigh more. */
const MAX_RECEIPTS = 200_000

const NO_EVENT: Hex = `0x${'0'.repeat(64)}`

interface CountedVenue {
  emitter: Address
  topic: Hex
  receipts: number
}

/** Counts receipts that look like swaps but that no venue explains, in blocks with all receipts. */
export class VenueCounts {
  readonly #wrappedNative: Address
  #receipts = 0
  #unread = 0
  readonly #venues = new Map<string, CountedVenue>()

  constructor(wrappedNative: Address) {
    this.#wrappedNative = wrappedNative
  }

  restore({ receipts, unread, venues }: VenueCoverage): void {
    this.#receipts += receipts
    this.#unread += unread
    for (const { emitter, topic, receipts: count } of venues) this.#add({ emitter, topic }, count)
  }

  note(hops: BlockHops): void {
    const { hash, receipts, logsEther } = hops.block
    // `transactions()` parses on call, so check the sample first.
    if (Number.parseInt(hash.slice(-1), 16) % ONE_BLOCK_IN !== 0) return
    const transactions = receipts?.transactions?.()
    if (receipts === undefined || transactions === undefined) return
    const explained = new Set(tradingTransactions(hops).map(({ transactionIndex }) => transactionIndex))
    transactions.forEach((transaction, index) => {
      const logs = receipts.logsOf(index) ?? []
      if (logs.length < 2) return
      const flows = receiptFlows(logs, this.#wrappedNative, logsEther)
      if (!isSwapLike(transaction, flows, this.#wrappedNative)) return
      this.#receipts++
      if (explained.has(index)) return
      this.#unread++
      this.#add(venueEvent(logs, flows) ?? { emitter: `0x${'0'.repeat(40)}`, topic: NO_EVENT }, 1)
    })
    if (this.#receipts > MAX_RECEIPTS) this.#halve()
  }

  counts(): VenueCoverage {
    const venues = [...this.#venues.values()].sort((a, b) => b.receipts - a.receipts).slice(0, SHOWN)
    return { receipts: this.#receipts, unread: this.#unread, venues: venues.map((venue) => ({ ...venue })) }
  }

  #add({ emitter, topic }: Omit<CountedVenue, 'receipts'>, receipts: number): void {
    const key = `${emitter}${topic}`
    const known = this.#venues.get(key)
    if (known !== undefined) known.receipts += receipts
    else {
      if (this.#venues.size >= MAX_VENUES) this.#forgetRare()
      this.#venues.set(key, { emitter, topic, receipts })
    }
  }

  #forgetRare(): void {
    const rare = [...this.#venues].sort(([, a], [, b]) => a.receipts - b.receipts).slice(0, MAX_VENUES / 2)
    for (const [key] of rare) this.#venues.delete(key)
  }

  #halve(): void {
    this.#receipts = Math.floor(this.#receipts / 2)
    this.#unread = Math.floor(this.#unread / 2)
    for (const [key, venue] of this.#venues) {
      venue.receipts = Math.floor(venue.receipts / 2)
      if (venue.receipts === 0) this.#venues.delete(key)
    }
  }
}
