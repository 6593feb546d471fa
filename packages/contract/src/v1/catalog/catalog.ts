import { z } from 'zod'
import { choiceParameter, NETWORK_VALUES } from '../../parameters.ts'
import { addressText, decimalText, integerText, orNull, usdText } from '../../response-texts.ts'
import { usdParameter } from '../parameters.ts'

export const token = z
  .strictObject({
    network: z.enum(NETWORK_VALUES),
    address: addressText(),
    symbol: orNull(z.string(), 'From the contract or the curated list; anyone can write this text'),
    name: z.string().nullable(),
    decimals: orNull(integerText(), 'Null: the contract returns no usable value'),
    listed: z
      .boolean()
      .meta({ description: 'Whether the token is on the curated list, so that its symbol can be trusted' }),
  })
  .meta({ id: 'Token' })

export const poolToken = token.omit({ network: true, listed: true }).meta({ id: 'PoolToken' })

const changeText = (age: string) =>
  orNull(
    z.string().regex(/^-?(0|[1-9]\d*)\.\d{4}$/),
    `Change of the price in percent since ${age} ago, rounded toward zero`,
  )

/** Figures in USD over the last 24 hours, in whole minutes (docs/guide/api.md). */
export const figures = z.strictObject({
  price_usd: orNull(
    decimalText(),
    'USD per whole token, by the last trade within two days that has a value; null if there is none',
  ),
  price_change_5m: changeText('5 minutes'),
  price_change_1h: changeText('an hour'),
  price_change_6h: changeText('6 hours'),
  price_change_24h: changeText('a day'),
  volume_24h_usd: usdText(),
  swaps_24h: z.int().min(0),
  unpriced_swaps_24h: z.int().min(0).meta({ description: 'How many of them have no known value' }),
  liquidity_usd: orNull(
    usdText(),
    'Value of the tokens with a trusted price in the pool, or in all pools of the token; null if unknown',
  ),
  first_seen: orNull(z.iso.datetime(), 'Minute of the first stored swap'),
})

const UNKNOWN_FLOW = 'null while swaps of an older version are not counted yet'
const UNKNOWN_TRADERS = 'null if there are more than 200,000 swaps, or while they are being counted'

/** Also in candles (../candles.ts). */
export const flowSums = {
  buys: orNull(z.int().min(0), `Number of swaps that pay the token out; ${UNKNOWN_FLOW}`),
  sells: orNull(z.int().min(0), `Number of all other swaps of the token; ${UNKNOWN_FLOW}`),
  buy_volume_usd: orNull(usdText(), `Volume of the buys; ${UNKNOWN_FLOW}`),
  sell_volume_usd: orNull(usdText(), `Volume of the sells; ${UNKNOWN_FLOW}`),
}

const window = z
  .strictObject({
    swaps: z.int().min(0),
    volume_usd: usdText(),
    ...flowSums,
    buyers: orNull(z.int().min(0), `Number of accounts that signed a buy; ${UNKNOWN_TRADERS}`),
    sellers: orNull(z.int().min(0), `Number of accounts that signed a sell; ${UNKNOWN_TRADERS}`),
    traders: orNull(z.int().min(0), `Number of accounts that signed a swap; ${UNKNOWN_TRADERS}`),
  })
  .meta({ id: 'FlowWindow' })

export const flow = z.strictObject({ '5m': window, '1h': window, '6h': window, '24h': window }).meta({
  id: 'Flow',
  description: 'Swaps of the last 5 minutes, hour, 6 hours and day; of a pool, of its `base_token`',
})

const SHORT_AGES = ['5m', '1h', '6h'] as const

/** A figure without an age is of 24 hours. */
export const ORDER_BY = [
  'volume',
  'liquidity',
  'price_change',
  'age',
  'swaps',
  ...SHORT_AGES.flatMap((age) => [`volume_${age}`, `price_change_${age}`, `swaps_${age}`] as const),
] as const

export function orderParameter<const By extends string>(values: readonly By[]) {
  return choiceParameter('order_by', values)
    .optional()
    .meta({ enum: [...values], description: 'The order of the list; rows with unknown values come last' })
}

export const figureFilters = {
  order_by: orderParameter(ORDER_BY),
  min_volume: usdParameter('min_volume', 'Only rows with at least this 24-hour volume in USD').optional(),
  min_liquidity: usdParameter('min_liquidity', 'Only rows with at least this liquidity in USD').optional(),
}

export const figureHeaders = z.object({
  'X-Indexed-Block': z.string().meta({
    description: 'Last indexed block of each network when the response was made',
    example: 'bsc=48213377, polygon=61234567',
  }),
})

export const catalogPlace = z.tuple([
  z.enum(NETWORK_VALUES),
  z.string().regex(/^0x([0-9a-f]{2}){20,64}$/),
  z.enum(['before', 'after']),
  z
    .string()
    .regex(/^(0|-?[1-9]\d{0,199})$/)
    .nullable(),
])
