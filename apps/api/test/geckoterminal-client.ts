// A client as GeckoTerminal's documentation and the examples in it describe the public API, version 2. It knows nothing of
// this server, and takes no field that the documentation does not have. What the documentation has as text or number may
// be null here, where it is unknown.

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
interface Attributes {
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly [name: string]: any
}
export interface Resource {
  id: string
  type: string
  attributes: Attributes
  relationships?: Attributes
}
interface Answer<Data> {
  data: Data
  included?: Resource[]
  links?: Attributes
  meta?: Attributes
}

const TEXT = (value: Json) => value === null || typeof value === 'string'
const NUMBER = (value: Json) => value === null || typeof value === 'number'
const NONE = (value: Json) => value === null
const PERIODS = ['m5', 'm15', 'm30', 'h1', 'h6', 'h24']
const SIDES = ['buys', 'sells', 'buyers', 'sellers']
type Check = (value: Json) => boolean

const all =
  (names: readonly string[], check: Check): Check =>
  (value) => {
    const fields = Object.entries(value as object)
    return fields.map(([name]) => name).join() === names.join() && fields.every(([, field]) => check(field as Json))
  }
const texts = (...names: string[]) => Object.fromEntries(names.map((name) => [name, TEXT]))

const POOL = {
  ...texts('base_token_price_usd', 'base_token_price_native_currency', 'quote_token_price_usd'),
  ...texts('quote_token_price_native_currency', 'base_token_price_quote_token', 'quote_token_price_base_token'),
  ...texts('address', 'name', 'pool_name', 'pool_fee_percentage', 'pool_created_at', 'fdv_usd'),
  market_cap_usd: NONE,
  locked_liquidity_percentage: NONE,
  price_change_percentage: all(PERIODS, TEXT),
  transactions: all(PERIODS, all(SIDES, NUMBER)),
  volume_usd: all(PERIODS, TEXT),
  reserve_in_usd: TEXT,
}
const TOKEN = { ...texts('address', 'name', 'symbol'), decimals: NUMBER, image_url: NONE, coingecko_coin_id: NONE }
const FORMS: Record<string, Record<string, Check>> = {
  network: texts('name', 'coingecko_asset_platform_id'),
  dex: texts('name'),
  pool: POOL,
  token: TOKEN,
  trade: {
    block_number: NUMBER,
    ...texts('tx_hash', 'tx_from_address', 'from_token_amount', 'to_token_amount'),
    ...texts('price_from_in_currency_token', 'price_to_in_currency_token', 'price_from_in_usd', 'price_to_in_usd'),
    ...texts('block_timestamp', 'kind', 'volume_in_usd', 'from_token_address', 'to_token_address'),
  },
}
/** Of a token that is asked for, not just named by a pool. */
const TOKEN_FIGURES: Record<string, Check> = {
  ...TOKEN,
  ...texts('total_supply', 'normalized_total_supply', 'price_usd', 'fdv_usd', 'total_reserve_in_usd'),
  volume_usd: all(['h24'], TEXT),
  market_cap_usd: NONE,
}
const RELATED: Record<string, readonly string[]> = {
  pool: ['base_token', 'quote_token', 'network', 'dex'],
  token: ['top_pools'],
}

function check({ id, type, attributes, relationships }: Resource): void {
  const hasFigures = type === 'token' && relationships !== undefined
  const form = hasFigures ? TOKEN_FIGURES : (FORMS[type] ?? {})
  const own = type === 'pool' && 'token_price_usd' in attributes ? { ...form, token_price_usd: TEXT } : form
  const names = (object: object) => Object.keys(object).sort().join()
  if (typeof id !== 'string' || names(attributes) !== names(own)) throw new Error(`${type} has ${names(attributes)}`)
  for (const [name, value] of Object.entries(attributes)) {
    if (!own[name]?.(value)) throw new Error(`${name} of ${type} is ${JSON.stringify(value)}`)
  }
  const related = type === 'pool' || hasFigures ? (RELATED[type] ?? []) : []
  if (names(relationships ?? {}) !== [...related].sort().join()) throw new Error(`relationships of ${type}`)
}

export class GeckoterminalClient {
  readonly #base: string

  constructor(base: string) {
    this.#base = base
  }

  async #get<Data>(path: string, query: Record<string, string | number> = {}): Promise<Answer<Data>> {
    const parameters = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    )
    const response = await fetch(`${this.#base}${path}?${parameters}`, { headers: { accept: 'application/json' } })
    const body: unknown = await response.json()
    if (response.status === 200) return body as Answer<Data>
    const { errors } = body as { errors: { status: string; title: string }[] }
    const titles = errors.map(({ status, title }) => `${status} ${title}`)
    throw new Error(titles.join())
  }

  async list(path: string, query: Record<string, string | number> = {}): Promise<Answer<Resource[]>> {
    const answer = await this.#get<Resource[]>(path, query)
    for (const resource of [...answer.data, ...(answer.included ?? [])]) check(resource)
    return answer
  }

  async one(path: string, query: Record<string, string | number> = {}): Promise<Answer<Resource>> {
    const answer = await this.#get<Resource>(path, query)
    for (const resource of [answer.data, ...(answer.included ?? [])]) check(resource)
    return answer
  }

  async tokenPrices(network: string, addresses: readonly string[], query: Record<string, string> = {}) {
    const path = `/simple/networks/${network}/token_price/${addresses.join()}`
    return (await this.#get<Resource>(path, query)).data.attributes
  }

  async ohlcv(pool: string, timeframe: string, query: Record<string, string | number> = {}) {
    const path = `/networks/bsc/pools/${pool}/ohlcv/${timeframe}`
    const { data, meta } = await this.#get<Resource>(path, query)
    const list: (number | null)[][] = data.attributes.ohlcv_list
    if (list.some((row) => row.length !== 6 || row.slice(0, 5).some((each) => typeof each !== 'number')))
      throw new Error('ohlcv_list')
    return { list, meta }
  }
}
