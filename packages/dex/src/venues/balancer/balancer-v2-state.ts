import { contractCall, selectorOf } from '../../abi/contract-abi.ts'
import { callData, hasWords, intWord } from '../../abi/words.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '../../chain.ts'
import type { Pool } from '../../pool.ts'
import type { NotQuoted } from '../../pool-state.ts'
import { present } from '../../present.ts'
import { type ContractQuote, candidate, checkedState } from '../checked-state.ts'
import { areKnownRates, factoryCalls, isFromFactory } from '../known-code.ts'
import { contractIn, idOf } from '../managed-pool.ts'
import type { CallResults, EthCall, StateReading, StateSteps } from '../protocol.ts'
import { ONE } from './fixed-point.ts'
import { AMP_PRECISION } from './stable-math.ts'
import { balancerV2Stable, balancerV2Weighted } from './v2-quote.ts'

const GET_POOL_TOKENS = contractCall<[tokens: readonly Address[], balances: readonly bigint[], lastChange: bigint]>(
  'function getPoolTokens(bytes32 poolId) view returns (address[] tokens, uint256[] balances, uint256 lastChangeBlock)',
)
const GET_TOKEN_INFO = contractCall<[cash: bigint, managed: bigint, lastChange: bigint, assetManager: Address]>(
  'function getPoolTokenInfo(bytes32 poolId, address token) view returns (uint256, uint256, uint256, address)',
)
/** A paused vault still answers queries. */
const GET_PAUSED = contractCall<[paused: boolean, windowEnd: bigint, bufferEnd: bigint]>(
  'function getPausedState() view returns (bool paused, uint256 pauseWindowEndTime, uint256 bufferPeriodEndTime)',
)
const QUERY_SWAP = selectorOf(
  'function queryBatchSwap(uint8 kind, tuple(bytes32 poolId, uint256 assetInIndex, uint256 assetOutIndex, uint256 amount, bytes userData)[] swaps, address[] assets, tuple(address sender, bool fromInternalBalance, address recipient, bool toInternalBalance) funds) returns (int256[])',
)

const GET_FEE = contractCall<[bigint]>('function getSwapFeePercentage() view returns (uint256)')
const GET_WEIGHTS = contractCall<[readonly bigint[]]>('function getNormalizedWeights() view returns (uint256[])')
const GET_AMPLIFICATION = contractCall<[value: bigint, isUpdating: boolean, precision: bigint]>(
  'function getAmplificationParameter() view returns (uint256, bool, uint256)',
)
/** Exists on pools from 2022 on, which round differently. */
const IN_RECOVERY_MODE = contractCall<[boolean]>('function inRecoveryMode() view returns (bool)')
/** Exists only on pools whose owner can pause swaps and shift weights. */
const GET_SWAP_ENABLED = contractCall<[boolean]>('function getSwapEnabled() view returns (bool)')
const GET_RATE_PROVIDERS = contractCall<[readonly Address[]]>('function getRateProviders() view returns (address[])')
/** MetaStablePool. */
const GET_PRICE_RATE = contractCall<[rate: bigint, duration: bigint, expires: bigint]>(
  'function getPriceRateCache(address token) view returns (uint256, uint256, uint256)',
)
/** StablePhantomPool. */
const GET_PHANTOM_RATE = contractCall<[rate: bigint, duration: bigint, expires: bigint]>(
  'function getTokenRateCache(address token) view returns (uint256, uint256, uint256)',
)
/** ComposableStablePool. */
const GET_TOKEN_RATE = contractCall<[rate: bigint, oldRate: bigint, duration: bigint, expires: bigint]>(
  'function getTokenRateCache(address token) view returns (uint256, uint256, uint256, uint256)',
)

const GET_DECIMALS = contractCall<[bigint]>('function decimals() view returns (uint256)')
const GET_RATE = contractCall<[bigint]>('function getRate() view returns (uint256)')

const MAX_DECIMALS = 18n
const MAX_COINS = 20

/**
 * The vault runs any contract as a pool. So a known factory must have deployed the pool, and the vault's swap query
 * must match the maths that the pool's functions suggest.
 */
export const BALANCER_V2_STATE: StateReading = {
  isReadAgain: true,
  unknown: readUnknown,
  steps: readState,
  ticks: null,
}

function* readUnknown({ address, dex }: Pool): Generator<readonly EthCall[], NotQuoted | null, CallResults> {
  const contract = contractIn(address)
  const ofPool = [GET_AMPLIFICATION, GET_RATE_PROVIDERS].map((call) => ({ to: contract, data: call.data() }))
  const [amplification, providers, ...ofFactories] = yield [...ofPool, ...factoryCalls(dex, contract)]
  if (!isFromFactory(ofFactories)) return 'unknown-code'
  if (GET_AMPLIFICATION.read(amplification) === null) return null
  return areKnownRates(dex, GET_RATE_PROVIDERS.read(providers)?.[0] ?? []) ? null : 'unknown-rate'
}

function* readState(pool: Pool, timestamp: number): StateSteps {
  const { coins = [] } = pool
  if (coins.length > MAX_COINS) return null
  const replies = yield [...callsOfPool(pool), ...coins.flatMap((coin) => callsOfCoin(pool, coin))]
  const facts = readFacts(pool, replies.slice(0, POOL_CALLS))
  if (facts === null) return null
  const read: CoinFacts[] = []
  for (const [index, token] of coins.entries()) {
    const start = POOL_CALLS + index * COIN_CALLS
    const coin = readCoin(
      facts,
      { index, token, shares: contractIn(pool.address) },
      replies.slice(start, start + COIN_CALLS),
    )
    if (coin === null) return null
    read.push(coin)
  }
  const version = facts.isLater ? 1n : 0n
  const { weights, amplification, fee } = facts
  if (weights !== null) {
    if (weights.length !== read.length) return null
    const values = read.flatMap(({ total, cash, scaling }, index) => [total, cash, scaling, present(weights[index])])
    return yield* checkedState(candidate(balancerV2Weighted, [version, fee, ...values]), vaultQuery(pool, coins))
  }
  const rates = yield* readRates(read, timestamp)
  if (amplification === null || rates === null) return null
  const values = read.flatMap(({ total, cash, scaling }, index) => [
    total,
    cash,
    (scaling * present(rates[index])) / ONE,
  ])
  // Amplification and rates may start to change without an event of the vault.
  const state = candidate(balancerV2Stable, [version, amplification, fee, ...values], timestamp)
  return yield* checkedState(state, vaultQuery(pool, coins))
}

interface PoolFacts {
  fee: bigint
  weights: readonly bigint[] | null
  amplification: bigint | null
  rateProviders: readonly Address[]
  /** Number of coins that the vault still lists; these are the pool's first coins. */
  listed: number
  isLater: boolean
}

const POOL_CALLS = 8

function callsOfPool({ address, dex }: Pool): EthCall[] {
  const calls = [GET_FEE, GET_WEIGHTS, GET_AMPLIFICATION, IN_RECOVERY_MODE, GET_SWAP_ENABLED, GET_RATE_PROVIDERS]
  return [
    { to: dex.factory, data: GET_POOL_TOKENS.data(idOf(address)) },
    { to: dex.factory, data: GET_PAUSED.data() },
    ...calls.map((call) => ({ to: contractIn(address), data: call.data() })),
  ]
}

function readFacts({ coins = [] }: Pool, replies: CallResults): PoolFacts | null {
  const [tokens, paused, fee, weights, amplification, recovery, swapEnabled, providers] = replies
  const listed = GET_POOL_TOKENS.read(tokens)?.[0]
  const feeShare = GET_FEE.read(fee)?.[0]
  if (GET_PAUSED.read(paused)?.[0] !== false) return null
  if (listed === undefined || feeShare === undefined || GET_SWAP_ENABLED.read(swapEnabled) !== null) return null
  if (listed.some((token, index) => token !== coins[index])) return null
  const [amount, , precision] = GET_AMPLIFICATION.read(amplification) ?? [null, false, 0n]
  return {
    fee: feeShare,
    weights: GET_WEIGHTS.read(weights)?.[0] ?? null,
    amplification: precision === AMP_PRECISION ? amount : null,
    rateProviders: GET_RATE_PROVIDERS.read(providers)?.[0] ?? [],
    listed: listed.length,
    isLater: IN_RECOVERY_MODE.read(recovery) !== null,
  }
}

interface CoinFacts {
  total: bigint
  cash: bigint
  /** Factor from base units to 18 decimals, itself with 18 decimals; 0 for the pool's own shares and removed coins. */
  scaling: bigint
  /** Null means a rate of 1. */
  rate: CachedRate | null
}

/** A rate that the pool caches until `expires`; the first swap afterwards refreshes it. */
interface CachedRate {
  provider: Address
  value: bigint
  expires: bigint
}

const COIN_CALLS = 4

function callsOfCoin({ address, dex }: Pool, token: Address): EthCall[] {
  const contract = contractIn(address)
  return [
    { to: dex.factory, data: GET_TOKEN_INFO.data(idOf(address), token) },
    { to: token, data: GET_DECIMALS.data() },
    { to: contract, data: GET_PRICE_RATE.data(token) },
    { to: contract, data: GET_TOKEN_RATE.data(token) },
  ]
}

function readCoin(
  { rateProviders, listed, weights }: PoolFacts,
  { index, token, shares }: { index: number; token: Address; shares: Address },
  [info, decimals, priceRate, tokenRate]: CallResults,
): CoinFacts | null {
  if (index >= listed || token === shares) return { total: 0n, cash: 0n, scaling: 0n, rate: null }
  const [cash, managed] = GET_TOKEN_INFO.read(info) ?? []
  const digits = GET_DECIMALS.read(decimals)?.[0]
  if (cash === undefined || managed === undefined || digits === undefined || digits > MAX_DECIMALS) return null
  const coin = { total: cash + managed, cash, scaling: ONE * 10n ** (MAX_DECIMALS - digits) }
  const provider = rateProviders[index] ?? ZERO_ADDRESS
  // Weighted pools use rates for fees only.
  if (provider === ZERO_ADDRESS || weights !== null) return { ...coin, rate: null }
  const [value, expires] = readRate(priceRate, tokenRate)
  return value === undefined || expires === undefined ? null : { ...coin, rate: { provider, value, expires } }
}

function readRate(priceRate: Hex | null | undefined, tokenRate: Hex | null | undefined): [bigint?, bigint?] {
  const early = GET_PRICE_RATE.read(priceRate) ?? GET_PHANTOM_RATE.read(tokenRate)
  if (early !== null) return [early[0], early[2]]
  const late = GET_TOKEN_RATE.read(tokenRate)
  return late === null ? [] : [late[0], late[3]]
}

/** Returns each coin's current rate, with 18 decimals; null if any rate cannot be read. */
function* readRates(
  coins: readonly CoinFacts[],
  timestamp: number,
): Generator<readonly EthCall[], bigint[] | null, CallResults> {
  const expired = coins.flatMap(({ rate }) => (rate !== null && rate.expires < BigInt(timestamp) ? [rate] : []))
  const replies =
    expired.length === 0 ? [] : yield expired.map(({ provider }) => ({ to: provider, data: GET_RATE.data() }))
  const current = new Map(expired.map((rate, index) => [rate, GET_RATE.read(replies[index])?.[0]]))
  const rates = coins.map(({ rate }) => (rate === null ? ONE : current.has(rate) ? current.get(rate) : rate.value))
  return rates.every((rate) => rate !== undefined) ? rates : null
}

// Byte offsets in the arguments of queryBatchSwap: seven words, one swap step of six, two assets.
const SWAPS_AT = 7 * 32
const ASSETS_AT = SWAPS_AT + 8 * 32
const STEP_AT = 32
const USER_DATA_AT = 5 * 32
const GIVEN_IN = 0

function vaultQuery({ address, dex }: Pool, coins: readonly Address[]): ContractQuote {
  return {
    call(from, to, amountIn) {
      const funds = [ZERO_ADDRESS, 0, ZERO_ADDRESS, 0]
      const step = [1, STEP_AT, idOf(address), 0, 1, amountIn, USER_DATA_AT, 0]
      const assets = [2, coins[from] ?? ZERO_ADDRESS, coins[to] ?? ZERO_ADDRESS]
      return {
        to: dex.factory,
        data: callData(QUERY_SWAP, GIVEN_IN, SWAPS_AT, ASSETS_AT, ...funds, ...step, ...assets),
      }
    },
    read: (reply) => (hasWords(reply, DELTAS_LENGTH) ? -intWord(reply, DELTAS_LENGTH - 1) : null),
  }
}

const DELTAS_LENGTH = 4
