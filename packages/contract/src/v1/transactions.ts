import { z } from 'zod'
import { NETWORK_VALUES, networkParameter } from '../parameters.ts'
import { addressText, integerText, orNull, transactionHash } from '../response-texts.ts'
import { poolToken } from './catalog/catalog.ts'
import { hashParameter, networkHeaders } from './parameters.ts'
import type { ReadRoute } from './route.ts'
import { flags, hop, swap, tokenLeg } from './swaps.ts'

const explainedHop = z
  .strictObject({
    ...hop.shape,
    flags: flags.meta({ description: 'Flags that keep this hop out of prices and candles' }),
  })
  .meta({ id: 'ExplainedHop' })

const throughPools = z
  .strictObject({
    sell: tokenLeg.meta({ description: 'What entered the first pools; the coin appears as its wrapper' }),
    buy: tokenLeg.meta({ description: 'What left the last pools' }),
  })
  .meta({ id: 'ThroughPools' })

const note = z
  .strictObject({
    about: z
      .enum(['row', 'sell', 'buy', 'value'])
      .meta({ description: 'The part of the trade that the note explains' }),
    code: z.string().meta({ description: 'A code for programs; for a flag, its name', example: 'usd-stablecoin' }),
    text: z.string().min(1).meta({ description: 'The note in plain words; never contains text from a contract' }),
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
      description:
        'The hops as in `/v1/swaps`, in order, with the amounts of the pools; empty if none is stored with this trade',
    }),
    through_pools: orNull(
      throughPools,
      'Net amounts of the hops; null if the hops are not stored with this trade, or do not net to two tokens. What the ' +
        'account itself gave and got is in `sell_token` and `buy_token`',
    ),
    notes: z.array(note).min(1).meta({ description: 'Why the row is as it is, as far as stored data shows' }),
  })
  .meta({ id: 'ExplainedTrade' })

const transaction = z
  .strictObject({
    network: z.enum(NETWORK_VALUES),
    tx_hash: transactionHash(),
    block_number: integerText(),
    time: z.iso.datetime().meta({ description: 'Time of the block' }),
    final: z.boolean().meta({ description: '`false` while the chain can still roll the block back' }),
    transaction_index: z.int().min(0),
    trader: orNull(addressText(), 'The account that signed the transaction; null if unknown'),
    trades: z.array(explainedTrade).min(1).meta({ description: 'The trades, in their order within the transaction' }),
    complete: z
      .boolean()
      .meta({ description: '`false` if the transaction has more than the 1,000 trades of this response' }),
    tokens: z.array(poolToken).meta({
      description: 'Every token of the trades and hops; symbols and names are what contracts claim',
    }),
  })
  .meta({ id: 'Transaction' })

export const getTransaction = {
  kind: 'read',
  operation: 'getTransaction',
  path: '/v1/transactions/{network}/{tx_hash}',
  summary: 'The trades of a transaction, with their hops and an explanation',
  description:
    'Reads kept days: 404 if the block is not indexed or no longer kept, or if the transaction has no trade. ' +
    '`/v1/swaps?tx_hash=` also finds trades of days in the lake (docs/guide/lake.md). `npm run explain` reads any ' +
    'transaction from a node, and also shows what was dropped and why.',
  maxAgeS: 1,
  failures: [404],
  headers: networkHeaders,
  request: {
    network: networkParameter,
    tx_hash: hashParameter('tx_hash', 'The hash of the transaction'),
  },
  body: transaction,
} as const satisfies ReadRoute
