import { ZERO_ADDRESS } from '@dexfeed/dex'
import { z } from 'zod'
import { readAddress } from '../../checksum-address.ts'
import { NETWORK_VALUES, networkParameter } from '../../parameters.ts'
import { addressText, decimalText, orNull, poolText, usdText } from '../../response-texts.ts'
import { timeParameter } from '../parameters.ts'
import type { PostRoute, ReadRoute } from '../route.ts'
import { quotedBlock } from './quote.ts'

const MAX_TOKENS = 1_000
const MAX_IN_QUERY = 90
const FORM = 'each 0x and 40 hex digits, mixed case by EIP-55, or empty for the coin'

function addresses(texts: readonly string[], context: z.RefinementCtx): `0x${string}`[] {
  const read: `0x${string}`[] = []
  for (const [at, text] of texts.entries()) {
    const address = text === '' ? ZERO_ADDRESS : readAddress(text)
    if (address === null) {
      context.addIssue({ code: 'custom', message: `tokens[${at}] is not an address; ${FORM}`, input: text })
      return z.NEVER
    }
    read.push(address)
  }
  return read
}

const QUERY_MESSAGE = `tokens must be given once, as 1 to ${MAX_IN_QUERY} addresses, separated by commas; ${FORM}`
const BODY_MESSAGE = `tokens must be a list of 1 to ${MAX_TOKENS} addresses; ${FORM}`

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
    tokens: z
      .string({ error: QUERY_MESSAGE })
      .transform((text, context): `0x${string}`[] => {
        const texts = text.split(',', MAX_IN_QUERY + 1)
        if (texts.length <= MAX_IN_QUERY) return addresses(texts, context)
        context.addIssue({ code: 'custom', message: QUERY_MESSAGE, input: text })
        return z.NEVER
      })
      .meta({
        description: 'Addresses, separated by commas; the zero address or an empty item is the coin',
        example: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c',
      }),
    at,
  },
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
    tokens: z
      .array(z.string({ error: `must be a text; ${FORM}` }), { error: BODY_MESSAGE })
      .min(1, { error: BODY_MESSAGE })
      .max(MAX_TOKENS, { error: BODY_MESSAGE })
      .transform(addresses)
      .meta({ description: 'Addresses; the zero address or an empty string is the coin' }),
    at,
  },
  headers,
  body,
} as const satisfies PostRoute
