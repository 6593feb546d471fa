import { z } from 'zod'
import { NETWORK_VALUES, networkParameter } from '../../parameters.ts'
import { addressText, decimalText, integerText, orNull, poolText, usdText } from '../../response-texts.ts'
import { tokenMetadata } from '../../responses.ts'
import type { ReadRoute } from '../route.ts'
import { quoteAliases, quoteParameters } from './quote-parameters.ts'

const QUOTE_FLAGS = ['unlisted-route', 'unlisted-token', 'unproven'] as const
export type QuoteFlag = (typeof QUOTE_FLAGS)[number]
export const QUOTE_FLAGS_TEXT =
  '`unlisted-route`: the route passes through a token that is not on the curated list, because no route through listed ' +
  'tokens has pools of at least 1,000 USD each. `unlisted-token`: the token sold or bought is not on the curated list. ' +
  '`unproven`: that token is unlisted and no receipts show that its transfers arrive in full, or the token is listed ' +
  'and receipts show that less arrived than was sent'

const AMOUNT = 'Base units'
const WHOLE = 'Exact amount in whole units'

export const quotedBlock = z
  .strictObject({
    number: integerText(),
    hash: z.string().regex(/^0x[0-9a-f]{64}$/),
    time: z.iso.datetime(),
    age_s: z.int().min(0).meta({ description: 'Seconds since that time, by the clock of the server' }),
  })
  .meta({ id: 'QuotedBlock' })

const hop = z
  .strictObject({
    pool: poolText(),
    protocol: orNull(z.string(), 'Name of the DEX; null if not known yet'),
    token_in: addressText().meta({ description: 'The coin appears as its wrapper' }),
    token_out: addressText(),
    amount_in: integerText().meta({ description: AMOUNT }),
    amount_out: integerText().meta({ description: AMOUNT }),
    fee: orNull(
      integerText(),
      'Fee in base units of the input, rounded up; null if the fee is not a share of the input',
    ),
  })
  .meta({ id: 'QuoteHop' })

const part = z
  .strictObject({
    share: decimalText().meta({ description: 'Share of amount_in, from 0 to 1, rounded down', example: '0.65000000' }),
    amount_in: integerText(),
    amount_out: integerText(),
    hops: z.array(hop).min(1).max(3),
  })
  .meta({ id: 'QuotePart' })

const fee = z
  .strictObject({
    token: addressText(),
    amount: integerText().meta({ description: AMOUNT }),
    usd: usdText().nullable(),
  })
  .meta({ id: 'QuoteFee' })

const transfers = z
  .strictObject({
    proof: z.enum(['trusted', 'moves', 'none']).meta({
      description:
        'Whether transfers of the token arrive in full. `trusted`: the token is the coin, an anchor or on the curated ' +
        'list. `moves`: receipts show that its transfers arrive in full. `none`: neither, or pools paid out a listed ' +
        'token and less arrived, so the amounts may be wrong',
    }),
    moves: z
      .int()
      .min(0)
      .meta({
        description:
          'Number of transactions of the last week that moved the token from one pool to another; not counted if ' +
          '`proof` is `trusted`',
      }),
    short: z.int().min(0).meta({ description: 'How many of them delivered less than was sent' }),
  })
  .meta({ id: 'TransferEvidence' })

export const amountQuote = z
  .strictObject({
    network: z.enum(NETWORK_VALUES),
    sell_token: tokenMetadata,
    buy_token: tokenMetadata,
    side: z.enum(['in', 'out']),
    amount_in: integerText().meta({ description: AMOUNT }),
    amount_in_decimal: decimalText().meta({ description: WHOLE }),
    amount_out: integerText().meta({ description: AMOUNT }),
    amount_out_decimal: decimalText().meta({ description: WHOLE }),
    min_out: orNull(
      integerText(),
      '`side=in` with `slippage_bps`: amount_out x (10,000 - slippage_bps) / 10,000, rounded down',
    ),
    max_in: orNull(
      integerText(),
      '`side=out` with `slippage_bps`: amount_in x (10,000 + slippage_bps) / 10,000, rounded up',
    ),
    parts: z
      .array(part)
      .max(4)
      .meta({ description: 'Routes that share the amount; empty for the coin and its wrapper' }),
    price: decimalText().meta({
      description:
        'Whole units of the token bought per whole unit of the token sold, with 18 significant digits, rounded down',
    }),
    mid_price: orNull(
      decimalText(),
      'The price of an infinitely small amount along the same parts, without fees; null if unknown',
    ),
    price_impact: orNull(
      z.string().regex(/^-?(0|[1-9]\d*)\.\d{8}$/),
      '1 - price / mid_price, rounded toward zero: fees and price movement together',
    ),
    fees: orNull(z.array(fee), 'Fees paid to pools, per token; null if the fee of a hop is unknown'),
    fees_usd: usdText().nullable(),
    amount_in_usd: orNull(usdText(), 'Value by the prices of `/v1/prices`; null if there is no price'),
    amount_out_usd: usdText().nullable(),
    gas_estimate: z.int().min(0).meta({ description: 'Units of gas, estimated by a constant for each kind of hop' }),
    gas_usd: orNull(usdText(), 'Always null, because the base fee of blocks is not stored'),
    sell_transfers: transfers,
    buy_transfers: transfers,
    flags: z.array(z.enum(QUOTE_FLAGS)).meta({ description: QUOTE_FLAGS_TEXT }),
    block: quotedBlock,
    partial: orNull(
      z.enum(['unread-pools']),
      '`unread-pools`: a pool whose state has not been read yet might improve the quote; null otherwise',
    ),
  })
  .meta({ id: 'AmountQuote' })

export const quoteAmount = {
  kind: 'read',
  operation: 'quoteAmount',
  path: '/v1/quote',
  summary: 'What an amount of a token buys, or what it costs to buy an amount',
  description:
    'Finds the best routes of up to three pools each, and splits the amount over up to four of them. The result is exact ' +
    'at the indexed block.',
  maxAgeS: 1,
  failures: [404],
  request: { network: networkParameter, ...quoteParameters },
  aliases: quoteAliases,
  body: amountQuote,
} as const satisfies ReadRoute
