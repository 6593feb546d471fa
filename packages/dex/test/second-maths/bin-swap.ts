import { add, at, check, div, mul, revert, sub, uint, unlessReverted, wrap } from './evm.ts'

const E18 = 10n ** 18n
const SCALE = 1n << 128n
const REAL_ID_SHIFT = 1 << 23
const MAX_LIQUIDITY = 65251743116719673010965625540244653191619923014385985379600384103134737n

export interface Bin {
  id: number
  x: bigint
  y: bigint
}

/** Fields shared by LBPair and PancakeSwap Infinity's BinPool. Bins are sorted by id and are not empty. */
interface BinPool {
  binStep: number
  activeId: number
  bins: readonly Bin[]
}

/** A Liquidity Book pair, versions 2.1 and 2.2, with its references as updated at the time of the swap. */
export interface BookPair extends BinPool {
  baseFactor: bigint
  variableFeeControl: bigint
  maxVolatility: bigint
  volatilityReference: bigint
  idReference: number
  /** Version 2.2 limits the liquidity of a bin. */
  hasLimit: boolean
  /** The protocol's share of the fee, in hundredths of a percent. */
  protocolShare: bigint
  /** The pair's total reserves of both tokens. */
  reserves: readonly [bigint, bigint]
}

/** A pool of PancakeSwap Infinity without hooks that change amounts. Fees are in millionths. */
export interface InfinityBinPool extends BinPool {
  lpFee: bigint
  /** For the two directions. */
  protocolFees: readonly [bigint, bigint]
}

function uint128(value: bigint): bigint {
  check(value < SCALE && value >= 0n, 'not a uint128')
  return value
}

/** A product or quotient of 512 bits whose result must fit in a word. */
function mulDiv(a: bigint, b: bigint, denominator: bigint, up: boolean): bigint {
  check(denominator > 0n, 'division by zero')
  const product = a * b
  const rest = uint(product / denominator)
  return up && product % denominator !== 0n ? add(rest, 1n) : rest
}

/** pow of Uint128x128Math: square and multiply with unchecked words. */
function power(base: bigint, exponent: number): bigint {
  if (exponent === 0) return SCALE
  let inverted = exponent < 0
  let bits = Math.abs(exponent)
  let result = 0n
  if (bits < 0x100000) {
    result = SCALE
    let squared = base
    if (squared > SCALE - 1n) {
      squared = ((1n << 256n) - 1n) / squared
      inverted = !inverted
    }
    for (; bits > 0; bits >>= 1) {
      if (bits % 2 === 1) result = wrap(result * squared) >> 128n
      squared = wrap(squared * squared) >> 128n
    }
  }
  check(result !== 0n, 'power underflow')
  return inverted ? ((1n << 256n) - 1n) / result : result
}

/** getPriceFromId: the price of token X in token Y, with 128 fractional bits. */
export function binPrice(id: number, binStep: number): bigint {
  return power(SCALE + (BigInt(binStep) << 128n) / 10_000n, id - REAL_ID_SHIFT)
}

function checkLiquidity(x: bigint, y: bigint, price: bigint): void {
  check(add(mul(price, x), y * SCALE) <= MAX_LIQUIDITY, 'too much liquidity in a bin')
}

/** getAmounts / getAmountsOut: what one bin takes, including the fee, and gives. @param fee out of 10 ** 18 */
function swapInBin(bin: Bin, price: bigint, fee: bigint, forY: boolean, left: bigint) {
  const reserveOut = forY ? bin.y : bin.x
  const max = uint128(forY ? mulDiv(reserveOut, SCALE, price, true) : mulDiv(reserveOut, price, SCALE, true))
  const maxFee = uint128(div(max * fee + (E18 - fee) - 1n, E18 - fee))
  const maxWithFee = uint128(max + maxFee)
  if (left >= maxWithFee) return { amountIn: maxWithFee, amountOut: reserveOut, fee: maxFee }
  const taken = (left * fee + E18 - 1n) / E18
  const rest = sub(left, taken)
  const out = uint128(forY ? mulDiv(rest, price, SCALE, false) : mulDiv(rest, SCALE, price, false))
  return { amountIn: left, amountOut: out > reserveOut ? reserveOut : out, fee: taken }
}

/** Returns the next bin that is not empty: below for token X in, above for token Y in. */
function nextBin(bins: readonly Bin[], id: number, forY: boolean): Bin {
  const next = forY ? bins.filter((bin) => bin.id < id).at(-1) : bins.find((bin) => bin.id > id)
  if (next === undefined || next.id === 0 || next.id === 0xffffff) revert('out of liquidity')
  return next
}

/** Walks over bins until the input is used up. `inBin` returns what a bin takes and gives. */
function walk(
  pool: BinPool,
  forY: boolean,
  amountIn: bigint,
  inBin: (bin: Bin, left: bigint) => { amountIn: bigint; amountOut: bigint },
): bigint {
  let left = amountIn
  let out = 0n
  let bin = pool.bins.find(({ id }) => id === pool.activeId) ?? { id: pool.activeId, x: 0n, y: 0n }
  for (;;) {
    if ((forY ? bin.y : bin.x) !== 0n) {
      const part = inBin(bin, left)
      left = sub(left, part.amountIn)
      out = uint128(out + part.amountOut)
    }
    if (left === 0n) break
    bin = nextBin(pool.bins, bin.id, forY)
  }
  check(out !== 0n, 'nothing comes out')
  return out
}

function reservesAfter(bin: Bin, forY: boolean, amountIn: bigint, amountOut: bigint): [bigint, bigint] {
  return forY
    ? [uint128(bin.x + amountIn), uint128(bin.y - amountOut)]
    : [uint128(bin.x - amountOut), uint128(bin.y + amountIn)]
}

/** LBPair.swap, or getSwapOut if no input is left over. @param from 0 if token X is paid */
export function bookSwapOut(pair: BookPair, from: number, amountIn: bigint): bigint | null {
  return unlessReverted(() => {
    const forY = from === 0
    check(amountIn > 0n)
    uint128(amountIn)
    uint128(at(pair.reserves, from) + amountIn)
    const step = BigInt(pair.binStep)
    return walk(pair, forY, amountIn, (bin, left) => {
      const distance = BigInt(Math.abs(bin.id - pair.idReference))
      const moved = pair.volatilityReference + distance * 10_000n
      const volatility = moved > pair.maxVolatility ? pair.maxVolatility : moved
      const product = volatility * step
      const variable = pair.variableFeeControl === 0n ? 0n : (product * product * pair.variableFeeControl + 99n) / 100n
      const fee = uint128(pair.baseFactor * step * 10n ** 10n + variable)
      check(fee <= E18 / 10n, 'the fee is too large')
      const price = binPrice(bin.id, pair.binStep)
      const part = swapInBin(bin, price, fee, forY, left)
      if (pair.hasLimit) {
        const [x, y] = reservesAfter(bin, forY, part.amountIn, part.amountOut)
        checkLiquidity(x, y, price)
      }
      const shared = (part.fee * pair.protocolShare) / 10_000n
      reservesAfter(bin, forY, sub(part.amountIn, shared), part.amountOut)
      return part
    })
  })
}

/** BinPoolManager.swap with exact input. @param from 0 if currency0 is paid */
export function infinityBinSwapOut(pool: InfinityBinPool, from: number, amountIn: bigint): bigint | null {
  return unlessReverted(() => {
    const forY = from === 0
    check(amountIn > 0n && amountIn < 1n << 127n)
    const protocolFee = at(pool.protocolFees, from)
    const swapFee = protocolFee === 0n ? pool.lpFee : protocolFee + pool.lpFee - (protocolFee * pool.lpFee) / 1_000_000n
    const out = walk(pool, forY, amountIn, (bin, left) => {
      const price = binPrice(bin.id, pool.binStep)
      const part = swapInBin(bin, price, swapFee * 10n ** 12n, forY, left)
      if (part.amountIn > 0n) {
        const shared = swapFee === 0n ? 0n : (part.fee * protocolFee) / swapFee
        const [x, y] = reservesAfter(bin, forY, sub(part.amountIn, shared), part.amountOut)
        checkLiquidity(x, y, price)
      }
      return part
    })
    check(out < 1n << 127n, 'not an int128')
    return out
  })
}
