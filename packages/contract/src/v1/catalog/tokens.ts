import { z } from 'zod'
import { networkParameter } from '../../network-parameter.ts'
import { orNull, transactionHash } from '../../response-texts.ts'
import { addressParameter } from '../parameters.ts'
import type { ListRoute, ReadRoute } from '../route.ts'
import { catalogPlace, figureFilters, figureHeaders, figures, token } from './catalog.ts'

const MAX_SEARCH = 64
const SEARCH_MESSAGE = `search must be given once, as 1 to ${MAX_SEARCH} characters without control characters`
const LISTED_MESSAGE = 'listed must be given once, as true or false'

export const tokenFigures = z
  .strictObject({
    ...token.shape,
    ...figures.shape,
    price_weighted: orNull(
      z.boolean(),
      'Whether 24 whole hours weigh the pools of the price, as in `/v1/candles`; null without one',
    ),
  })
  .meta({ id: 'TokenFigures' })

export const listTokens = {
  kind: 'list',
  operation: 'listTokens',
  path: '/v1/tokens',
  summary: 'Tokens with at least one trade in an indexed pool, and tokens on the curated list',
  description: 'By network and address, or in the order of a figure.',
  maxAgeS: 5,
  failures: [404],
  filters: {
    network: networkParameter.optional(),
    search: z
      .string({ error: SEARCH_MESSAGE })
      .min(1, { error: SEARCH_MESSAGE })
      .max(MAX_SEARCH, { error: SEARCH_MESSAGE })
      .refine((text) => !/\p{Cc}|\p{Cs}/u.test(text), { error: SEARCH_MESSAGE })
      .optional()
      .meta({
        description: 'A contract address, or the beginning of a symbol or name; A to Z in any case',
        example: 'usd',
      }),
    listed: z
      .enum(['true', 'false'], { error: LISTED_MESSAGE })
      .transform((text) => text === 'true')
      .optional()
      .meta({ enum: ['true', 'false'], description: 'Only those on the curated list, or only others' }),
    ...figureFilters,
  },
  headers: figureHeaders,
  row: tokenFigures,
  at: catalogPlace,
  order: 'asc',
  descendingBy: 'order_by',
} as const satisfies ListRoute

const lastTrade = z
  .strictObject({
    time: z.iso.datetime(),
    tx_hash: transactionHash(),
    price_usd: z
      .string()
      .regex(/^(0|[1-9]\d*)\.\d{18}$/)
      .meta({
        description: "The trade's value divided by the amount of the token, rounded down; one trade, not an average",
      }),
  })
  .meta({ id: 'TokenTrade' })

export const getToken = {
  kind: 'read',
  operation: 'getToken',
  path: '/v1/tokens/{network}/{address}',
  summary: 'A token',
  maxAgeS: 5,
  failures: [404],
  request: {
    network: networkParameter,
    address: addressParameter(
      'address',
      "The token's contract; for the coin, as in other parameters, that of its wrapper",
    ),
  },
  headers: figureHeaders,
  body: z
    .strictObject({
      ...tokenFigures.shape,
      last_trade: orNull(
        lastTrade,
        'The newest final trade with a value without marks; null if a bounded search finds none',
      ),
    })
    .meta({ id: 'TokenDetails' }),
} as const satisfies ReadRoute
