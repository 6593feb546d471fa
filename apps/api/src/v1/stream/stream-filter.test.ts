import { parseStreamRequest, type StreamRequest, type WithAddresses } from '@dexfeed/contract'
import { ZERO_ADDRESS } from '@dexfeed/dex'
import type { FoundLiquidity, SwapWithHops } from '@dexfeed/store'
import { hexNumber } from '@dexfeed/test-setup/seed'
import { expect, it } from 'vitest'
import { tokenEvent } from '../recent/edge-event.ts'
import { streamFilter } from './stream-filter.ts'

const [WRAPPER, OTHER] = [hexNumber(1), hexNumber(2)]
const COIN = `0x${'e'.repeat(40)}`
const ID = hexNumber(0x777n << 8n, 64)
const POOL = `${hexNumber(0x3a)}${ID.slice(2)}` as const
const NETWORKS = [
  { network: 'bsc', wrappedNative: WRAPPER },
  { network: 'eth', wrappedNative: OTHER },
] as const

/** Sells the coin for its wrapper. */
const SWAP: SwapWithHops = {
  ...{ network: 'bsc', time: 1, blockNumber: 1, transactionIndex: 0, position: 0, txHash: hexNumber(9, 64) },
  ...{ sellToken: WRAPPER, sellNative: true, sellAmount: '1', buyToken: WRAPPER, buyNative: false, buyAmount: '1' },
  ...{ volumeUsd: null, usdSource: null, flags: 0, flagged: false, trader: null, settledFor: null },
  hops: [
    {
      ...{
        blockNumber: 1,
        transactionIndex: 0,
        position: 0,
        logIndex: 1,
        poolKey: '0',
        pool: { address: POOL, dex: 'a' },
      },
      ...{ tokenIn: WRAPPER, amountIn: '1', tokenOut: OTHER, amountOut: '1', volumeUsd: null, flags: 0 },
    },
  ],
}

const AT = { symbol: null, side: null, block_number: '1', time: '2026-11-21T12:00:00.000Z' } as const

const filterOf = (query: object) =>
  streamFilter(parseStreamRequest({ ...query }) as WithAddresses<StreamRequest>, NETWORKS)

it.each([
  [{ token: '' }, true],
  [{ token: WRAPPER }, true],
  [{ token: OTHER }, false],
  [{ token: `${OTHER},${COIN}` }, true],
  [{ token: `${OTHER},${WRAPPER}`, min_usd: '1' }, false],
  [{ sell_token: COIN }, true],
  [{ sell_token: WRAPPER }, true],
  [{ buy_token: COIN }, false],
  [{ buy_token: WRAPPER }, true],
  [{ pool: ID }, true],
  [{ pool: POOL }, true],
  [{ pool: hexNumber(0x3a) }, false],
  [{ pool: hexNumber(0x778n << 8n, 64) }, false],
  [{ pool: ID, protocol: 'b' }, false],
])('%j takes a sale of the coin in a managed pool: %s', (query, isTaken) => {
  expect(filterOf(query).takes({ name: 'swap', json: '', swap: SWAP })).toBe(isTaken)
})

it('takes candles and prices of the wrapper for the coin, by network', () => {
  const { takes } = filterOf({ events: 'price', token: COIN })
  const price = (network: 'bsc' | 'eth', token: typeof WRAPPER) =>
    takes(tokenEvent('price', token, { network, token, price_usd: null, ...AT }))
  expect([price('bsc', WRAPPER), price('eth', OTHER)]).toEqual([true, true])
  expect([price('bsc', OTHER), price('eth', WRAPPER)]).toEqual([false, false])
  const several = filterOf({ events: 'price', token: `${hexNumber(7)},${OTHER}` })
  const taken = [WRAPPER, OTHER, hexNumber(7)].map((token) =>
    several.takes(tokenEvent('price', token, { network: 'bsc', token, price_usd: null, ...AT })),
  )
  expect(taken).toEqual([false, true, true])
  expect(several.key).not.toBe(filterOf({ events: 'price' }).key)
})

it.each([
  [{}, true],
  [{ token: '' }, true],
  [{ token: WRAPPER }, false],
  [{ token: OTHER }, true],
  [{ pool: ID, protocol: 'a' }, true],
  [{ protocol: 'b' }, false],
  [{ pool: hexNumber(0x778n << 8n, 64) }, false],
])('%j takes liquidity of a managed pool of the coin: %s', (query, isTaken) => {
  const liquidity: FoundLiquidity = {
    ...{ network: 'bsc', time: 1, blockNumber: 1, transactionIndex: 0, logIndex: 0, txHash: hexNumber(9, 64) },
    ...{ account: null, pool: POOL, dex: 'a', coins: [ZERO_ADDRESS, OTHER], isAdded: true },
    ...{ amounts: null, range: null, valueUsd: null },
  }
  expect(filterOf({ ...query, events: 'liquidity' }).takes({ name: 'liquidity', json: '', liquidity })).toBe(isTaken)
  expect(filterOf(query).takes({ name: 'liquidity', json: '', liquidity })).toBe(false)
})
