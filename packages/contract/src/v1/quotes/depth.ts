import { z } from 'zod'
import { NETWORK_VALUES, networkParameter, tokenParameter } from '../../parameters.ts'
import { decimalText, integerText, orNull, poolText, usdText } from '../../response-texts.ts'
import { tokenMetadata } from '../../responses.ts'
import { poolParameter } from '../parameters.ts'
import type { ReadRoute } from '../route.ts'
import { quotedBlock } from './quote.ts'

/** How far the price may move, in hundredths of a percent. */
export const DEPTH_BPS = [10, 50, 100, 200, 500] as const

const PRICE = 'in `against` per whole `token`, with 18 significant digits, rounded down'

const level = z
  .strictObject({
    bps: z.int().min(1).meta({ description: 'How far the price may move, in hundredths of a percent' }),
    amount_in: integerText().meta({ description: 'The largest amount that moves it no further, in base units' }),
    amount_in_decimal: decimalText(),
    amount_out: integerText().meta({ description: 'What that amount buys, in base units' }),
    amount_out_decimal: decimalText(),
    price: decimalText().meta({ description: `The average price of this amount, ${PRICE}` }),
    value_usd: orNull(usdText(), 'Value of the amount of `against`, by the prices of `/v1/prices`'),
  })
  .meta({ id: 'DepthLevel' })

const side = z
  .strictObject({
    reference_amount: orNull(integerText(), 'The amount whose price is the reference; null for a pool'),
    reference_price: decimalText().meta({
      description: `Of the reference amount, worth 100 USD, or of an infinitely small amount for a pool; fees included, ${PRICE}`,
    }),
    levels: z.array(level).meta({
      description:
        `For ${DEPTH_BPS.join(', ')} bps; one is missing if even the smallest amount moves the price further. 0.1 % ` +
        'more than a level (or one base unit) moves it further, or is refused',
    }),
  })
  .meta({ id: 'DepthSide' })

export const getDepth = {
  kind: 'read',
  operation: 'getDepth',
  path: '/v1/depth',
  summary: 'How much of a token can be sold or bought until its price has moved by 0.1 % to 5 %',
  description:
    'Prices are averages over the whole amount, compared with the price of a small one, both as in `/v1/quote`: over the ' +
    'best routes of up to three pools, split over up to four of them. With `pool`, over this pool alone.',
  maxAgeS: 1,
  failures: [404],
  request: {
    network: networkParameter,
    token: tokenParameter('token', 'Contract address or symbol of the token that is sold and bought', 'coin'),
    against: tokenParameter(
      'against',
      'Contract address or symbol of the token that is paid for it; with the `pool` of two tokens, it may be left out',
      'coin',
    ).optional(),
    pool: poolParameter('pool', 'Only this pool').optional(),
  },
  body: z
    .strictObject({
      network: z.enum(NETWORK_VALUES),
      token: tokenMetadata,
      against: tokenMetadata,
      pool: poolText().nullable(),
      sell: orNull(
        side,
        '`token` is sold, and its price falls; null if a route, or a USD price of `token`, is missing',
      ),
      buy: orNull(
        side,
        '`token` is bought, and its price rises; null if a route, or a USD price of `against`, is missing',
      ),
      block: quotedBlock,
      partial: orNull(
        z.enum(['unread-pools']),
        '`unread-pools`: a pool whose state has not been read yet might add depth; null otherwise',
      ),
    })
    .meta({ id: 'Depth' }),
} as const satisfies ReadRoute
