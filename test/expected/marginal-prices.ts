import type { DevnetChain } from '@dexfeed/devnet'
import type { Route } from './brute-force.ts'
import { readContracts } from './chain-reader.ts'
import type { VerifiedPool } from './pool-events.ts'

const RESERVES = 'function getReserves() view returns (uint112, uint112, uint32)'
const PRICE = {
  'uniswap-v3': 'function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)',
  'pancakeswap-v3': 'function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint32, bool)',
}
const MILLION = 1_000_000n
const DIGITS = 18

type Fraction = readonly [bigint, bigint]

/**
 * Returns a function that gives the best route's rate for an infinitely small amount at a block, including fees, in
 * whole tokens with 18 digits.
 */
export async function openMarginalPrices(chain: DevnetChain, pools: Iterable<VerifiedPool>, block: number) {
  const all = [...pools]
  const reads = all.map(({ address, kind }) => ({
    to: address,
    signature: kind === 'uniswap-v2' ? RESERVES : PRICE[kind],
  }))
  const results = await readContracts(chain, reads, block)
  const prices = new Map(
    all.map(({ address, kind }, at): [string, Fraction] => {
      const [first, second] = results[at] as [bigint, bigint]
      return [address, kind === 'uniswap-v2' ? [second, first] : [first * first, 2n ** 192n]]
    }),
  )
  const rateOf = (route: Route): Fraction =>
    route.reduce(
      ([over, under]: Fraction, { pool, tokenIn }): Fraction => {
        const [numerator, denominator] = prices.get(pool.address) ?? [0n, 1n]
        const [out, paid] = tokenIn === pool.token0 ? [numerator, denominator] : [denominator, numerator]
        return [over * out * (MILLION - BigInt(pool.fee)), under * paid * MILLION]
      },
      [1n, 1n],
    )
  return (routes: readonly Route[], sellDecimals: number, buyDecimals: number): string => {
    const [over, under] = routes
      .map(rateOf)
      .reduce((best, rate) => (rate[0] * best[1] > best[0] * rate[1] ? rate : best))
    return significant(over * 10n ** BigInt(sellDecimals), under * 10n ** BigInt(buyDecimals))
  }
}

function significant(over: bigint, under: bigint): string {
  const places = 120
  const digits = ((over * 10n ** BigInt(places)) / under).toString()
  const kept = digits
    .slice(0, DIGITS)
    .padEnd(digits.length, '0')
    .padStart(places + 1, '0')
  const whole = kept.slice(0, -places)
  const fraction = kept.slice(-places).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
