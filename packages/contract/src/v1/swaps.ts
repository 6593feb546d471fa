import { NETWORK_NAMES, USD_SOURCES } from '@dexfeed/dex'
import { z } from 'zod'
import { NETWORK_VALUES, networkParameter } from '../network-parameter.ts'
import { addressText, integerText, poolText, transactionHash, usdText } from '../response-texts.ts'
import {
  addressParameter,
  hashParameter,
  poolParameter,
  protocolParameter,
  timeParameter,
  usdParameter,
} from './parameters.ts'
import type { ListRoute } from './route.ts'

const tokenLeg = z
  .strictObject({
    name: z.string().nullable(),
    symbol: z.string().nullable(),
    decimals: integerText().nullable().meta({ description: 'Null: the contract does not tell a usable value' }),
    address: addressText().meta({ description: 'With its EIP-55 checksum; empty for the coin of the network' }),
    amount: integerText().meta({ description: "In the token's smallest unit" }),
    amount_decimal: z
      .string()
      .regex(/^(0|[1-9]\d*)\.\d{8,}$/)
      .nullable()
      .meta({ description: 'In whole units, exact; null where the decimals are not known' }),
  })
  .meta({ id: 'SwapLeg' })

const hop = z
  .strictObject({
    protocol: z.string().nullable().meta({ description: 'Name of the DEX' }),
    pool: poolText().nullable(),
    log_index: z.int().min(0),
    token_in: addressText().meta({ description: 'What the pool took; for the coin its wrapper' }),
    amount_in: integerText(),
    token_out: addressText().meta({ description: 'What the pool gave; for the coin its wrapper' }),
    amount_out: integerText(),
    trade_volume_usd: usdText().nullable(),
  })
  .meta({ id: 'SwapHop' })

const swap = z
  .strictObject({
    time: z.iso.datetime().meta({ description: 'Of the block' }),
    network: z.enum(NETWORK_VALUES),
    block_number: integerText(),
    tx_hash: transactionHash(),
    transaction_index: z.int().min(0),
    position: z.int().min(0).meta({ description: 'Of the trade within its transaction' }),
    trader: addressText().nullable().meta({ description: 'The account that signed; null where it is not known' }),
    settled_for: addressText().nullable().meta({ description: 'Whom a settlement says that it acted for' }),
    sell_token: tokenLeg,
    buy_token: tokenLeg,
    trade_volume_usd: usdText().nullable().meta({ description: 'Null when no price is known' }),
    usd_source: z
      .enum(USD_SOURCES)
      .nullable()
      .meta({ description: 'What the value is taken from: docs/internals/usd.md of the project' }),
    flags: z
      .array(
        z.enum([
          'depegged',
          'disagreement',
          'capped',
          'partial',
          'jit-liquidity',
          'amounts-differ',
          'old-price',
          'unconfirmed',
        ]),
      )
      .meta({
        description:
          'Marks on the value; `partial`: the account gave or got something else, too; `jit-liquidity`: the transaction itself put the liquidity there that it swapped with, and took it out after; `amounts-differ`: an amount, or the price of the two, is more than a fifth off what went through the pools; `old-price`: most of the money that tells the price stood in pools without a trade for half an hour; `unconfirmed`: transfers into and out of a pool do not confirm what its event says; where they tell amounts, these count',
      }),
    hops: z.array(hop).meta({
      description:
        'The pools that the trade went through, in order; empty where not stored. A hop that several trades of a transaction share stands, whole, with the one that has the largest part of it',
    }),
    final: z.boolean().meta({ description: 'False: the chain may still take the block back' }),
  })
  .meta({ id: 'Swap' })

const token = (name: string, what: string) =>
  addressParameter(name, `Trades that ${what} this token. The wrapped coin's address finds the coin itself, too`)

/** A place just behind a trade of each network: day, block, transaction, position. */
const at = z
  .array(
    z.tuple([
      z.enum(NETWORK_VALUES),
      z.int().min(-1_000_000).max(1_000_000),
      z.int().min(0),
      z.int().min(0).max(2_147_483_647),
      z.int().min(-1).max(2_147_483_647),
    ]),
  )
  .max(NETWORK_NAMES.length)

export const searchSwaps = {
  kind: 'list',
  operation: 'searchSwaps',
  path: '/v1/swaps',
  summary: 'Trades of all days that are kept, by what they are',
  description:
    'In the order of time; at one time by network (eth, bsc, polygon) and place in the block. A search reads a bounded ' +
    'number of rows a page: with filters that few trades meet, a page may be short or empty and still have a `next`.',
  maxAgeS: 1,
  failures: [404],
  headers: z.object({
    'X-Indexed-Block': z
      .string()
      .meta({ description: 'Last indexed block of each network, as `eth=123, bsc=456`', example: 'bsc=48213377' }),
  }),
  filters: {
    network: networkParameter.optional(),
    token: token('token', 'sell or buy').optional(),
    sell_token: token('sell_token', 'sell').optional(),
    buy_token: token('buy_token', 'buy').optional(),
    pool: poolParameter('pool', 'Trades that went through this pool').optional(),
    protocol: protocolParameter('protocol').optional(),
    trader: addressParameter('trader', 'The account that signed').optional(),
    tx_hash: hashParameter('tx_hash', 'Trades of this transaction').optional(),
    from: timeParameter('from', 'Blocks of this moment or later').optional(),
    to: timeParameter('to', 'Blocks before this moment').optional(),
    min_usd: usdParameter('min_usd', 'Trades worth this or more').optional(),
    max_usd: usdParameter('max_usd', 'Trades worth this or less').optional(),
  },
  row: swap,
  at,
  order: 'desc',
} as const satisfies ListRoute
