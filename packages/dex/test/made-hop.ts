import type { Address, Hop, Pool, Trade } from '@dexfeed/dex'

/** Returns an address made from a short name in hexadecimal digits. */
export function at(name: string): Address {
  return `0x${name.padStart(40, '0')}`
}

/** Returns a hop through a pool named after its position. Every field can be overridden. */
export function madeHop(
  logIndex: number,
  [tokenIn, amountIn]: readonly [Address, bigint],
  [tokenOut, amountOut]: readonly [Address, bigint],
  over: Partial<Hop> & { pool?: Pool } = {},
): Hop {
  const [token0, token1] = tokenIn < tokenOut ? [tokenIn, tokenOut] : [tokenOut, tokenIn]
  const dex = { name: 'v2', kind: 'uniswap-v2', factory: at('f') } as const
  return {
    pool: { address: at(`b${logIndex}`), dex, token0, token1, fee: 3000, tickSpacing: null },
    logIndex,
    tokenIn,
    amountIn,
    nativeIn: false,
    tokenOut,
    amountOut,
    nativeOut: false,
    recipient: null,
    reservesBefore: null,
    ...over,
  }
}

/** Returns a trade through hops, from the token that the first one sells to what the last one buys. */
export function madeTrade(hops: readonly Hop[], over: Partial<Trade> = {}): Trade {
  const [first, last] = [hops[0], hops.at(-1)]
  const leg = (token = at('0'), amount = 0n) => ({ token, amount, native: false })
  return {
    blockNumber: 1,
    timestamp: 2,
    transactionIndex: 3,
    position: 0,
    txHash: '0x05',
    trader: null,
    settledFor: null,
    byToken: false,
    isPartial: false,
    hops: [...hops],
    sell: leg(first?.tokenIn, first?.amountIn),
    buy: leg(last?.tokenOut, last?.amountOut),
    ...over,
  }
}
