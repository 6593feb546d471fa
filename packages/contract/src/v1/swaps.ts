import { NETWORK_NAMES, USD_SOURCES, VALUE_FLAGS } from '@dexfeed/dex'
import { z } from 'zod'
import { NETWORK_VALUES, networkParameter } from '../network-parameter.ts'
import { addressText, integerText, orNull, poolText, transactionHash, usdText } from '../response-texts.ts'
import {
  addressParameter,
  contractParameter,
  hashParameter,
  poolParameter,
  protocolParameter,
  timeParameter,
  usdParameter,
} from './parameters.ts'
import type { ListRoute } from './route.ts'

export const tokenLeg = z
  .strictObject({
    name: z.string().nullable(),
    symbol: z.string().nullable(),
    decimals: orNull(integerText(), 'Null: the contract returns no usable value'),
    address: addressText().meta({ description: 'With its EIP-55 checksum; empty for the coin of the network' }),
    amount: integerText().meta({ description: "In the token's smallest unit" }),
    amount_decimal: orNull(
      z.string().regex(/^(0|[1-9]\d*)\.\d{8,}$/),
      'In whole units, exact; null if the decimals are unknown',
    ),
  })
  .meta({ id: 'SwapLeg' })

export const flags = z.array(z.enum(VALUE_FLAGS.map(({ name }) => name)))

export const hop = z
  .strictObject({
    protocol: orNull(z.string(), 'Name of the DEX'),
    pool: poolText().nullable(),
    log_index: z.int().min(0),
    token_in: addressText().meta({ description: 'What the pool received; for the coin its wrapper' }),
    amount_in: integerText(),
    token_out: addressText().meta({ description: 'What the pool paid; for the coin its wrapper' }),
    amount_out: integerText(),
    trade_volume_usd: usdText().nullable(),
  })
  .meta({ id: 'SwapHop' })

export const swap = z
  .strictObject({
    time: z.iso.datetime().meta({ description: 'Of the block' }),
    network: z.enum(NETWORK_VALUES),
    block_number: integerText(),
    tx_hash: transactionHash(),
    transaction_index: z.int().min(0),
    position: z.int().min(0).meta({ description: 'Position of the trade within its transaction' }),
    trader: orNull(addressText(), 'The account that signed; null if unknown'),
    settled_for: orNull(addressText(), 'The account for which a settlement says that it acted'),
    sell_token: tokenLeg,
    buy_token: tokenLeg,
    trade_volume_usd: orNull(usdText(), 'Null when no price is known'),
    usd_source: orNull(z.enum(USD_SOURCES), 'The source of the value: docs/internals/usd.md of the project'),
    flags: flags.meta({
      description:
        "Marks on the value. `capped`: more than the pools held, or money that went round within the transaction; the value counts the rest. `partial`: the account also gave or got something else, or only a token that anybody could have made shows what it traded; then the tokens are the pools'; or a fee in coins, which no log shows, may have been taken from what it bought; or the value of a part of the trade is not known. `jit-liquidity`: the transaction added the liquidity that it swapped with, and removed it after. `amounts-differ`: an amount, or the price of the two, is more than a fifth off the pools' amounts. `old-price`: most of the money that sets the price was in pools without a trade for half an hour. `unconfirmed`: transfers into and out of a pool do not confirm its event; if they give amounts, these count. `closed-loop`: all value of the transaction went round; nobody outside of the pools gave or got more than 1 % of it, as in arbitrage and wash trading. `settlement`: an order that the event of a settlement tells, and that no pool moved, or not all of it; the rest counts as far as the order's owner paid or got it",
    }),
    hops: z.array(hop).meta({
      description:
        'The pools of the trade, in order; empty if not stored, and for an order that no pool has a part in. If several trades of a transaction share a hop, it is listed whole with the trade that has the largest part of it',
    }),
    final: z.boolean().meta({ description: 'False: the chain may still roll the block back' }),
  })
  .meta({ id: 'Swap' })

const token = (name: string, what: string) =>
  contractParameter(name, `Trades that ${what} this token. The wrapped coin's address also finds the coin`)

/** A place after a trade of each network: [network, day, block, transaction, position]. */
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
  summary: 'Trades of all kept days, by filters',
  description:
    'In the order of time; at one time by network (eth, bsc, polygon) and place in the block. A search reads a bounded ' +
    'number of rows per page: with filters that few trades match, a page may be short or empty and still have a `next`.',
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
