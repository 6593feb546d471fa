import { contractCall } from '../../abi/contract-abi.ts'
import { type Address, ZERO_ADDRESS } from '../../chain.ts'
import type { Pool } from '../../pool.ts'
import type { CallResults, EthCall } from '../protocol.ts'

export interface CurveAnswers {
  gamma: bigint | null
  /** The result of `A()`; `precise` is that of `A_precise()`. */
  amplification: bigint | null
  precise: bigint | null
  fee: bigint | null
  offPegMultiplier: bigint | null
  ramp: Ramp | null
  /** The index is a uint256, or an int128 in the oldest pools. */
  balances: readonly bigint[] | null
  /** A dynamic list in StableSwap NG, a fixed array in factory pools with oracles. */
  storedRates: readonly bigint[] | null
  isNg: boolean
  /** Whether the pool averages prices, as StableSwap NG and later pools of the first factory do. */
  keepsPrices: boolean
  fixedRates: readonly bigint[] | null
  decimals: readonly (bigint | null)[]
  /** Whether the pool has `get_balances()`: factory pools, and metapools that measure their balances. */
  listsBalances: boolean
  baseCache: BaseCache | null
  basePool: Address | null
  assetTypes: readonly bigint[] | null
}

/** A change of A over time, in the pool's precision. */
interface Ramp {
  initial: bigint
  future: bigint
  begins: bigint
  ends: bigint
}

/** Metapools older than the factory cache the base pool's virtual price. */
interface BaseCache {
  pool: Address
  virtualPrice: bigint
  updated: bigint
}

const uint = (name: string) => contractCall<[bigint]>(`function ${name}() view returns (uint256)`)
const uintOf = (name: string, index: string) =>
  contractCall<[bigint]>(`function ${name}(${index}) view returns (uint256)`)

const NUMBERS = {
  gamma: uint('gamma'),
  A: uint('A'),
  precise: uint('A_precise'),
  fee: uint('fee'),
  offPeg: uint('offpeg_fee_multiplier'),
  initial: uint('initial_A'),
  future: uint('future_A'),
  begins: uint('initial_A_time'),
  ends: uint('future_A_time'),
  priceTime: uint('ma_exp_time'),
  basePrice: uint('base_virtual_price'),
  baseUpdated: uint('base_cache_updated'),
}
const ADDRESSES = {
  oldBase: contractCall<[Address]>('function base_pool() view returns (address)'),
  ngBase: contractCall<[Address]>('function BASE_POOL() view returns (address)'),
}
const PER_COIN = {
  balance: uintOf('balances', 'uint256'),
  oldBalance: uintOf('balances', 'int128'),
  rate: uintOf('RATES', 'uint256'),
}
const DECIMALS = contractCall<[bigint]>('function decimals() view returns (uint256)')
const STORED_RATES = contractCall<[readonly bigint[]]>('function stored_rates() view returns (uint256[])')
const GET_BALANCES = contractCall<[readonly bigint[]]>('function get_balances() view returns (uint256[])')
const GET_BASE_POOL = contractCall<[Address]>('function get_base_pool(address) view returns (address)')
const GET_ASSET_TYPES = contractCall<[readonly bigint[]]>(
  'function get_pool_asset_types(address) view returns (uint8[])',
)

function arrayCall(name: string, length: number) {
  return contractCall<[readonly bigint[]]>(`function ${name}() view returns (uint256[${length}])`)
}

/**
 * Calls in one round every view function in which Curve's generations and forks differ. Returns null for impossible
 * coins.
 */
export function* askCurvePool(pool: Pool): Generator<readonly EthCall[], CurveAnswers | null, CallResults> {
  const { address: to, dex, coins = [] } = pool
  if (coins.length < 2 || new Set(coins).size < coins.length) return null
  const calls: EthCall[] = []
  const places = new Map<string, number>()
  const add = (name: string, call: EthCall) => {
    places.set(name, calls.length)
    calls.push(call)
  }
  for (const [name, call] of Object.entries({ ...NUMBERS, ...ADDRESSES })) add(name, { to, data: call.data() })
  add('rates', { to, data: STORED_RATES.data() })
  add('balances', { to, data: GET_BALANCES.data() })
  for (const [index, coin] of coins.entries()) {
    for (const [name, call] of Object.entries(PER_COIN)) add(`${name}${index}`, { to, data: call.data(index) })
    add(`decimals${index}`, { to: coin, data: DECIMALS.data() })
  }
  add('factoryBase', { to: dex.factory, data: GET_BASE_POOL.data(to) })
  const ngFactory = dex.contracts?.stableNgFactory
  add('types', { to: ngFactory ?? dex.factory, data: GET_ASSET_TYPES.data(to) })

  const results = yield calls
  const answer = (name: string) => results[places.get(name) ?? -1]
  const number = (name: keyof typeof NUMBERS) => NUMBERS[name].read(answer(name))?.[0] ?? null
  const perCoin = (name: keyof typeof PER_COIN) =>
    whole(coins.map((_, index) => PER_COIN[name].read(answer(`${name}${index}`))?.[0]))
  const lists = (name: string) => STORED_RATES.read(answer(name))?.[0] ?? null
  const ngRates = lists('rates')
  const balances = lists('balances') ?? arrayCall('get_balances', coins.length).read(answer('balances'))?.[0]
  const initial = number('initial')
  const future = number('future')
  const begins = number('begins')
  const ends = number('ends')
  return {
    gamma: number('gamma'),
    amplification: number('A'),
    precise: number('precise'),
    fee: number('fee'),
    offPegMultiplier: number('offPeg'),
    ramp:
      initial === null || future === null || begins === null || ends === null
        ? null
        : { initial, future, begins, ends },
    balances: perCoin('balance') ?? perCoin('oldBalance'),
    storedRates: ngRates ?? arrayCall('stored_rates', coins.length).read(answer('rates'))?.[0] ?? null,
    isNg: ngRates !== null,
    keepsPrices: number('priceTime') !== null,
    fixedRates: perCoin('rate'),
    decimals: coins.map((coin, index) =>
      coin === ZERO_ADDRESS ? 18n : (DECIMALS.read(answer(`decimals${index}`))?.[0] ?? null),
    ),
    listsBalances: balances !== undefined,
    baseCache: cacheOf(ADDRESSES.oldBase.read(answer('oldBase'))?.[0], number('basePrice'), number('baseUpdated')),
    basePool:
      named(ADDRESSES.ngBase.read(answer('ngBase'))?.[0]) ?? named(GET_BASE_POOL.read(answer('factoryBase'))?.[0]),
    assetTypes: GET_ASSET_TYPES.read(answer('types'))?.[0] ?? null,
  }
}

function cacheOf(pool: Address | undefined, virtualPrice: bigint | null, updated: bigint | null): BaseCache | null {
  return pool === undefined || virtualPrice === null || updated === null ? null : { pool, virtualPrice, updated }
}

function named(address: Address | undefined): Address | null {
  return address === undefined || address === ZERO_ADDRESS ? null : address
}

export function whole(values: readonly (bigint | null | undefined)[]): readonly bigint[] | null {
  const found = values.flatMap((value) => value ?? [])
  return found.length === values.length ? found : null
}
