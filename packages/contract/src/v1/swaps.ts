import { NETWORK_NAMES, USD_SOURCES, VALUE_FLAGS } from '@dexfeed/dex'
import { z } from 'zod'
import { NETWORK_VALUES, networkParameter, tokenParameter } from '../parameters.ts'
import { addressText, decimalText, integerText, orNull, poolText, transactionHash, usdText } from '../response-texts.ts'
import {
  addressParameter,
  hashParameter,
  lakeHeaders,
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
    decimals: orNull(integerText(), 'Null if the contract returns no usable value'),
    address: addressText().meta({ description: 'Address with EIP-55 checksum; empty for the coin of the network' }),
    amount: integerText().meta({ description: 'Amount in base units' }),
    amount_decimal: orNull(
      z.string().regex(/^(0|[1-9]\d*)\.\d{8,}$/),
      'Exact amount in whole units; null if the decimals are unknown',
    ),
  })
  .meta({ id: 'SwapLeg' })

export const flags = z.array(z.enum(VALUE_FLAGS.map(({ name }) => name)))

export const hop = z
  .strictObject({
    protocol: orNull(z.string(), 'Name of the DEX'),
    pool: poolText().nullable(),
    log_index: z.int().min(0),
    token_in: addressText().meta({ description: 'The token that the pool received; the coin appears as its wrapper' }),
    amount_in: integerText(),
    token_out: addressText().meta({ description: 'The token that the pool paid out; the coin appears as its wrapper' }),
    amount_out: integerText(),
    trade_volume_usd: usdText().nullable(),
  })
  .meta({ id: 'SwapHop' })

export const swap = z
  .strictObject({
    time: z.iso.datetime().meta({ description: 'Time of the block' }),
    network: z.enum(NETWORK_VALUES),
    block_number: integerText(),
    tx_hash: transactionHash(),
    transaction_index: z.int().min(0),
    position: z.int().min(0).meta({ description: 'Position of the trade within its transaction' }),
    trader: orNull(addressText(), 'The account that signed the transaction; null if unknown'),
    settled_for: orNull(
      addressText(),
      'The account for which a settlement traded, according to its event; null for other trades',
    ),
    sell_token: tokenLeg,
    buy_token: tokenLeg,
    side: orNull(
      z.enum(['buy', 'sell']),
      'Whether the trader bought or sold the token that is not money (`base_token` of `/v1/pools`); null if both tokens ' +
        'are money of the same kind, or neither is money',
    ),
    price: orNull(
      decimalText(),
      'What a whole token of that kind cost, or brought, in the other token: the ratio of the two amounts, rounded down ' +
        'to 18 digits. Null if `side` or the decimals are unknown, or an amount is zero',
    ),
    trade_volume_usd: orNull(usdText(), 'Null if no price is known'),
    usd_source: orNull(
      z.enum(USD_SOURCES),
      'Where the value comes from (docs/internals/usd.md); null if there is none',
    ),
    flags: flags.meta({
      description:
        'What is unusual about the value. `capped`: the value is limited to what the pools held, or leaves out money that ' +
        'only went round within the transaction. `partial`: the account also gave or got something else; or what it ' +
        'traded is shown only by a token that anybody could have created, so the tokens are those of the pools; or a ' +
        'fee in coins, which logs do not show, may have been taken from what it bought; or the value of part of the ' +
        'trade is unknown. `depegged`: a stablecoin that sets the value is off its peg. `disagreement`: the values of ' +
        'the two legs differ by more than 5 %. `jit-liquidity`: the transaction added the liquidity that it swapped ' +
        'with, and removed it afterwards. `amounts-differ`: an amount, or the price that both amounts give, differs by ' +
        "more than a fifth from the pools' amounts. `old-price`: most of the money that sets the price was in pools " +
        'that had not traded for half an hour. `unconfirmed`: the transfers into and out of a pool do not confirm the ' +
        'event of the pool; if they show amounts, those count. `closed-loop`: all value went round: nobody outside the ' +
        'pools gave or got more than 1 % of it in the transaction, as in arbitrage and wash trading. `settlement`: an ' +
        'order that the event of a settlement states, of which pools filled only a part or nothing; the rest counts ' +
        "only as far as the order's owner paid or received it",
    }),
    hops: z.array(hop).meta({
      description:
        'The hops of the trade, in order; empty if not stored, or if no pool took part in the order. If several trades of ' +
        'a transaction share a hop, the whole hop is listed with the trade that has the largest part of it',
    }),
    final: z.boolean().meta({ description: '`false` while the chain can still roll the block back' }),
  })
  .meta({ id: 'Swap' })

const FORM = 'contract address, or with `network` its symbol. The wrapped coin also finds the coin'
const token = (name: string, what: string) =>
  tokenParameter(name, `Only trades that ${what} this token: its ${FORM}`, 'coin')

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
  summary: 'Trades of all stored days, with filters',
  description:
    'Sorted by time, then by network (eth, bsc, polygon) and position in the block. A search reads a bounded number of ' +
    'rows per page, so with filters that few trades match, a page may be short or empty and still have a `next`. ' +
    'If the server reads the lake (docs/guide/lake.md), pages go on into days that are no longer stored.',
  maxAgeS: 1,
  failures: [404],
  headers: z.object({
    'X-Indexed-Block': z.string().meta({
      description: 'The last indexed block of each network, such as `eth=123, bsc=456`',
      example: 'bsc=48213377',
    }),
    ...lakeHeaders,
  }),
  filters: {
    network: networkParameter.optional(),
    token: token('token', 'sell or buy').optional(),
    sell_token: token('sell_token', 'sell').optional(),
    buy_token: token('buy_token', 'buy').optional(),
    pool: poolParameter('pool', 'Only trades that went through this pool').optional(),
    protocol: protocolParameter('protocol').optional(),
    trader: addressParameter('trader', 'Only trades that this account signed').optional(),
    tx_hash: hashParameter('tx_hash', 'Only trades of this transaction').optional(),
    from: timeParameter('from', 'Only blocks at this time or later').optional(),
    to: timeParameter('to', 'Only blocks before this time').optional(),
    min_usd: usdParameter('min_usd', 'Only trades worth at least this much').optional(),
    max_usd: usdParameter('max_usd', 'Only trades worth at most this much').optional(),
  },
  row: swap,
  at,
  order: 'desc',
} as const satisfies ListRoute
