import { z } from 'zod'
import type { ForeignRoute } from '../open-api-responses.ts'
import { networkParameter, textParameter } from '../parameters.ts'
import { addressText, decimalText, transactionHash } from '../response-texts.ts'
import { addressParameter, POOL_FORM } from '../v1/parameters.ts'
import type { RequestOf } from '../v1/route.ts'

// The adapter protocol of DEX Screener (dexscreener.notion.site, "DEX Screener Adapter Specs", version 1.1). Its optional
// fields are left out where the value is unknown.

const PAIR_FORM = `${POOL_FORM}(-0x[0-9a-fA-F]{40}-0x[0-9a-fA-F]{40})?`

const pairId = textParameter('id', 'the pairId of an event', new RegExp(`^${PAIR_FORM}$`))
  .transform((text) => text.toLowerCase())
  .meta({ pattern: `^${PAIR_FORM}$`, description: 'The `pairId` of an event' })

const blockParameter = (name: string, description: string) =>
  textParameter(name, 'a block number', /^\d{1,9}$/)
    .transform(Number)
    .meta({ description, example: '48213377' })

const block = z
  .strictObject({
    blockNumber: z.int().min(0),
    blockTimestamp: z.int().meta({ description: 'In seconds since 1970' }),
  })
  .meta({ id: 'DexscreenerBlock' })

const pairText = z
  .string()
  .meta({ description: "The pool's `address` in `/v1`; in a pool of several tokens, followed by the two tokens" })

const amount = decimalText().optional().meta({ description: 'In whole tokens' })

const place = {
  block,
  txnId: transactionHash(),
  txnIndex: z.int().min(0),
  eventIndex: z.int().min(0).meta({ description: 'Index of the log in its block' }),
  maker: addressText().nullable().meta({
    description: 'The account for which a settlement traded, or else the signer; null if it is unknown',
  }),
  pairId: pairText,
}

const swap = z
  .strictObject({
    ...place,
    eventType: z.literal('swap'),
    asset0In: amount,
    asset1In: amount,
    asset0Out: amount,
    asset1Out: amount,
    priceNative: decimalText().meta({ description: 'Price of `asset0` in `asset1`: the ratio of the two amounts' }),
  })
  .meta({ id: 'DexscreenerSwap' })

const joinExit = z
  .strictObject({
    ...place,
    eventType: z.enum(['join', 'exit']).meta({ description: 'Whether the account added or removed liquidity' }),
    amount0: decimalText(),
    amount1: decimalText(),
  })
  .meta({ id: 'DexscreenerJoinExit' })

export const DEXSCREENER_ROUTES = {
  latestBlock: {
    path: '/adapters/dexscreener/{network}/latest-block',
    summary: 'DEX Screener adapter: the last block up to which every block is indexed',
    request: { network: networkParameter },
    body: z.strictObject({ block }).meta({ id: 'DexscreenerLatestBlock' }),
  },
  asset: {
    path: '/adapters/dexscreener/{network}/asset',
    summary: 'DEX Screener adapter: a token',
    request: { network: networkParameter, id: addressParameter('id', 'The address of the token') },
    body: z
      .strictObject({
        asset: z.strictObject({
          id: addressText(),
          name: z.string().min(1).meta({ description: 'The address if the contract has none' }),
          symbol: z.string().min(1),
          totalSupply: amount,
        }),
      })
      .meta({ id: 'DexscreenerAsset' }),
  },
  pair: {
    path: '/adapters/dexscreener/{network}/pair',
    summary: 'DEX Screener adapter: a pool, or two tokens of a pool of several',
    request: { network: networkParameter, id: pairId },
    body: z
      .strictObject({
        pair: z.strictObject({
          id: pairText,
          dexKey: z.string(),
          asset0Id: addressText().meta({ description: 'The coin appears as its wrapper' }),
          asset1Id: addressText(),
          createdAtBlockNumber: z.int().min(0).optional(),
          createdAtBlockTimestamp: z.int().optional(),
          createdAtTxnId: transactionHash().optional(),
          feeBps: z.number().min(0).optional().meta({ description: 'Left out if it varies' }),
        }),
      })
      .meta({ id: 'DexscreenerPair' }),
  },
  events: {
    path: '/adapters/dexscreener/{network}/events',
    summary: 'DEX Screener adapter: swaps and liquidity events of all pools in a range of blocks',
    description:
      'All events of the range, or an error: 503 if a block is not indexed, 404 if blocks have been deleted, 400 if the ' +
      'range has more than 5,000 trades or liquidity events. A single block is always answered whole.',
    request: {
      network: networkParameter,
      fromBlock: blockParameter('fromBlock', 'The first block'),
      toBlock: blockParameter('toBlock', 'The last block'),
    },
    headers: z.object({
      'X-Left-Out-Events': z.string().meta({
        description:
          'Number of events that the protocol cannot state: of a token with unknown decimals, swaps with an amount of ' +
          'zero, and liquidity of unknown amounts or of more than two tokens',
        example: '0',
      }),
    }),
    body: z.strictObject({ events: z.array(z.union([swap, joinExit])) }).meta({ id: 'DexscreenerEvents' }),
  },
} as const satisfies Record<string, ForeignRoute>

export type DexscreenerRoutes = typeof DEXSCREENER_ROUTES
export type DexscreenerBody<Name extends keyof DexscreenerRoutes> = z.output<DexscreenerRoutes[Name]['body']>
export type DexscreenerRequest<Name extends keyof DexscreenerRoutes> = RequestOf<DexscreenerRoutes[Name]['request']>
