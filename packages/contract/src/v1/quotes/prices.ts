import { z } from 'zod'
import { NETWORK_VALUES, networkParameter, tokenList, tokensParameter } from '../../parameters.ts'
import { addressText, decimalText, orNull, poolText, usdText } from '../../response-texts.ts'
import { timeParameter } from '../parameters.ts'
import type { PostRoute, ReadRoute } from '../route.ts'
import { quotedBlock } from './quote.ts'

const MAX_TOKENS = 1_000
const MAX_IN_QUERY = 90
const PRICE_FLAGS = [
  ...(['thin', 'unproven', 'short', 'depegged', 'old', 'differs', 'partial', 'unlisted-route'] as const),
  'unweighted',
] as const

const hop = z.strictObject({ pool: poolText(), token_out: addressText() }).meta({ id: 'PriceHop' })

const price = z
  .strictObject({
    token: addressText().meta({ description: 'The requested token, with its EIP-55 checksum' }),
    price_usd: orNull(
      decimalText(),
      'USD per whole token, with at most 18 significant digits, rounded down; null if unknown',
    ),
    source: orNull(
      z.enum(['reference', 'market', 'trades']),
      '`reference`: the price of an anchor in its reference pools. `market`: what selling a small amount along `route` ' +
        'yields now. `trades`: the price from the trades of two days, as in `/v1/tokens`',
    ),
    route: z
      .array(hop)
      .meta({ description: 'The pools through which the token is sold, up to a token with a reference price' }),
    depth_usd: orNull(usdText(), 'What can be sold along the route for 2 % less than the price; null without a route'),
    age_s: orNull(
      z.int().min(0),
      'Age of the price: seconds since the block of the pool states, null for a price from trades. With `at`: seconds ' +
        'from the end of the minute of the last trade to `at`',
    ),
    flags: z.array(z.enum(PRICE_FLAGS)).meta({
      description:
        '`thin`: the depth is less than 1,000 USD. `unproven`: no receipts show that a transfer of the token arrives in ' +
        'full. `short`: within the last week, less of the token arrived than was sent. `depegged`: the token, or the ' +
        'token at the end of its route, is a stablecoin off its peg. `old`: a reference price is old. `differs`: the ' +
        'price from trades differs by more than a tenth. `partial`: some pools have not been read yet. ' +
        '`unlisted-route`: the route passes through a token that is not on the curated list. `unweighted`: the price ' +
        'comes from trades, and its `price_weighted` is false',
    }),
  })
  .meta({ id: 'TokenPrice' })
export type TokenPriceFlag = (typeof PRICE_FLAGS)[number]

const body = z
  .strictObject({
    network: z.enum(NETWORK_VALUES),
    at: orNull(z.iso.datetime(), 'The past time of the prices; null if they are current'),
    block: orNull(quotedBlock, 'The block at which the market was priced; null with `at`'),
    prices: z.array(price).meta({ description: 'In the order of the request' }),
  })
  .meta({ id: 'TokenPrices' })
export type TokenPrice = z.output<typeof price>

const at = timeParameter(
  'at',
  'Returns the prices at this past time, from the trades of the two days before it, counting only full minutes. There ' +
    'is no route or depth then, and no flag except `unweighted`',
).optional()

const headers = z.object({
  'X-Data-Complete': z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'With `at`: `false` if part of the two days before it is not indexed' }),
})

export const getPrices = {
  kind: 'read',
  operation: 'getPrices',
  path: '/v1/prices',
  summary: `USD prices of up to ${MAX_IN_QUERY} tokens, with their source and depth`,
  maxAgeS: 1,
  failures: [404],
  request: {
    network: networkParameter,
    tokens: tokensParameter('tokens', 'The tokens, also as `token`', MAX_IN_QUERY),
    at,
  },
  aliases: { token: 'tokens' },
  headers,
  body,
} as const satisfies ReadRoute

export const findPrices = {
  kind: 'post',
  operation: 'findPrices',
  path: '/v1/prices',
  summary: `USD prices of up to ${MAX_TOKENS} tokens`,
  description: 'Each 100 tokens count as one request.',
  maxAgeS: 0,
  failures: [404],
  parts: 'tokens',
  countedAs: (parts) => Math.ceil(parts / 100),
  request: {
    network: networkParameter,
    tokens: tokenList('tokens', 'The tokens', MAX_TOKENS),
    at,
  },
  headers,
  body,
} as const satisfies PostRoute
