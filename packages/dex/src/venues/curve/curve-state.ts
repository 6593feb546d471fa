import { contractCall } from '../../abi/contract-abi.ts'
import { type Address, ZERO_ADDRESS } from '../../chain.ts'
import type { Pool } from '../../pool.ts'
import { notQuoted } from '../../pool-state.ts'
import { present } from '../../present.ts'
import { type Candidate, candidate, firstCheckedState } from '../checked-state.ts'
import { areKnownRates } from '../known-code.ts'
import type { CallResults, EthCall, StateReading, StateSteps } from '../protocol.ts'
import { cryptoState } from './crypto-state.ts'
import { askCurvePool, type CurveAnswers, whole } from './curve-answers.ts'
import { forkState } from './fork-state.ts'
import { CURVE_STABLE, type StablePool, stableValues } from './stable/curve-stable.ts'
import type { ProductRounding } from './stable/stable-invariant.ts'

interface Generation {
  roundings: readonly ProductRounding[]
  keepsOne: boolean
  /** For `get_dy`, most likely first. */
  views: readonly Pick<StablePool, 'keepsOne' | 'takesFee'>[]
}

const AS_PAID = { keepsOne: true, takesFee: 'before' } as const
const FEE_AFTER = { keepsOne: true, takesFee: 'after' } as const
const OLDEST = { keepsOne: false, takesFee: 'after' } as const

/**
 * Returns a pool's generation, recognised by the view functions that it has. Sources: curve-contract `contracts/pools`
 * and `contracts/pool-templates`, curve-factory `contracts/implementations`, stableswap-ng.
 * - Without `initial_A`: compound, usdt, y, busd, susd.
 * - Without `A_precise`: 3pool, hbtc, ren, sbtc, PancakeSwap's; pax pays one unit more.
 * - With `offpeg_fee_multiplier`, without `stored_rates`: aave, saave, the aToken template.
 * - All others pay alike, but two-coin factory pools round D in a second way, and stETH in a third.
 */
function generationOf(answers: CurveAnswers, isLending: boolean): Generation {
  const { precise, ramp, isNg, offPegMultiplier, listsBalances, balances, basePool, baseCache } = answers
  if (isNg) return { roundings: ['last'], keepsOne: true, views: [AS_PAID] }
  if (ramp === null) return { roundings: ['each-plus-one'], keepsOne: false, views: [OLDEST] }
  if (precise === null) return { roundings: ['each'], keepsOne: !isLending, views: [FEE_AFTER] }
  if (offPegMultiplier !== null) {
    return { roundings: ['each-plus-one', 'each'], keepsOne: false, views: [OLDEST] }
  }
  const views = [AS_PAID, FEE_AFTER]
  if (baseCache !== null || basePool !== null || balances?.length !== 2)
    return { roundings: ['each'], keepsOne: true, views }
  const roundings: ProductRounding[] = listsBalances ? ['last', 'each'] : ['each', 'each-plus-one']
  return { roundings, keepsOne: true, views }
}

const GET_DY = contractCall<[bigint]>('function get_dy(int128, int128, uint256) view returns (uint256)')
const GET_VIRTUAL_PRICE = contractCall<[bigint]>('function get_virtual_price() view returns (uint256)')
const GET_PRICE_PER_FULL_SHARE = contractCall<[bigint]>('function getPricePerFullShare() view returns (uint256)')
const ORACLE = contractCall<[bigint]>('function oracle(uint256) view returns (uint256)')

/** How long the oldest metapools cache the base pool's virtual price (`BASE_CACHE_EXPIRES`). */
const BASE_CACHE_S = 600n
const RATE_DECIMALS = 36n
const SHARE_UNITS_DECIMALS = 18n
const PRECISION = 100n
const PAIR = 2
/** Asset type of StableSwap NG coins without a rate. */
const PLAIN = 0n
/** Asset type of coins whose rate comes from an oracle. For other types with a rate, the pool calls the coin. */
const WITH_ORACLE = 1n

export const CURVE_STATE: StateReading = { steps: curveState, isReadAgain: true, ticks: null }

function* curveState(pool: Pool, timestamp: number): StateSteps {
  const answers = yield* askCurvePool(pool)
  if (answers === null) return null
  if (answers.gamma !== null) return yield* cryptoState(pool, timestamp)
  if (answers.fixedRates !== null) return yield* forkState(pool, answers, timestamp)
  const rates = yield* ratesOf(pool, answers, BigInt(timestamp))
  if (rates === 'unknown-rate') return notQuoted(rates)
  return rates === null ? null : yield* checkedStable(pool, answers, rates, timestamp)
}

interface Rates {
  rates: readonly bigint[]
  isMoving: boolean
  isLending: boolean
  basis: Address | null
}

type Asking<Result> = Generator<readonly EthCall[], Result, CallResults>

function* ratesOf(pool: Pool, answers: CurveAnswers, now: bigint): Asking<Rates | 'unknown-rate' | null> {
  const { storedRates, isNg, decimals, baseCache, basePool, assetTypes } = answers
  const { coins = [], underlying = coins } = pool
  if (isNg && storedRates !== null) {
    // Type 0 is a plain token; coins of other types have a rate or rebase.
    const isMoving = basePool !== null || assetTypes?.length !== coins.length || assetTypes.some((type) => type !== 0n)
    if (!areKnownRates(pool.dex, askedBySwaps(pool, assetTypes))) return 'unknown-rate'
    return { rates: storedRates, isMoving, isLending: false, basis: basePool }
  }
  if (storedRates !== null) {
    const oracles = yield coins.map((_, index) => ({ to: pool.address, data: ORACLE.data(index) }))
    const words = oracles.map((oracle) => ORACLE.read(oracle)?.[0])
    const isMoving = words.some((word) => word !== 0n)
    const contracts = words.map((word) => (word === undefined ? pool.address : contractOf(word)))
    if (!areKnownRates(pool.dex, contracts.filter(isNoCoinOf(pool)))) return 'unknown-rate'
    return { rates: storedRates, isMoving, isLending: false, basis: null }
  }
  const plain = whole(
    decimals.map((places) => (places === null || places > 36n ? null : 10n ** (RATE_DECIMALS - places))),
  )
  if (plain === null) return null
  const basis = baseCache?.pool ?? basePool
  if (basis !== null && coins.length === 2) {
    const [answer] = yield [{ to: basis, data: GET_VIRTUAL_PRICE.data() }]
    const isKept = baseCache !== null && now <= baseCache.updated + BASE_CACHE_S
    const virtualPrice = isKept ? baseCache.virtualPrice : GET_VIRTUAL_PRICE.read(answer)?.[0]
    const rates = whole([plain[0], virtualPrice])
    return rates && { rates, isMoving: true, isLending: false, basis }
  }
  if (coins.every((coin, index) => coin === underlying[index])) {
    // Anyone can create such a pool, and a swap may read balances of coins that it does not exchange.
    const asksOthers = coins.length > PAIR && answers.listsBalances
    if (asksOthers && !areKnownRates(pool.dex, [pool.address])) return 'unknown-rate'
    return { rates: plain, isMoving: mayMeasure(pool, answers), isLending: false, basis: null }
  }
  const prices = yield coins.map((to) => ({ to, data: GET_PRICE_PER_FULL_SHARE.data() }))
  const shares = prices.map((price) => GET_PRICE_PER_FULL_SHARE.read(price)?.[0] ?? 10n ** SHARE_UNITS_DECIMALS)
  const rates = plain.map((rate, index) => (rate * present(shares[index])) / 10n ** SHARE_UNITS_DECIMALS)
  return { rates, isMoving: true, isLending: true, basis: null }
}

/**
 * Returns the contracts that a StableSwap NG swap calls, other than its two coins. No view function returns a pool's
 * oracles, so the pool's address stands for them.
 */
function askedBySwaps({ address, coins = [] }: Pool, types: readonly bigint[] | null): Address[] {
  if (types === null || types.includes(WITH_ORACLE)) return [address]
  return coins.length > PAIR && types.some((type) => type !== PLAIN) ? [...coins] : []
}

/** In a pool of two, a coin may set its own rate, because every swap exchanges that coin anyway. */
function isNoCoinOf({ coins = [] }: Pool): (contract: Address) => boolean {
  return (contract) => coins.length > PAIR || !coins.includes(contract)
}

/** Returns an oracle's address from a word that packs a selector and the address. */
function contractOf(word: bigint): Address {
  return `0x${BigInt.asUintN(160, word).toString(16).padStart(40, '0')}`
}

/**
 * Returns whether the pool may measure its balances, which rebasing tokens change. Contracts with the same source
 * differ in this, and no call shows it.
 */
function mayMeasure({ coins = [] }: Pool, { listsBalances, offPegMultiplier, precise }: CurveAnswers): boolean {
  return listsBalances || offPegMultiplier !== null || (precise !== null && coins.includes(ZERO_ADDRESS))
}

function* checkedStable(pool: Pool, answers: CurveAnswers, found: Rates, timestamp: number): StateSteps {
  const { amplification, precise, fee, offPegMultiplier, balances, ramp, isNg, keepsPrices } = answers
  if (amplification === null || fee === null || balances === null) return null
  const { roundings, keepsOne, views } = generationOf(answers, found.isLending)
  const isRamping = ramp !== null && ramp.ends > BigInt(timestamp)
  const movesFrom = found.isMoving || isRamping ? timestamp : null
  const common = {
    precision: precise === null ? 1n : PRECISION,
    fee,
    // Without a multiplier the fee ignores the balances, as it does with 0.
    offPegMultiplier: offPegMultiplier ?? 0n,
    basis: found.basis,
    balances,
    rates: found.rates,
  }
  const candidateOf = (terms: Omit<StablePool, keyof typeof common>): Candidate =>
    candidate(CURVE_STABLE, stableValues({ ...common, ...terms }), movesFrom)
  const prices = !keepsPrices ? 'none' : isNg ? 'capped' : 'whole'
  const paidBy = precise ?? amplification
  // The views contract of StableSwap NG multiplies the rounded A.
  const viewedBy = isNg ? amplification * PRECISION : paidBy
  const candidates = roundings.flatMap((rounding) =>
    views.map(
      (view): Candidate => ({
        ...candidateOf({ amplification: paidBy, rounding, keepsOne, prices, takesFee: 'before' }),
        viewed: candidateOf({ amplification: viewedBy, rounding, prices: 'none', ...view }).maths,
      }),
    ),
  )
  return yield* firstCheckedState(candidates, {
    call: (from, to, amountIn) => ({ to: pool.address, data: GET_DY.data(from, to, amountIn) }),
    read: (reply) => GET_DY.read(reply)?.[0] ?? null,
  })
}
