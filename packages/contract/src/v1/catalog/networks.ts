import { z } from 'zod'
import { NETWORK_VALUES } from '../../parameters.ts'
import { integerText, orNull } from '../../response-texts.ts'
import type { ReadRoute } from '../route.ts'
import { figureHeaders, poolToken } from './catalog.ts'

const coverage = z
  .strictObject({
    from_block: orNull(
      integerText(),
      'Every block from here to `indexed_block` is indexed; null while that block is in no such range',
    ),
    since: orNull(z.iso.datetime(), 'Time of `from_block`'),
    done_blocks: z.int().min(0).meta({ description: 'Number of final blocks since the start whose trades are stored' }),
    total_blocks: z.int().min(0).meta({ description: 'Number of final blocks since the start' }),
    gaps: z
      .int()
      .min(0)
      .meta({ description: 'Number of block ranges that are missing between the start and `indexed_block`' }),
  })
  .meta({ id: 'NetworkCoverage' })

const network = z
  .strictObject({
    network: z.enum(NETWORK_VALUES).meta({ description: 'The value of the parameter `network`' }),
    chain_id: z.int().min(1).meta({ example: 56 }),
    coin: poolToken.meta({ description: 'The coin itself; its address is empty' }),
    wrapped_coin: poolToken.meta({ description: 'The contract that wraps the coin' }),
    stablecoins: z.array(poolToken).meta({ description: 'The stablecoins that are used to value trades' }),
    ready: z.boolean().meta({ description: 'The same as in `/status`' }),
    proven: z
      .boolean()
      .meta({ description: '`false` while the indexer cannot prove the receipts of the blocks that it reads' }),
    chain_head: orNull(integerText(), "The chain's head when the last block was indexed"),
    indexed_block: orNull(integerText(), 'The last indexed block; null if there is none yet'),
    indexed_block_time: z.iso.datetime().nullable(),
    final_block: orNull(integerText(), 'Blocks up to this one cannot be rolled back'),
    lag_blocks: orNull(z.int().min(0), 'Number of blocks between the head and `indexed_block`'),
    lag_seconds: orNull(z.int().min(0), 'Age of `indexed_block`'),
    coverage,
    kept_since: orNull(
      z.iso.datetime(),
      'Trades and candles before this time were deleted (`RETENTION_DAYS`); null if none were',
    ),
    pools: z.int().min(0).meta({ description: 'Number of verified pools with at least one trade' }),
    tokens: z.int().min(0).meta({ description: 'Number of tokens in these pools or on the curated list' }),
    protocols: z.int().min(0).meta({ description: 'Number of DEXes that have such a pool' }),
  })
  .meta({ id: 'Network' })

export const listNetworks = {
  kind: 'read',
  operation: 'listNetworks',
  path: '/v1/networks',
  summary: 'The indexed networks: what a client needs to start',
  description: 'In the order eth, bsc, polygon. Pools, tokens and protocols are counted once a minute.',
  maxAgeS: 1,
  failures: [],
  headers: figureHeaders,
  request: {},
  body: z.strictObject({ data: z.array(network) }).meta({ id: 'Networks' }),
} as const satisfies ReadRoute
