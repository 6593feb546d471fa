import { z } from 'zod'
import { NETWORK_VALUES } from './parameters.ts'
import { addressText, decimalText, integerText, orNull, transactionHash, usdText } from './response-texts.ts'

const tokenFields = {
  name: z.string().meta({ description: 'Token name', example: 'Wrapped BNB' }),
  symbol: z.string().meta({ description: 'Token symbol', example: 'WBNB' }),
  decimals: integerText().meta({ description: 'Number of decimals of the token', example: '18' }),
  address: addressText().meta({
    description: 'Token contract address with EIP-55 checksum; empty for the native coin of the network',
    example: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c',
  }),
}

export const tokenMetadata = z.strictObject(tokenFields).meta({ id: 'TokenMetadata' })
export type TokenMetadata = z.infer<typeof tokenMetadata>

export const quoteResponse = z
  .strictObject({
    result: z
      .strictObject({
        network: z.enum(NETWORK_VALUES).meta({ description: 'The selected network' }),
        sell_token: tokenMetadata,
        buy_token: tokenMetadata,
        price: decimalText().meta({
          description:
            'Amount of buy_token received for 1 unit of sell_token, including fees and price impact but not gas',
          example: '612.481',
        }),
      })
      .meta({ id: 'Quote' }),
  })
  .meta({ id: 'QuoteResponse' })
export type QuoteResponse = z.infer<typeof quoteResponse>

const swapTokenLeg = z
  .strictObject({
    ...tokenFields,
    amount: integerText().meta({ description: "Amount in the token's smallest unit", example: '1500000000000000000' }),
    amount_decimal: z
      .string()
      .regex(/^(0|[1-9]\d*)\.\d{8,}$/)
      .meta({
        description: 'Exact amount in whole units, with at least eight fractional digits',
        example: '1.50000000',
      }),
  })
  .meta({ id: 'SwapTokenLeg' })

export const swapTransaction = z
  .strictObject({
    tx_hash: transactionHash().meta({ description: 'Transaction hash' }),
    block_number: integerText().meta({ description: 'Block in which the swap was recorded', example: '48213377' }),
    sell_token: swapTokenLeg,
    buy_token: swapTokenLeg,
    trade_volume_usd: usdText().meta({
      description: 'Value of the swap in USD; also 0.00000000 if no price is known',
      example: '918.72150000',
    }),
  })
  .meta({ id: 'SwapTransaction' })
export type SwapTransaction = z.infer<typeof swapTransaction>

export const swapsResponse = z.array(swapTransaction).meta({ id: 'SwapTransactions' })

const dayVolume = z
  .strictObject({
    date: z.iso.date().meta({ description: 'The day (UTC)', example: '2026-11-21' }),
    address_count: integerText().meta({
      description: 'Number of distinct addresses that traded on that day',
      example: '1250',
    }),
    trade_volume_usd: usdText().meta({ description: 'Trade volume of that day in USD', example: '1203344.18000000' }),
  })
  .meta({ id: 'DayVolume' })
export type DayVolume = z.infer<typeof dayVolume>

export const volumeResponse = z.array(dayVolume).length(7).meta({ id: 'DayVolumes', minItems: 7, maxItems: 7 })

export const errorResponse = z
  .strictObject({ error: z.string().min(1).meta({ description: 'What went wrong, in plain words' }) })
  .meta({ id: 'Failure' })

export const healthResponse = z.strictObject({ status: z.literal('ok') }).meta({ id: 'Health' })

const blockRange = z.strictObject({ from: z.int().min(0), to: z.int().min(0) }).meta({ id: 'BlockRange' })

const backfillStatus = z
  .strictObject({
    done_blocks: z.int().min(0).meta({ description: 'Number of final blocks since the start whose swaps are stored' }),
    total_blocks: z.int().min(0).meta({ description: 'Number of final blocks since the start' }),
    blocks_per_s: orNull(z.number().min(0), 'Null if no gap is being filled'),
    eta_seconds: orNull(z.int().min(0), 'Time until everything is stored at that speed'),
  })
  .meta({ id: 'BackfillStatus' })

const endpointUse = z
  .strictObject({
    endpoint: z.int().min(1).meta({ description: 'Position of the endpoint in <NETWORK>_RPC_URL, starting at 1' }),
    items: z.int().min(0).meta({ description: 'Number of requests; each item of a batch counts' }),
    refused: z.int().min(0).meta({ description: 'How many of them the endpoint refused because of its rate limit' }),
    failed: z.int().min(0).meta({ description: 'How many of them failed for another reason' }),
    budget_per_s: orNull(
      z.number().min(0),
      'Configured or learnt budget per second, in requests or compute units; null if no limit is known',
    ),
  })
  .meta({ id: 'EndpointUse' })

const networkStatus = z
  .strictObject({
    network: z.enum(NETWORK_VALUES),
    ready: z.boolean().meta({
      description: 'Whether the start window is indexed, the head is recent, and the most traded pools have been read',
    }),
    chain_head: orNull(z.int(), "The chain's head when the last block was indexed"),
    indexed_block: orNull(z.int(), 'The last indexed block'),
    indexed_block_time: z.iso.datetime().nullable(),
    final_block: orNull(z.int(), 'Blocks up to this one cannot be rolled back'),
    lag_blocks: z.int().min(0).nullable(),
    lag_seconds: orNull(z.int().min(0), 'Age of the last indexed block'),
    start_block: orNull(z.int(), 'The first block to index; null until the node has reported it'),
    covered: z.array(blockRange).meta({ description: 'Block ranges whose swaps are stored' }),
    gaps: z
      .array(blockRange)
      .meta({ description: 'Block ranges that are missing between the start and the last indexed block' }),
    backfill: backfillStatus,
    old_rows: orNull(
      z.strictObject({
        blocks: z.int().min(1).meta({ description: 'Number of final blocks since the start that have such rows' }),
        eta_seconds: z
          .int()
          .min(0)
          .nullable()
          .meta({ description: 'Time until no such block is left; null if unknown' }),
      }),
      'Rows that an older version derived by different rules. They are served as they are; once no block is missing, ' +
        'the indexer derives them again, newest first',
    ),
    degraded: orNull(z.string(), 'Why this network makes no progress; null if it does'),
    unproven: orNull(
      z.iso.datetime(),
      'Since when blocks have been read without proof, because no endpoint serves the receipts of whole blocks; null if they are proven',
    ),
    unknown_headers: orNull(
      z.strictObject({
        from_block: z.int().min(0).meta({ description: 'The first of these blocks' }),
        fields: z.array(z.string()).max(8).meta({ description: 'Names of the unknown fields' }),
        since: z.iso.datetime(),
      }),
      'Blocks that are read without proof because their headers have unknown fields. The chain has forked: update ' +
        'dexfeed',
    ),
    pools_without_state: z.int().min(0).meta({
      description:
        'Number of pools with trades in the last day whose state has not been read yet; quotes do not use them',
    }),
    awaiting_keys: orNull(
      z.strictObject({
        blocks: z.int().min(1).meta({ description: 'Number of blocks that wait' }),
        pools: z.int().min(1).meta({ description: 'Number of pools whose keys are missing' }),
        since: z.iso.datetime().meta({ description: 'Since when the indexer has been looking for these keys' }),
      }),
      'Blocks that wait until the keys of their pools inside managers (Uniswap V4) are found in old logs. After ten ' +
        'minutes the network counts as ready without them',
    ),
    unread_venues: orNull(
      z.strictObject({
        receipts: z
          .int()
          .min(1)
          .meta({ description: 'Number of recent receipts that look like a swap, in a sample of one block in eight' }),
        unread_share: z
          .number()
          .min(0)
          .max(1)
          .meta({ description: 'Share of these receipts, from 0 to 1, that no known venue explains' }),
        venues: z
          .array(
            z.strictObject({
              emitter: z.string().meta({ description: 'The contract that emitted the event' }),
              topic: z.string().meta({ description: 'First topic of that event' }),
              receipts: z.int().min(1),
            }),
          )
          .max(20)
          .meta({ description: 'The contracts that emitted these swaps, most frequent first' }),
      }),
      'Which venues to add next; null while nothing is counted, because the indexer reads no whole blocks',
    ),
    budget_shortfall: orNull(
      z.string(),
      'Which budgets of RPC endpoints are too low to follow the head; null if none is',
    ),
    endpoints: z.array(endpointUse).meta({
      description:
        'Requests that the process at the head sent to each RPC endpoint in the last minute; empty if unknown',
    }),
    queue: orNull(
      z.strictObject({
        waiting: z.int().min(0),
        taken: z.int().min(0).meta({ description: 'Number of jobs that a worker is running' }),
        failed: z.int().min(0).meta({ description: 'Number of jobs that failed and will be retried' }),
        workers: z
          .int()
          .min(0)
          .nullable()
          .meta({ description: 'Number of workers in all processes; null while no block is missing' }),
      }),
      'The queue of history jobs; null if unknown',
    ),
  })
  .meta({ id: 'NetworkStatus' })
export type NetworkStatus = z.infer<typeof networkStatus>

export const statusResponse = z
  .strictObject({
    ready: z.boolean(),
    networks: z.array(networkStatus),
    unindexed_days: z.array(z.iso.date()).meta({
      description: 'Days that are still being filled in; searches by trader or transaction are slower on them',
    }),
  })
  .meta({ id: 'Status' })
export type StatusResponse = z.infer<typeof statusResponse>
