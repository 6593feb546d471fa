import { z } from 'zod'
import { NETWORK_VALUES, networkParameter } from '../../network-parameter.ts'
import { addressText, integerText, orNull, poolText } from '../../response-texts.ts'
import { contractParameter, poolParameter, protocolParameter } from '../parameters.ts'
import type { ListRoute, ReadRoute } from '../route.ts'
import { catalogPlace, figureFilters, figureHeaders, figures, poolToken } from './catalog.ts'

const poolState = z
  .strictObject({
    block_number: integerText().meta({ description: 'The block that made it' }),
    kind: z.string().meta({ description: '`pair`, `concentrated`, or the name of the exact maths of the pool' }),
    balances: orNull(z.array(integerText()), 'Of other kinds: what it can pay of each of `tokens` at most'),
    reserve0: orNull(integerText(), 'Of the first token; null unless it is a pair'),
    reserve1: integerText().nullable(),
    sqrt_price_x96: orNull(integerText(), 'Null without concentrated liquidity'),
    tick: z.int().nullable(),
    liquidity: orNull(integerText(), 'In range'),
  })
  .meta({ id: 'PoolState' })

export const pool = z
  .strictObject({
    network: z.enum(NETWORK_VALUES),
    address: poolText(),
    protocol: z.string().meta({ description: 'Name of the DEX' }),
    factory: addressText().meta({ description: 'The contract that confirms it' }),
    tokens: z.array(poolToken).min(2),
    fee_millionths: orNull(z.int().min(0).max(1_000_000), 'Null if it varies or is unknown'),
    tick_spacing: z.int().min(0).nullable(),
    hooks: orNull(addressText(), 'A contract that may change amounts and fees of every swap'),
    state: orNull(poolState, 'At the indexed head; null if it is not read yet, is known to be wrong, or `not_quoted`'),
    not_quoted: orNull(
      z.enum(['unknown-code', 'unknown-rate', 'hooks']),
      'Why quotes do not use it. `unknown-code`: no known factory deployed it. `unknown-rate`: a contract that its ' +
        'maker chose sets a rate of it. `hooks`: its hooks may change or refuse swaps. Null: they do, or for another ' +
        'reason, such as a kind that is not quoted',
    ),
    base_token: addressText().meta({
      description: 'The token whose price is shown, in its trades against the other one: the one that is not money',
    }),
    ...figures.shape,
  })
  .meta({ id: 'Pool' })

export const listPools = {
  kind: 'list',
  operation: 'listPools',
  path: '/v1/pools',
  summary: 'Verified pools that had at least one trade',
  description: 'By network and address, or in the order of a figure.',
  maxAgeS: 5,
  failures: [404],
  filters: {
    network: networkParameter.optional(),
    token: contractParameter(
      'token',
      'Pools that exchange this token; some managers have pools of the coin itself',
    ).optional(),
    other_token: contractParameter('other_token', 'Together with `token`: pools that exchange these two').optional(),
    protocol: protocolParameter('protocol').optional(),
    ...figureFilters,
  },
  headers: figureHeaders,
  row: pool,
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
  body: pool,
} as const satisfies ReadRoute
