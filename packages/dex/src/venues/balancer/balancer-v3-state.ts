import { contractCall, selectorOf } from '../../abi/contract-abi.ts'
import { callData, hasWords, uintWord } from '../../abi/words.ts'
import { type Address, ZERO_ADDRESS } from '../../chain.ts'
import type { Pool } from '../../pool.ts'
import type { NotQuoted } from '../../pool-state.ts'
import { present } from '../../present.ts'
import {
  type Candidate,
  type ContractQuote,
  candidate,
  checkedOneByOne,
  checkedState,
  type Sample,
} from '../checked-state.ts'
import { areKnownRates, factoryCalls, isFromFactory } from '../known-code.ts'
import { contractIn } from '../managed-pool.ts'
import type { CallResults, EthCall, StateReading, StateSteps } from '../protocol.ts'
import { ONE } from './fixed-point.ts'
import { AMP_PRECISION } from './stable-math.ts'
import { readBuffer } from './v3-buffer.ts'
import { balancerV3Stable, balancerV3Weighted, v3AmountOut, v3CoinOf, v3TermsOf } from './v3-quote.ts'

type TokenInfo = readonly [type: bigint, rateProvider: Address, paysYieldFees: boolean]
const GET_TOKEN_INFO = contractCall<
  [tokens: readonly Address[], info: readonly TokenInfo[], raw: readonly bigint[], lastLive: readonly bigint[]]
>(
  'function getPoolTokenInfo(address pool) view returns (address[], tuple(uint8, address, bool)[], uint256[], uint256[])',
)
const GET_LIVE_BALANCES = contractCall<[readonly bigint[]]>(
  'function getCurrentLiveBalances(address pool) view returns (uint256[])',
)
const GET_RATES = contractCall<[scalings: readonly bigint[], rates: readonly bigint[]]>(
  'function getPoolTokenRates(address pool) view returns (uint256[], uint256[])',
)
const GET_FEE = contractCall<[bigint]>('function getStaticSwapFeePercentage(address pool) view returns (uint256)')
const IS_POOL_PAUSED = contractCall<[boolean]>('function isPoolPaused(address pool) view returns (bool)')
const IS_VAULT_PAUSED = contractCall<[boolean]>('function isVaultPaused() view returns (bool)')
/** Returns ten flags, then the hooks contract. */
const GET_HOOKS = contractCall<readonly (boolean | Address)[]>(
  'function getHooksConfig(address pool) view returns (bool, bool, bool, bool, bool, bool, bool, bool, bool, bool, address)',
)
const GET_MIN_TRADE = contractCall<[bigint]>('function getMinimumTradeAmount() view returns (uint256)')
/** Positions of shouldCallComputeDynamicSwapFee, shouldCallBeforeSwap, shouldCallAfterSwap. */
const SWAP_HOOKS = [3, 4, 5]
const WITH_RATE = 1n

const GET_WEIGHTS = contractCall<[readonly bigint[]]>('function getNormalizedWeights() view returns (uint256[])')
/** Exists on weighted pools from 2026 on. */
const GET_MIN_BALANCES = contractCall<[readonly bigint[]]>('function getMinTokenBalances() view returns (uint256[])')
/** Only pools with fixed weights answer it. */
const GET_WEIGHTED_DATA = selectorOf('function getWeightedPoolImmutableData() view returns (bytes)')
const IS_SWAP_ENABLED = contractCall<[boolean]>('function isSwapEnabled() view returns (bool)')
const GET_AMPLIFICATION = contractCall<[value: bigint, isUpdating: boolean, precision: bigint]>(
  'function getAmplificationParameter() view returns (uint256, bool, uint256)',
)
const COMPUTE_INVARIANT = selectorOf(
  'function computeInvariant(uint256[] balancesLiveScaled18, uint8 rounding) view returns (uint256)',
)
/** Computes a swap with 18 decimals; kind 0 is exact input. */
const ON_SWAP = selectorOf(
  'function onSwap(tuple(uint8 kind, uint256 amountGivenScaled18, uint256[] balancesScaled18, uint256 indexIn, uint256 indexOut, address router, bytes userData) params) returns (uint256)',
)

const QUERY_SWAP = selectorOf(
  'function querySwapSingleTokenExactIn(address pool, address tokenIn, address tokenOut, uint256 exactAmountIn, address sender, bytes userData) returns (uint256)',
)

/** A balance ratio that stable pools from 2026 on refuse. */
const IMBALANCE = 20_000n

/**
 * The vault runs any contract as a pool. So the pool's `onSwap`, which the vault calls, must match the maths that the
 * pool's functions suggest. On pools from 2024 only the vault may call `onSwap`; there a query of the configured router
 * must match. Pools with hooks in swaps are not quoted.
 */
export const BALANCER_V3_STATE: StateReading = {
  isReadAgain: true,
  unknown: readUnknown,
  steps: readState,
  ticks: null,
}

function* readUnknown({
  address,
  dex,
  underlying,
}: Pool): Generator<readonly EthCall[], NotQuoted | null, CallResults> {
  // A buffer runs the vault's code, and its wrapper is one of its tokens.
  if (underlying !== undefined) return null
  const contract = contractIn(address)
  const ofVault = [GET_TOKEN_INFO, GET_HOOKS].map((call) => ({ to: dex.factory, data: call.data(contract) }))
  const [info, hooks, ...ofFactories] = yield [...ofVault, ...factoryCalls(dex, contract)]
  if (!isFromFactory(ofFactories)) return 'unknown-code'
  const flags = GET_HOOKS.read(hooks)
  if (flags !== null && SWAP_HOOKS.some((place) => flags[place] !== false)) return 'hooks'
  const providers = (GET_TOKEN_INFO.read(info)?.[1] ?? []).flatMap(([type, provider]) =>
    type === WITH_RATE ? [provider] : [],
  )
  return areKnownRates(dex, providers) ? null : 'unknown-rate'
}

function* readState(pool: Pool, timestamp: number): StateSteps {
  const { coins = [], underlying } = pool
  if (underlying !== undefined) return yield* readBuffer(pool, timestamp)
  const facts = readFacts(coins, yield callsOf(pool))
  if (facts === null) return null
  const { fee, minTrade, balances, weights, minBalances, amplification, hasRates } = facts
  if (weights !== null) {
    const minimums = minBalances ?? weights.map(() => 0n)
    if (weights.length !== balances.length || minimums.length !== balances.length) return null
    const values = balances.flatMap((coin, index) => [...coin, present(weights[index]), present(minimums[index])])
    const version = minBalances === null ? 0n : 1n
    const movesFrom = hasRates ? timestamp : null
    return yield* checked(candidate(balancerV3Weighted, [version, fee, minTrade, ...values], movesFrom), pool, facts)
  }
  if (amplification === null) return null
  const version = facts.limitsImbalance ? 1n : 0n
  const values = [version, amplification.value, fee, minTrade, ...balances.flat()]
  const movesFrom = hasRates || amplification.isUpdating ? timestamp : null
  return yield* checked(candidate(balancerV3Stable, values, movesFrom), pool, facts)
}

function* checked(state: Candidate, pool: Pool, facts: PoolFacts): StateSteps {
  const found = yield* checkedState(state, poolQuery(pool, facts))
  const router = pool.dex.contracts?.router
  if (found !== null || router === undefined) return found
  return yield* checkedOneByOne(state, routerQuery(router, pool))
}

interface PoolFacts {
  fee: bigint
  minTrade: bigint
  /** Per coin: raw balance, live balance, scaling, rate. */
  balances: readonly (readonly bigint[])[]
  hasRates: boolean
  weights: readonly bigint[] | null
  minBalances: readonly bigint[] | null
  amplification: { value: bigint; isUpdating: boolean } | null
  limitsImbalance: boolean
}

function callsOf({ address, dex, coins = [] }: Pool): EthCall[] {
  const contract = contractIn(address)
  const ofVault = [GET_TOKEN_INFO, GET_LIVE_BALANCES, GET_RATES, GET_FEE, GET_HOOKS, IS_POOL_PAUSED]
  const ofPool = [GET_WEIGHTS, GET_MIN_BALANCES, IS_SWAP_ENABLED, GET_AMPLIFICATION]
  return [
    ...ofVault.map((call) => ({ to: dex.factory, data: call.data(contract) })),
    ...[IS_VAULT_PAUSED, GET_MIN_TRADE].map((call) => ({ to: dex.factory, data: call.data() })),
    ...ofPool.map((call) => ({ to: contract, data: call.data() })),
    { to: contract, data: callData(GET_WEIGHTED_DATA) },
    ...[1n, IMBALANCE].map((ratio) => ({ to: contract, data: invariantCall(coins.length, ratio) })),
  ]
}

function invariantCall(count: number, ratio: bigint) {
  const balances = Array.from({ length: count }, (_, index) => (index === count - 1 ? ratio * ONE : ONE))
  return callData(COMPUTE_INVARIANT, 2 * 32, 1, count, ...balances)
}

function readFacts(coins: readonly Address[], replies: CallResults): PoolFacts | null {
  const [info, live, rates, fee, hooks, poolPaused, vaultPaused, minTrade, ...ofPool] = replies
  const [weights, minBalances, isSwapEnabled, amplification, weightedData, balanced, imbalanced] = ofPool
  const [tokens, types, raw] = GET_TOKEN_INFO.read(info) ?? []
  const liveBalances = GET_LIVE_BALANCES.read(live)?.[0]
  const [scalings, tokenRates] = GET_RATES.read(rates) ?? []
  const feeShare = GET_FEE.read(fee)?.[0]
  const flags = GET_HOOKS.read(hooks)
  const minTradeAmount = GET_MIN_TRADE.read(minTrade)?.[0]
  if (tokens === undefined || types === undefined || raw === undefined || liveBalances === undefined) return null
  if (scalings === undefined || tokenRates === undefined || feeShare === undefined || minTradeAmount === undefined)
    return null
  if (flags === null || SWAP_HOOKS.some((place) => flags[place] !== false)) return null
  if (IS_POOL_PAUSED.read(poolPaused)?.[0] !== false || IS_VAULT_PAUSED.read(vaultPaused)?.[0] !== false) return null
  // If this function exists, the owner can disable swaps, so the pool is not quoted.
  if (IS_SWAP_ENABLED.read(isSwapEnabled) !== null || String(tokens) !== String(coins)) return null
  const [value, isUpdating, precision] = GET_AMPLIFICATION.read(amplification) ?? [0n, false, 0n]
  const columns = [raw, liveBalances, scalings, tokenRates]
  if (columns.some(({ length }) => length !== tokens.length)) return null
  return {
    fee: feeShare,
    minTrade: minTradeAmount,
    balances: tokens.map((_, index) => columns.map((column) => present(column[index]))),
    hasRates: types.some(([type]) => type === WITH_RATE),
    weights: weightedData ? (GET_WEIGHTS.read(weights)?.[0] ?? null) : null,
    minBalances: GET_MIN_BALANCES.read(minBalances)?.[0] ?? null,
    amplification: precision === AMP_PRECISION ? { value, isUpdating } : null,
    limitsImbalance: Boolean(balanced) && !imbalanced,
  }
}

// Byte offsets in the argument of onSwap: seven words, the balances, empty bytes.
const PARAMS_AT = 32
const BALANCES_AT = 7 * 32

function poolQuery({ address }: Pool, { fee, minTrade, balances }: PoolFacts): ContractQuote {
  const terms = v3TermsOf([fee, minTrade])
  const coins = balances.map(v3CoinOf)
  const live = balances.map(([, liveBalance = 0n]) => liveBalance)
  const userDataAt = BALANCES_AT + (1 + live.length) * 32
  const swap = ({ from, to, amountIn }: Sample, outputOf: (input: bigint) => bigint) => {
    const sold = coins[from]
    const bought = coins[to]
    return sold && bought && terms ? v3AmountOut({ from: sold, to: bought }, terms, amountIn, outputOf) : null
  }
  return {
    call(from, to, amountIn) {
      let given = 0n
      swap({ from, to, amountIn }, (input) => {
        given = input
        return 0n
      })
      const params = [0, given, BALANCES_AT, from, to, ZERO_ADDRESS, userDataAt, live.length, ...live, 0]
      return { to: contractIn(address), data: callData(ON_SWAP, PARAMS_AT, ...params) }
    },
    read: (reply, sample) => (hasWords(reply, 1) ? swap(sample, () => uintWord(reply, 0)) : null),
  }
}

const USER_DATA_AT = 6 * 32

/** Quotes with the router's query. Only the zero address may call it, and its changes last until the call ends. */
function routerQuery(router: Address, { address, coins = [] }: Pool): ContractQuote {
  return {
    call(from, to, amountIn) {
      const tokens = [coins[from] ?? ZERO_ADDRESS, coins[to] ?? ZERO_ADDRESS]
      const args = [contractIn(address), ...tokens, amountIn, ZERO_ADDRESS, USER_DATA_AT, 0]
      return { to: router, data: callData(QUERY_SWAP, ...args) }
    },
    read: (reply) => (hasWords(reply, 1) ? uintWord(reply, 0) : null),
  }
}
