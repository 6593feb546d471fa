import { z } from 'zod'
import { flagParameter, networkParameter, tokenParameter, tokensParameter } from '../../parameters.ts'
import { integerText, orNull, transactionHash, usdText } from '../../response-texts.ts'
import { PLAIN_TEXT } from '../parameters.ts'
import type { ListRoute, ReadRoute } from '../route.ts'
import { catalogPlace, figureFilters, figureHeaders, figures, flow, token } from './catalog.ts'

const MAX_SEARCH = 64
const MAX_TOKENS = 100
const SEARCH_MESSAGE = `search must be given once, as 1 to ${MAX_SEARCH} characters without control characters`

export const tokenFigures = z
  .strictObject({
    ...token.shape,
    ...figures.shape,
    price_weighted: orNull(
      z.boolean(),
      'Whether 24 full hours of trades determine how much each pool counts in the price, like `weighted` in ' +
        '`/v1/candles`; null if there is no price',
    ),
    total_supply: orNull(
      integerText(),
      'What the contract reports, in base units, read about once a day; null if it reports none or was not read yet',
    ),
    fdv_usd: orNull(usdText(), 'Fully diluted value: `price_usd` of the whole `total_supply`, rounded down'),
  })
  .meta({ id: 'TokenFigures' })

const listedToken = tokenFigures.extend({ flow }).meta({ id: 'TokenWithFlow' })

export const listTokens = {
  kind: 'list',
  operation: 'listTokens',
  path: '/v1/tokens',
  summary: 'Tokens with at least one trade in an indexed pool, and tokens on the curated list',
  description: 'Sorted by network and address, or by a figure (`order_by`).',
  maxAgeS: 5,
  failures: [404],
  filters: {
    network: networkParameter.optional(),
    token: tokensParameter('token', 'Only these tokens', MAX_TOKENS).optional(),
    search: z
      .string({ error: SEARCH_MESSAGE })
      .min(1, { error: SEARCH_MESSAGE })
      .max(MAX_SEARCH, { error: SEARCH_MESSAGE })
      .refine((text) => PLAIN_TEXT.test(text), { error: SEARCH_MESSAGE })
      .optional()
      .meta({
        description: 'A contract address, or the beginning of a symbol or name; the case of A to Z does not matter',
        example: 'usd',
      }),
    listed: flagParameter('listed', 'Only tokens on the curated list, or only the others'),
    ...figureFilters,
  },
  headers: figureHeaders,
  row: listedToken,
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
    address: tokenParameter('address', "The token's contract address or symbol; the coin is shown as its wrapper"),
  },
  headers: figureHeaders,
  body: z
    .strictObject({
      ...listedToken.shape,
      last_trade: orNull(
        lastTrade,
        'The newest final trade that has a value and no flag; null if a bounded search finds none',
      ),
    })
    .meta({ id: 'TokenDetails' }),
} as const satisfies ReadRoute
