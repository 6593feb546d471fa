import { z } from 'zod'
import type { ForeignRoute } from './open-api-responses.ts'
import { NETWORK_VALUES, textParameter } from './parameters.ts'
import type { CANDLE_INTERVALS } from './v1/candles.ts'
import { POOL_FORM } from './v1/parameters.ts'

// TradingView's UDF protocol (tradingview.com/charting-library-docs, "UDF"), for its charting libraries.

/** Intervals by the resolutions of the protocol. */
export const UDF_RESOLUTIONS = {
  '1': '1m',
  '5': '5m',
  '15': '15m',
  '30': '30m',
  '60': '1h',
  '240': '4h',
  '1D': '1d',
  '1W': '1w',
} as const satisfies Record<string, keyof typeof CANDLE_INTERVALS>

const resolutions = Object.keys(UDF_RESOLUTIONS) as (keyof typeof UDF_RESOLUTIONS)[]

export const udfFailure = z
  .strictObject({ s: z.literal('error'), errmsg: z.string(), error: z.string() })
  .meta({ id: 'UdfError' })

const SYMBOL_FORM = `(${NETWORK_VALUES.join('|')}):(token:0x[0-9a-fA-F]{40}|pool:${POOL_FORM}(:quote)?)`

const symbol = textParameter('symbol', 'a ticker of /udf/search', new RegExp(`^${SYMBOL_FORM}$`, 'i'))
  .transform((text) => text.toLowerCase())
  .meta({
    pattern: `^${SYMBOL_FORM}$`,
    description:
      'A ticker: `bsc:token:<address>` (in USD), `bsc:pool:<address>` (its base token in USD), or ' +
      '`bsc:pool:<address>:quote` (in the quote token)',
    example: 'bsc:token:0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c',
  })

const whole = (name: string, form: RegExp, description: string) =>
  textParameter(name, 'a whole number', form).transform(Number).meta({ description })

const RESOLUTION_MESSAGE = `resolution must be given once, as one of ${resolutions.join(', ')}`

const history = {
  symbol,
  resolution: z
    .string({ error: RESOLUTION_MESSAGE })
    .transform((text) => (/^[DW]$/.test(text) ? `1${text}` : text))
    .pipe(z.enum(resolutions, { error: RESOLUTION_MESSAGE }))
    .meta({ enum: resolutions, description: 'In minutes, or `1D`, `1W`', example: '60' }),
  from: whole('from', /^-?\d{1,11}$/, 'First bar, in seconds since 1970; ignored if `countback` is given').optional(),
  to: whole('to', /^\d{1,11}$/, 'Only bars that begin before this time, in seconds since 1970'),
  countback: whole('countback', /^[1-9]\d{0,4}$/, 'Number of bars before `to`').optional(),
}

const QUERY_MESSAGE = 'query must be given at most once'
const searched = {
  query: z.string({ error: QUERY_MESSAGE }).default('').meta({ description: 'As `q` of `/v1/search`' }),
  exchange: z.string().default('').meta({ description: 'A network; empty for all' }),
  type: z.string().default('').meta({ description: '`token` or `pool`; empty for both' }),
  limit: whole('limit', /^[1-9]\d{0,3}$/, 'Maximum number of symbols, at most 50').default(30),
}

const numbers = z.array(z.number())

export const UDF_ROUTES = {
  config: {
    path: '/udf/config',
    summary: 'What the UDF data feed supports',
    request: {},
    body: z
      .strictObject({
        supported_resolutions: z.array(z.string()),
        supports_search: z.boolean(),
        supports_group_request: z.boolean(),
        supports_marks: z.boolean(),
        supports_timescale_marks: z.boolean(),
        supports_time: z.boolean(),
        exchanges: z.array(z.strictObject({ value: z.string(), name: z.string(), desc: z.string() })),
        symbols_types: z.array(z.strictObject({ name: z.string(), value: z.string() })),
      })
      .meta({ id: 'UdfConfig' }),
  },
  symbols: {
    path: '/udf/symbols',
    summary: 'A symbol of the UDF data feed',
    request: { symbol },
    body: z
      .strictObject({
        ticker: z.string(),
        name: z.string(),
        description: z.string(),
        type: z.enum(['token', 'pool']),
        session: z.literal('24x7'),
        timezone: z.literal('Etc/UTC'),
        exchange: z.string(),
        listed_exchange: z.string(),
        format: z.literal('price'),
        minmov: z.literal(1),
        pricescale: z.number().meta({ description: 'A power of ten, so that the last price has six digits' }),
        currency_code: z.string(),
        has_intraday: z.literal(true),
        has_daily: z.literal(true),
        has_weekly_and_monthly: z.literal(true),
        intraday_multipliers: z.array(z.string()),
        supported_resolutions: z.array(z.string()),
        volume_precision: z.int(),
        data_status: z.literal('streaming'),
      })
      .meta({ id: 'UdfSymbol' }),
  },
  search: {
    path: '/udf/search',
    summary: 'Symbols of the UDF data feed by symbol, name, pair, address or id',
    request: searched,
    body: z.array(
      z
        .strictObject({
          symbol: z.string(),
          full_name: z.string(),
          description: z.string(),
          exchange: z.string(),
          ticker: z.string(),
          type: z.enum(['token', 'pool']),
        })
        .meta({ id: 'UdfSearchResult' }),
    ),
  },
  history: {
    path: '/udf/history',
    summary: 'The bars of a symbol of the UDF data feed',
    description:
      'Candles of `/v1/candles` with `fill=true`, oldest first. A response has at most 5,000 bars, the newest ones. ' +
      '`no_data` with `nextTime` means that earlier bars may exist before that time.',
    request: history,
    body: z
      .union([
        z.strictObject({
          s: z.literal('ok'),
          t: z.array(z.int()).meta({ description: 'Start of each bar, in seconds since 1970' }),
          o: numbers,
          h: numbers,
          l: numbers,
          c: numbers,
          v: numbers.meta({ description: 'Volume in USD' }),
        }),
        z.strictObject({ s: z.literal('no_data'), nextTime: z.int().optional() }),
      ])
      .meta({ id: 'UdfHistory' }),
  },
  time: {
    path: '/udf/time',
    summary: "The server's time, in seconds since 1970",
    request: {},
    body: z.int(),
  },
} as const satisfies Record<string, ForeignRoute>

export type UdfRoutes = typeof UDF_ROUTES
export type UdfBody<Name extends keyof UdfRoutes> = z.output<UdfRoutes[Name]['body']>
