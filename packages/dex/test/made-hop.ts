import type { Address, Block, Hex, Hop, Log, Pool, PricedTrade, Trade } from '@dexfeed/dex'

/** Returns an address made from a short name in hexadecimal digits. */
export function at(name: string): Address {
  return `0x${name.padStart(40, '0')}`
}

/** Returns a pool of two tokens: a V2 pair with a fee of 0.3 %, unless fields are overridden. */
export function madePool(address: Hex, [token0, token1]: readonly [Address, Address], over: Partial<Pool> = {}): Pool {
  const dex = { name: 'v2', kind: 'uniswap-v2', factory: at('f') } as const
  return { address, dex, token0, token1, fee: 3000, tickSpacing: null, ...over }
}

/** Returns a block with these logs and one transaction, whose hash is `0xbeef`. */
export function madeBlock(logs: readonly Log[], from: Address, { index = 0, value = 0n } = {}): Block {
  const transactions = new Map([[index, { hash: '0xbeef', from, value } as const]])
  return { number: 7, hash: '0x07', parentHash: '0x06', timestamp: 1_000, logs: [...logs], transactions }
}

/** Returns a hop through a pool named after its position. Every field can be overridden. */
export function madeHop(
  logIndex: number,
  [tokenIn, amountIn]: readonly [Address, bigint],
  [tokenOut, amountOut]: readonly [Address, bigint],
  over: Partial<Hop> & { pool?: Pool } = {},
): Hop {
  return {
    pool: madePool(at(`b${logIndex}`), tokenIn < tokenOut ? [tokenIn, tokenOut] : [tokenOut, tokenIn]),
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

/** Returns a row without a value: a trade through hops, of which none has a value. */
export function madeRow(hops: readonly Hop[], over: Partial<PricedTrade> = {}): PricedTrade {
  const value = { hopsUsdE8: hops.map(() => null), usdE8: null, source: null, flags: 0 }
  return { ...madeTrade(hops, over), ...value, ...over }
}
