import { z } from 'zod'
import { NETWORK_VALUES, networkParameter } from '../network-parameter.ts'
import { addressText, integerText, orNull, transactionHash } from '../response-texts.ts'
import { poolToken } from './catalog/catalog.ts'
import { hashParameter, networkHeaders } from './parameters.ts'
import type { ReadRoute } from './route.ts'
import { flags, hop, swap, tokenLeg } from './swaps.ts'

const explainedHop = z
  .strictObject({
    ...hop.shape,
    flags: flags.meta({ description: 'Marks that keep this hop out of prices and candles; empty: none' }),
  })
  .meta({ id: 'ExplainedHop' })

const throughPools = z
  .strictObject({
    sell: tokenLeg.meta({ description: 'What entered the first pools; the coin as its wrapper' }),
    buy: tokenLeg.meta({ description: 'What left the last ones' }),
  })
  .meta({ id: 'ThroughPools' })

const note = z
  .strictObject({
    about: z.enum(['row', 'sell', 'buy', 'value']).meta({ description: 'The part of the trade that it explains' }),
    code: z.string().meta({ description: 'For programs; flags keep their names', example: 'usd-stablecoin' }),
    text: z.string().min(1).meta({ description: 'In plain words, without any text of a contract' }),
  })
  .meta({ id: 'TradeNote' })

const explainedTrade = z
  .strictObject({
    ...swap.omit({
      network: true,
      block_number: true,
      tx_hash: true,
      time: true,
      transaction_index: true,
      trader: true,
      final: true,
    }).shape,
    hops: z.array(explainedHop).meta({
      description: 'As of `/v1/swaps`: the amounts of the pools, in order; empty if none is stored with this trade',
    }),
    through_pools: orNull(
      throughPools,
      'The net of the hops; null if they are not stored with this trade, or do not net to two tokens. ' +
        '`sell_token` and `buy_token` are what the account gave and got',
    ),
    notes: z.array(note).min(1).meta({ description: 'Why the row is as it is, as far as it is stored' }),
  })
  .meta({ id: 'ExplainedTrade' })

const transaction = z
  .strictObject({
    network: z.enum(NETWORK_VALUES),
    tx_hash: transactionHash(),
    block_number: integerText(),
    time: z.iso.datetime().meta({ description: 'Of the block' }),
    final: z.boolean().meta({ description: 'False: the chain may still roll the block back' }),
    transaction_index: z.int().min(0),
    trader: orNull(addressText(), 'The account that signed; null if unknown'),
    trades: z.array(explainedTrade).min(1).meta({ description: 'In their order within the transaction' }),
    complete: z.boolean().meta({ description: 'False: it has more trades than the 1,000 of this response' }),
    tokens: z.array(poolToken).meta({
      description: 'Every token of the trades and hops: symbols and names are what contracts claim',
    }),
  })
  .meta({ id: 'Transaction' })

export const getTransaction = {
  kind: 'read',
  operation: 'getTransaction',
  path: '/v1/transactions/{network}/{tx_hash}',
  summary: 'A transaction: its trades with their hops, and why they are as they are',
  description:
    'From the database, so only transactions with a stored trade: 404 if its block is not indexed or no longer kept, ' +
    'or if it has no trade. `npm run explain` reads any transaction from a node, also what was dropped and why.',
  maxAgeS: 1,
  failures: [404],
  headers: networkHeaders,
  request: {
    network: networkParameter,
    tx_hash: hashParameter('tx_hash', 'The hash of the transaction'),
  },
  body: transaction,
} as const satisfies ReadRoute
