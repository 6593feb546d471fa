import { type Address, FLAG_CAPPED, FLAG_PARTIAL, type Token } from '@dexfeed/dex'
import type { SwapWithHops } from '@dexfeed/store'
import { hexNumber } from '@dexfeed/test-setup/seed'
import { describe, expect, it } from 'vitest'
import { netOfPools, tradeNotes } from './trade-notes.ts'

const [A, B, C, D] = [hexNumber(0xa), hexNumber(0xb), hexNumber(0xc), hexNumber(0xd)]

type StoredHop = SwapWithHops['hops'][number]

const PLACE = { blockNumber: 7, transactionIndex: 1, position: 0 }

function hop(logIndex: number, tokenIn: Address, amountIn: number, tokenOut: Address, amountOut: number): StoredHop {
  const pool = { address: hexNumber(0x900 + logIndex), dex: 'uniswap-v2' }
  const amounts = { amountIn: String(amountIn), amountOut: String(amountOut) }
  return { ...PLACE, logIndex, poolKey: '0', pool, tokenIn, tokenOut, ...amounts, volumeUsd: null, flags: 0 }
}

/** A trade of 100 A for 50 B. */
function trade(hops: readonly StoredHop[], other: Partial<SwapWithHops> = {}): SwapWithHops {
  return {
    ...PLACE,
    ...{ network: 'eth', time: 1_763_700_000, txHash: hexNumber(1, 64), trader: hexNumber(2), settledFor: null },
    ...{ sellToken: A, sellNative: false, sellAmount: '100', buyToken: B, buyNative: false, buyAmount: '50' },
    ...{ volumeUsd: '1.00000000', usdSource: 0, flags: 0, flagged: false, hops },
    ...other,
  }
}

const TOKENS = new Map(
  [A, B, C, D].map((address): [Address, Token] => [address, { address, symbol: 'X', name: 'X', decimals: 18 }]),
)

function codes(
  swapWithHops: SwapWithHops,
  all: readonly SwapWithHops[] = [swapWithHops],
  tokens: typeof TOKENS = TOKENS,
): string[] {
  return tradeNotes(swapWithHops, all, netOfPools(swapWithHops.hops), tokens).map(
    ({ about, code }) => `${about} ${code}`,
  )
}

const AS_POOLS = ['sell as-pools', 'buy as-pools']
const STABLE = 'value usd-stablecoin'

describe('the row', () => {
  it('is one hop', () => {
    expect(codes(trade([hop(1, A, 100, B, 50)]))).toEqual(['row hop', ...AS_POOLS, STABLE])
  })

  it('is a route that nets to its two tokens', () => {
    expect(codes(trade([hop(1, A, 100, C, 7), hop(2, C, 7, B, 50)]))).toEqual(['row route', ...AS_POOLS, STABLE])
  })

  it('is one given for one got, where its hops do not net to two tokens', () => {
    expect(codes(trade([hop(1, A, 100, C, 7), hop(2, D, 3, B, 50)]))).toEqual(['row one-for-one', STABLE])
  })

  it('is a hop of a route that does not net to two tokens', () => {
    const there = trade([hop(1, A, 100, B, 50)])
    const back = { ...trade([hop(2, B, 50, A, 101)]), position: 1 }
    expect(codes(there, [there, back])[0]).toBe('row hop-of-route')
    const elsewhere = { ...trade([hop(2, C, 50, D, 101)]), position: 1 }
    expect(codes(there, [there, elsewhere])[0]).toBe('row hop')
    expect(codes(there, [there, { ...back, settledFor: D }])[0]).toBe('row hop')
  })

  it('has no stored hop', () => {
    const bare = trade([])
    expect(codes(bare)).toEqual(['row no-hop', STABLE])
    const [alone] = tradeNotes(bare, [bare], null, TOKENS)
    const [beside] = tradeNotes(bare, [bare, trade([hop(1, A, 1, B, 1)])], null, TOKENS)
    expect(alone?.text).not.toBe(beside?.text)
  })

  it('is of the account that a settlement names', () => {
    expect(codes(trade([hop(1, A, 100, B, 50)], { settledFor: D }))).toContain('row settled')
  })
})

describe('the ends', () => {
  it.each([
    [100, 50, 'sell as-pools', 'buy as-pools'],
    [99, 51, 'sell kept', 'buy kept'],
    [101, 49, 'sell further-source', 'buy further-source'],
  ])('when %d entered and %d left the pools', (entered, left, sell, buy) => {
    expect(codes(trade([hop(1, A, entered, B, left)])).slice(1, 3)).toEqual([sell, buy])
  })

  it('are in other tokens than those of the pools', () => {
    expect(codes(trade([hop(1, C, 100, B, 50)]))).toContain('sell unread-venue')
    expect(codes(trade([hop(1, A, 100, C, 50)]))).toContain('buy unread-venue')
  })

  it('are the coin itself', () => {
    expect(codes(trade([hop(1, A, 100, B, 50)], { sellNative: true }))).toContain('sell coin')
    expect(codes(trade([hop(1, A, 100, B, 50)], { buyNative: true }))).toContain('buy coin')
  })
})

describe('the value', () => {
  it.each([
    [0, 'value usd-stablecoin'],
    [1, 'value usd-route-stablecoin'],
    [2, 'value usd-native'],
    [3, 'value usd-anchor'],
  ])('comes from source %d', (usdSource, code) => {
    expect(codes(trade([hop(1, A, 100, B, 50)], { usdSource }))).toContain(code)
  })

  it('is unknown without a trusted price, or without decimals', () => {
    const unpriced = trade([hop(1, A, 100, B, 50)], { volumeUsd: null, usdSource: null })
    expect(codes(unpriced)).toContain('value unpriced')
    expect(codes(unpriced, [unpriced], new Map())).toContain('value decimals-unknown')
    const coin = { ...unpriced, sellNative: true, buyNative: true }
    expect(codes(coin, [coin], new Map())).toContain('value unpriced')
  })

  it('has a note for each flag, by its name', () => {
    const notes = codes(trade([hop(1, A, 100, B, 50)], { flags: FLAG_PARTIAL | FLAG_CAPPED }))
    expect(notes.slice(-2)).toEqual(['value capped', 'value partial'])
  })
})
