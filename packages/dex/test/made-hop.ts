import type { Address, Hop, Pool } from '@dexfeed/dex'

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
