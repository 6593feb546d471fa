import { InvalidRequest, type V1Row } from '@dexfeed/contract'
import { type Address, type NetworkName, type PoolAddress, significantDecimal, ZERO_ADDRESS } from '@dexfeed/dex'
import { type IndexedNetwork, type Moneys, moneyRank, type PoolRow, type PoolWithState } from '@dexfeed/store'
import { HttpFailure } from '../http/http-failure.ts'
import { indexedOf } from '../service/freshness.ts'
import type { V1Context } from './v1-context.ts'

export interface OnePool {
  pool: PoolWithState
  indexed: IndexedNetwork
}

/** @throws HttpFailure 404 if there is none, InvalidRequest if several managers have it */
export async function onePool(
  { reader }: Pick<V1Context, 'reader'>,
  network: NetworkName,
  address: PoolAddress,
): Promise<OnePool> {
  const { networks, rows } = await reader.findPools({
    network,
    filter: { address },
    ascending: true,
    from: null,
    limit: 2,
  })
  return { indexed: indexedOf(network, networks), pool: theOnly(rows, network) }
}

/** @throws HttpFailure 404 if there is none, InvalidRequest if several managers have the pool */
export function theOnly<Row>([pool, another]: readonly Row[], network: NetworkName): Row {
  if (pool === undefined) throw new HttpFailure(404, `no such pool of ${network} is known`)
  if (another === undefined) return pool
  throw new InvalidRequest('several managers have this pool: put the address of the manager before the id')
}

type PoolOfTokens = Pick<PoolRow, 'token0' | 'token1' | 'coins' | 'underlying'>

export function poolTokens({ token0, token1, coins = [], underlying = [] }: PoolOfTokens): Address[] {
  return [...new Set(coins.length + underlying.length === 0 ? [token0, token1] : [...coins, ...underlying])]
}

/** Returns which of two tokens that a pool exchanges is the base. Hops name the wrapper instead of the coin. */
export function baseAmong(
  [a, b]: readonly [Address, Address],
  { pool, indexed }: { pool: PoolWithState; indexed: Moneys },
): Address {
  const tokens = poolTokens(pool).map((token) => (token === ZERO_ADDRESS ? indexed.wrappedNative : token))
  const [first, second] = tokens.indexOf(a) <= tokens.indexOf(b) ? [a, b] : [b, a]
  return baseSide(first, second, indexed) === 0 ? first : second
}

const PRICE_DIGITS = 18

/** Returns which of two tokens is the base, whose price is shown: the one that is less money, else the first. */
function baseSide(token0: Address, token1: Address, moneys: Moneys): 0 | 1 {
  return moneyRank(token0, moneys) <= moneyRank(token1, moneys) ? 0 : 1
}

type Leg = Pick<V1Row<'searchSwaps'>['sell_token'], 'amount' | 'decimals'>

/** Returns the price of a whole base token in quote tokens, rounded down to 18 digits; null if it is unknown. */
export function quotePriceOf(base: Leg, quote: Leg): string | null {
  if (base.decimals === null || quote.decimals === null || base.amount === '0' || quote.amount === '0') return null
  const numerator = BigInt(quote.amount) * 10n ** BigInt(base.decimals)
  return significantDecimal(
    { numerator, denominator: BigInt(base.amount) * 10n ** BigInt(quote.decimals) },
    PRICE_DIGITS,
  )
}
