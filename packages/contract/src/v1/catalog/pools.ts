import { z } from 'zod'
import { NETWORK_VALUES, networkParameter, tokenParameter } from '../../parameters.ts'
import { addressText, decimalText, integerText, orNull, poolText, transactionHash } from '../../response-texts.ts'
import { poolParameter, protocolParameter, timeParameter } from '../parameters.ts'
import type { ListRoute, ReadRoute } from '../route.ts'
import {
  catalogPlace,
  figureFilters,
  figureHeaders,
  figures,
  flow,
  ORDER_BY,
  orderParameter,
  poolToken,
} from './catalog.ts'

const poolState = z
  .strictObject({
    block_number: integerText().meta({ description: 'The block after which the pool had this state' }),
    kind: z.string().meta({ description: '`pair`, `concentrated`, or the name of the formula of the pool' }),
    balances: orNull(
      z.array(integerText()),
      'For other kinds: at most how much of each of the `tokens` the pool can pay out',
    ),
    reserve0: orNull(integerText(), 'Reserve of the first token; null unless the pool is a pair'),
    reserve1: integerText().nullable(),
    sqrt_price_x96: orNull(integerText(), 'Null if the pool has no concentrated liquidity'),
    tick: z.int().nullable(),
    liquidity: orNull(integerText(), 'Liquidity in range'),
  })
  .meta({ id: 'PoolState' })

const CREATION_READ = 'null if the block that created the pool, or an event that says so, was not read'

const creation = {
  created_at: orNull(z.iso.datetime(), `Time of the block that created the pool; ${CREATION_READ}`),
  created_block: integerText().nullable(),
  created_tx: orNull(transactionHash(), 'The transaction that created the pool'),
  creator: orNull(addressText(), 'The account that signed that transaction'),
}

export const pool = z
  .strictObject({
    network: z.enum(NETWORK_VALUES),
    address: poolText(),
    protocol: z.string().meta({ description: 'Name of the DEX' }),
    factory: addressText().meta({ description: 'The contract that confirms the pool' }),
    tokens: z.array(poolToken).min(2),
    fee_millionths: orNull(z.int().min(0).max(1_000_000), 'Null if it varies or is unknown'),
    tick_spacing: z.int().min(0).nullable(),
    hooks: orNull(
      addressText(),
      'A contract that may change the amounts and fees of every swap; null if there is none',
    ),
    state: orNull(
      poolState,
      'State at the indexed head; null if it has not been read yet, is known to be wrong, or the pool is `not_quoted`',
    ),
    not_quoted: orNull(
      z.enum(['unknown-code', 'unknown-rate', 'hooks']),
      'Why quotes do not use the pool. `unknown-code`: no known factory deployed it. `unknown-rate`: a contract that ' +
        'the creator of the pool chose sets one of its rates. `hooks`: its hooks may change or refuse swaps. Null if ' +
        'quotes use the pool, or leave it out for another reason, such as a kind that is not quoted',
    ),
    base_token: addressText().meta({
      description:
        'The token whose price is shown: of the two, the one that is not money. Its price comes from its trades against ' +
        'the other one',
    }),
    price_quote: orNull(
      decimalText(),
      'Price of the base token in the other token by the last trade that sets `price_usd`, with up to 18 digits',
    ),
    ...figures.shape,
    ...creation,
  })
  .meta({ id: 'Pool' })

const listedPool = pool.extend({ flow }).meta({ id: 'PoolWithFlow' })

export const listPools = {
  kind: 'list',
  operation: 'listPools',
  path: '/v1/pools',
  summary: 'Verified pools',
  description: 'Sorted by network and address, by a figure, or by the time of their creation (`order_by`).',
  maxAgeS: 5,
  failures: [404],
  filters: {
    network: networkParameter.optional(),
    token: tokenParameter(
      'token',
      'Only pools of this token: its contract address, or with `network` its symbol. Some managers have pools of the ' +
        'coin itself',
      'coin',
    ).optional(),
    other_token: tokenParameter(
      'other_token',
      'Together with `token`: only pools of these two tokens',
      'coin',
    ).optional(),
    protocol: protocolParameter('protocol').optional(),
    ...figureFilters,
    order_by: orderParameter([...ORDER_BY, 'created']),
    created_after: timeParameter(
      'created_after',
      'Only pools created at this time or later; without those whose creation was not read',
    ).optional(),
  },
  headers: figureHeaders,
  row: listedPool,
  at: catalogPlace,
  order: 'asc',
  descendingBy: 'order_by',
} as const satisfies ListRoute

export const getPool = {
  kind: 'read',
  operation: 'getPool',
  path: '/v1/pools/{network}/{address}',
  summary: 'A pool',
  maxAgeS: 1,
  failures: [404],
  request: { network: networkParameter, address: poolParameter('address', 'The pool') },
  headers: figureHeaders,
  body: listedPool,
} as const satisfies ReadRoute
