import { z } from 'zod'
import { choiceParameter, NETWORK_VALUES, networkParameter } from '../parameters.ts'
import { addressText, integerText, orNull, poolText, transactionHash, usdText } from '../response-texts.ts'
import { addressParameter, networkHeaders, poolParameter, timeParameter, usdParameter } from './parameters.ts'
import type { ListRoute } from './route.ts'
import { tokenLeg } from './swaps.ts'

const KINDS = ['add', 'remove'] as const

const movedToken = tokenLeg
  .extend({
    amount: orNull(integerText(), 'Amount in base units, without collected fees; null if the event does not tell it'),
  })
  .meta({ id: 'LiquidityToken' })

const liquidityEvent = z
  .strictObject({
    time: z.iso.datetime().meta({ description: 'Time of the block' }),
    network: z.enum(NETWORK_VALUES),
    block_number: integerText(),
    tx_hash: transactionHash(),
    transaction_index: z.int().min(0),
    log_index: z.int().min(0),
    kind: z.enum(KINDS),
    account: orNull(addressText(), 'The account that signed the transaction; null if unknown'),
    protocol: z.string().meta({ description: 'Name of the DEX' }),
    pool: poolText(),
    tokens: z.array(movedToken).meta({ description: 'All tokens of the pool' }),
    value_usd: orNull(
      usdText(),
      'Value of the tokens with a trusted price before the block, nothing for the others, as `liquidity_usd` of a pool; ' +
        'null without such a token, or if the amounts are unknown',
    ),
    liquidity: orNull(integerText(), 'Concentrated liquidity between the two ticks; null for other pools'),
    tick_lower: z.int().nullable(),
    tick_upper: z.int().nullable(),
    final: z.boolean().meta({ description: '`false` while the chain can still roll the block back' }),
  })
  .meta({ id: 'LiquidityEvent' })

/** A place between two events: [time in seconds, block, log]. */
const at = z.tuple([z.int().min(0).max(7_258_118_400), z.int().min(0), z.int().min(-1).max(2_147_483_647)])

export const listLiquidityEvents = {
  kind: 'list',
  operation: 'listLiquidityEvents',
  path: '/v1/liquidity_events',
  summary: 'Liquidity added to pools and removed from them',
  description:
    'Sorted by time and position in the block. For pairs (Uniswap V2, Solidly and their forks), concentrated liquidity ' +
    '(Uniswap V3 and V4, Algebra, PancakeSwap Infinity), bins (Liquidity Book, Infinity), Balancer V2 and V3, and Curve. Events ' +
    'of Uniswap V4 and Infinity CL tell only `liquidity`; their amounts are known if the pool was created or traded ' +
    'earlier in the same block. A page examines a bounded number of rows, so with `kind`, `min_usd`, or `pool` together ' +
    'with `account`, it may be short or empty and still have a `next`. Kept as long as swaps are.',
  maxAgeS: 1,
  failures: [404],
  headers: networkHeaders,
  filters: {
    network: networkParameter,
    pool: poolParameter('pool', 'Only events of this pool').optional(),
    account: addressParameter('account', 'Only transactions that this account signed').optional(),
    kind: choiceParameter('kind', KINDS).optional().meta({ description: 'Only additions, or only removals' }),
    from: timeParameter('from', 'Only blocks at this time or later').optional(),
    to: timeParameter('to', 'Only blocks before this time').optional(),
    min_usd: usdParameter('min_usd', 'Only events worth at least this much').optional(),
  },
  row: liquidityEvent,
  at,
  order: 'desc',
} as const satisfies ListRoute
