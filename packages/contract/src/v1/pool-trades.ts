import { z } from 'zod'
import { networkParameter } from '../parameters.ts'
import { addressText, decimalText, integerText, orNull, transactionHash, usdText } from '../response-texts.ts'
import { lakeHeaders, networkHeaders, poolParameter, timeParameter } from './parameters.ts'
import type { ListRoute } from './route.ts'
import { flags, tokenLeg } from './swaps.ts'

const poolTrade = z
  .strictObject({
    time: z.iso.datetime().meta({ description: 'Time of the block' }),
    block_number: integerText(),
    tx_hash: transactionHash(),
    transaction_index: z.int().min(0),
    position: z.int().min(0).meta({
      description: 'Position, within the transaction, of the trade of `/v1/swaps` to which the hop belongs',
    }),
    log_index: z.int().min(0),
    trader: orNull(addressText(), 'The account that signed the transaction; null if unknown'),
    side: z
      .enum(['buy', 'sell'])
      .meta({ description: '`buy`: the pool paid out the base token; `sell`: it received it' }),
    base_token: tokenLeg.meta({ description: 'Of the two tokens, the one that is not money, as in `/v1/pools`' }),
    quote_token: tokenLeg,
    price_usd: orNull(
      decimalText(),
      'USD per whole base token, rounded down to 18 digits. The prices of candles come from these; null if the hop sets none',
    ),
    price_quote: orNull(
      decimalText(),
      'Quote tokens per base token, rounded down to 18 digits; null if decimals are unknown or an amount is zero',
    ),
    volume_usd: orNull(usdText(), 'Null if the value is unknown'),
    flags: flags.meta({ description: 'What is unusual about the value, as in `/v1/swaps`; such a hop sets no price' }),
    final: z.boolean().meta({ description: '`false` while the chain can still roll the block back' }),
  })
  .meta({ id: 'PoolTrade' })

/** A place between two hops: [day, block, transaction, position, log]; the hops up to the log are before it. */
const at = z.tuple([
  z.int().min(-1_000_000).max(1_000_000),
  z.int().min(0),
  z.int().min(0).max(2_147_483_647),
  z.int().min(-1).max(2_147_483_647),
  z.int().min(-1).max(2_147_483_647),
])

export const listPoolTrades = {
  kind: 'list',
  operation: 'listPoolTrades',
  path: '/v1/pools/{network}/{address}/trades',
  summary: 'The trades of a pool: its swap events, with side and price',
  description:
    'One row per swap event of the pool (hop), in the order of the trades of `/v1/swaps`. The values of the rows of an ' +
    "interval add up to the volume of the pool's candle and of `/v1/volume`. A search reads a bounded number of rows " +
    'per page, so for a pool that is rarely traded, a page may be short or empty and still have a `next`.',
  maxAgeS: 1,
  failures: [404],
  headers: networkHeaders.extend(lakeHeaders),
  filters: {
    network: networkParameter,
    address: poolParameter('address', 'The pool'),
    from: timeParameter('from', 'Only blocks at this time or later').optional(),
    to: timeParameter('to', 'Only blocks before this time').optional(),
  },
  row: poolTrade,
  at,
  order: 'desc',
} as const satisfies ListRoute
