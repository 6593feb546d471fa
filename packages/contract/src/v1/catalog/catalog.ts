import { z } from 'zod'
import { NETWORK_VALUES } from '../../network-parameter.ts'
import { addressText, decimalText, integerText, orNull, usdText } from '../../response-texts.ts'
import { usdParameter } from '../parameters.ts'

export const token = z
  .strictObject({
    network: z.enum(NETWORK_VALUES),
    address: addressText(),
    symbol: orNull(z.string(), 'From the contract or the curated list; anyone can write this text'),
    name: z.string().nullable(),
    decimals: orNull(integerText(), 'Null: the contract returns no usable value'),
    listed: z.boolean().meta({ description: 'On the curated list: its symbol may be trusted' }),
  })
  .meta({ id: 'Token' })

export const poolToken = token.omit({ network: true, listed: true }).meta({ id: 'PoolToken' })

const changeText = (age: string) =>
  orNull(z.string().regex(/^-?(0|[1-9]\d*)\.\d{4}$/), `Percent against the price ${age} before, rounded toward zero`)

/** Figures in USD over the last 24 hours, in whole minutes (docs/guide/api.md). */
export const figures = z.strictObject({
  price_usd: orNull(decimalText(), 'Of a whole token, by its last trade of two days with a value; null without one'),
  price_change_5m: changeText('5 minutes'),
  price_change_1h: changeText('an hour'),
  price_change_6h: changeText('6 hours'),
  price_change_24h: changeText('a day'),
  volume_24h_usd: usdText(),
  swaps_24h: z.int().min(0),
  unpriced_swaps_24h: z.int().min(0).meta({ description: 'Those of them whose value is not known' }),
  liquidity_usd: orNull(
    usdText(),
    'Money in the pool, or in all pools of the token: tokens with a trusted price. Null if unknown',
  ),
  first_seen: orNull(z.iso.datetime(), 'Minute of the first swap that is kept'),
})

const ORDER_BY = ['volume', 'liquidity', 'price_change', 'age'] as const
const ORDER_BY_MESSAGE = `order_by must be given once, as one of ${ORDER_BY.join(', ')}`

export const figureFilters = {
  order_by: z
    .enum(ORDER_BY, { error: ORDER_BY_MESSAGE })
    .optional()
    .meta({ enum: [...ORDER_BY], description: 'The order of the list; unknown values are last' }),
  min_volume: usdParameter('min_volume', 'At least this volume in 24 hours, in USD').optional(),
  min_liquidity: usdParameter('min_liquidity', 'At least this liquidity, in USD').optional(),
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
