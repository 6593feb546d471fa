// An indexer as the adapter specification of DEX Screener describes it: it asks for the latest block, then for the events
// of ranges of blocks, and for the pairs and assets that these name. It halts at whatever the specification does not
// have. It knows nothing of this server.

type Amount = number | string

interface Event {
  block: { blockNumber: number; blockTimestamp: number }
  eventType: string
  txnId: string
  txnIndex: number
  eventIndex: number
  maker: string | null
  pairId: string
  asset0In?: Amount
  asset1In?: Amount
  asset0Out?: Amount
  asset1Out?: Amount
  priceNative?: Amount
  amount0?: Amount
  amount1?: Amount
}

interface Pair {
  id: string
  dexKey: string
  asset0Id: string
  asset1Id: string
  createdAtBlockNumber?: number
  createdAtBlockTimestamp?: number
  createdAtTxnId?: string
  feeBps?: number
}

interface Asset {
  id: string
  name: string
  symbol: string
  totalSupply?: Amount
}

const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isWhole = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0
const isAmount = (value: unknown) => /^\d+(\.\d+)?$/.test(String(value)) && Number(value) >= 0
const isPrice = (value: unknown) => isAmount(value) && Number(value) > 0
const isBlock = (value: unknown) => fits(value, { blockNumber: isWhole, blockTimestamp: isWhole })

type Form = Record<string, (value: unknown) => boolean>

/** Whether an object has the required fields, perhaps some of the optional ones, and no others. */
function fits(value: unknown, required: Form, optional: Form = {}): boolean {
  if (typeof value !== 'object' || value === null) return false
  const fields = Object.entries(value)
  return (
    Object.keys(required).every((name) => Object.hasOwn(value, name)) &&
    fields.every(([name, field]) => (required[name] ?? optional[name])?.(field) === true)
  )
}

const EVENT: Form = {
  block: isBlock,
  txnId: isText,
  txnIndex: isWhole,
  eventIndex: isWhole,
  maker: (value) => value === null || isText(value),
  pairId: isText,
}
const SWAP: Form = { ...EVENT, eventType: (value) => value === 'swap', priceNative: isPrice }
const JOIN_EXIT: Form = { ...EVENT, eventType: (value) => value === 'join' || value === 'exit' }
const isEvent = (value: unknown) =>
  fits(value, { ...SWAP, asset0In: isAmount, asset1Out: isAmount }) ||
  fits(value, { ...SWAP, asset1In: isAmount, asset0Out: isAmount }) ||
  fits(value, { ...JOIN_EXIT, amount0: isAmount, amount1: isAmount })

const CREATED: Form = { createdAtBlockNumber: isWhole, createdAtBlockTimestamp: isWhole, createdAtTxnId: isText }
const isPair = (value: unknown) =>
  fits(
    value,
    { id: isText, dexKey: isText, asset0Id: isText, asset1Id: isText },
    { ...CREATED, feeBps: (fee) => Number(fee) > 0 },
  )

const isAsset = (value: unknown) => fits(value, { id: isText, name: isText, symbol: isText }, { totalSupply: isAmount })

export class DexscreenerClient {
  readonly #base: string
  readonly pairs = new Map<string, Pair>()
  readonly assets = new Map<string, Asset>()

  constructor(base: string) {
    this.#base = base
  }

  async #get<Value>(path: string, name: string, isValid: (value: unknown) => boolean): Promise<Value> {
    const response = await fetch(`${this.#base}/${path}`)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${response.status}: ${text}`)
    const body = JSON.parse(text)
    if (!fits(body, { [name]: isValid })) throw new Error(`indexing halts at ${path}: ${text.slice(0, 500)}`)
    return body[name]
  }

  latestBlock() {
    return this.#get<{ blockNumber: number; blockTimestamp: number }>('latest-block', 'block', isBlock)
  }

  async events(fromBlock: number, toBlock: number): Promise<Event[]> {
    const areEvents = (value: unknown) => Array.isArray(value) && value.every(isEvent)
    const path = `events?fromBlock=${fromBlock}&toBlock=${toBlock}`
    const events = await this.#get<Event[]>(path, 'events', areEvents)
    const places = events.map(({ block, txnIndex, eventIndex }) => `${block.blockNumber} ${txnIndex} ${eventIndex}`)
    if (new Set(places).size < places.length) throw new Error('two events have the same place')
    return events
  }

  async pair(id: string): Promise<Pair> {
    const known = this.pairs.get(id)
    if (known !== undefined) return known
    const pair = await this.#get<Pair>(`pair?id=${id}`, 'pair', isPair)
    this.pairs.set(id, pair)
    for (const asset of [pair.asset0Id, pair.asset1Id]) {
      this.assets.set(asset, this.assets.get(asset) ?? (await this.#get<Asset>(`asset?id=${asset}`, 'asset', isAsset)))
    }
    return pair
  }

  async index(fromBlock: number, step: number): Promise<Event[]> {
    const { blockNumber } = await this.latestBlock()
    const all: Event[] = []
    for (let from = fromBlock; from <= blockNumber; from += step) {
      const events = await this.events(from, Math.min(blockNumber, from + step - 1))
      for (const { pairId } of events) await this.pair(pairId)
      all.push(...events)
    }
    return all
  }
}
