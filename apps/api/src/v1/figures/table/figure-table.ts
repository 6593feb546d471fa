import { type Address, type NetworkName, type PoolAddress, present } from '@dexfeed/dex'
import type { IndexedNetwork } from '@dexfeed/store'
import { flowsOf } from '../age-flows.ts'
import type { TraderCounts } from '../trader-counts.ts'
import { TextColumn, WholeColumn } from './columns.ts'

export interface NetworkFigures {
  readonly network: IndexedNetwork
  readonly traders: TraderCounts
  readonly tokens: FigureTable
  readonly pools: FigureTable
}

export interface Figures {
  readonly address: Address | PoolAddress
  readonly priceUsd: string | null
  /** Of a pool: the price in its quote token. */
  readonly priceQuote: string | null
  readonly isWeighted: boolean | null
  /** Price changes over 5 minutes, an hour, six hours and a day, in percent times 10^4. */
  readonly changesE4: readonly (bigint | null)[]
  readonly volumeE8: bigint
  readonly swaps: number
  readonly unpriced: number
  /** AgeSums as JSON. */
  readonly ages: string
  readonly firstSeen: number | null
  /** Time of a pool's creation, in seconds since 1970; null if it was not read. */
  readonly createdAt: number | null
  readonly liquidityE8: bigint | null
  readonly side: 0 | 1
}

export function noFigures(address: Address | PoolAddress): Figures {
  const unknown = { priceUsd: null, priceQuote: null, isWeighted: null, changesE4: [null, null, null, null] }
  const unseen = { firstSeen: null, createdAt: null, liquidityE8: null }
  return { address, ...unknown, ...unseen, volumeE8: 0n, swaps: 0, unpriced: 0, ages: '[]', side: 0 }
}

/** The ages below a day, in the order of CHANGE_AGES_S. */
const SHORT_AGES = ['5m', '1h', '6h'] as const
type ShortAge = (typeof SHORT_AGES)[number]

type Stored = 'volume' | 'swaps' | 'price_change' | `price_change_${ShortAge}` | 'liquidity' | 'age' | 'created'
export type OrderBy = Stored | `${'volume' | 'swaps'}_${ShortAge}`

export class FigureTable {
  readonly network: NetworkName
  readonly #addresses = new TextColumn('hex')
  readonly #prices = new TextColumn('latin1')
  readonly #quotePrices = new TextColumn('latin1')
  readonly #unpriced = new WholeColumn()
  /** AgeSums as JSON: most rows have one age or none, so columns for all of them would waste memory. */
  readonly #ages = new TextColumn('latin1')
  readonly #sides = new WholeColumn()
  readonly #weighted = new WholeColumn()
  readonly #keys: Readonly<Record<Stored, WholeColumn>> = {
    volume: new WholeColumn(),
    swaps: new WholeColumn(),
    price_change: new WholeColumn(),
    price_change_5m: new WholeColumn(),
    price_change_1h: new WholeColumn(),
    price_change_6h: new WholeColumn(),
    liquidity: new WholeColumn(),
    // In seconds before 1970, so that the token or pool that was seen first is the oldest.
    age: new WholeColumn(),
    created: new WholeColumn(),
  }
  #size = 0

  constructor(network: NetworkName) {
    this.network = network
  }

  get size(): number {
    return this.#size
  }

  /** Adds a row. Rows must be added in ascending order of address. */
  push({ address, priceUsd, priceQuote, isWeighted, swaps, unpriced, ages, side, ...figures }: Figures): void {
    const { volumeE8, liquidityE8, changesE4, firstSeen, createdAt } = figures
    this.#addresses.push(address.slice(2))
    this.#prices.push(priceUsd ?? '')
    this.#quotePrices.push(priceQuote ?? '')
    this.#keys.swaps.push(BigInt(swaps))
    this.#unpriced.push(BigInt(unpriced))
    this.#ages.push(ages)
    this.#sides.push(BigInt(side))
    this.#weighted.push(isWeighted === null ? null : BigInt(isWeighted))
    this.#keys.volume.push(volumeE8)
    this.#keys.liquidity.push(liquidityE8)
    for (const [at, age] of SHORT_AGES.entries()) this.#keys[`price_change_${age}`].push(changesE4[at] ?? null)
    this.#keys.price_change.push(changesE4.at(-1) ?? null)
    this.#keys.age.push(firstSeen === null ? null : BigInt(-firstSeen))
    this.#keys.created.push(createdAt === null ? null : BigInt(createdAt))
    this.#size++
  }

  at(row: number): Figures {
    const [age, created] = [this.key('age', row), this.key('created', row)]
    return {
      address: this.address(row),
      ...this.price(row),
      priceQuote: this.#quotePrices.get(row) || null,
      changesE4: [...SHORT_AGES.map((age) => this.key(`price_change_${age}`, row)), this.key('price_change', row)],
      volumeE8: present(this.key('volume', row)),
      swaps: Number(present(this.key('swaps', row))),
      unpriced: Number(present(this.#unpriced.get(row))),
      ages: this.#ages.get(row),
      firstSeen: age === null ? null : Number(-age),
      createdAt: created === null ? null : Number(created),
      liquidityE8: this.key('liquidity', row),
      side: this.#sides.get(row) === 0n ? 0 : 1,
    }
  }

  price(row: number): Pick<Figures, 'priceUsd' | 'isWeighted'> {
    const weighted = this.#weighted.get(row)
    return { priceUsd: this.#prices.get(row) || null, isWeighted: weighted === null ? null : weighted === 1n }
  }

  address(row: number): Address | PoolAddress {
    return `0x${this.#addresses.get(row)}`
  }

  /** Returns the figure that orders a row, null if it is unknown. Flows since a short age are summed up each time. */
  key(by: OrderBy, row: number): bigint | null {
    if (by in this.#keys) return this.#keys[by as Stored].get(row)
    const [what, age] = by.split('_')
    const { swaps, volumeE8 } = present(flowsOf({ ages: this.#ages.get(row) })[SHORT_AGES.indexOf(age as ShortAge)])
    return what === 'swaps' ? BigInt(swaps) : volumeE8
  }

  find(address: Address | PoolAddress): number | null {
    const row = this.rowsBefore(address)
    return row < this.#size && this.#addresses.compareWith(row, address) === 0 ? row : null
  }

  rowsBefore(address: Address | PoolAddress): number {
    let low = 0
    let high = this.#size
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#addresses.compareWith(middle, address) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  addLiquidity(address: Address | PoolAddress, worthE8: bigint): void {
    const row = this.find(address)
    if (row === null) return
    const before = this.key('liquidity', row)
    this.#keys.liquidity.set(row, before === null ? worthE8 : before + worthE8)
  }
}
