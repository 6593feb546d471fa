import { contractCall } from '../../abi/contract-abi.ts'
import { bytesTail, uintWord } from '../../abi/words.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '../../chain.ts'
import type { Pool } from '../../pool.ts'
import { candidate, firstCheckedState } from '../checked-state.ts'
import type { CallResults, EthCall, StateSteps } from '../protocol.ts'
import { type CryptoInvariantName, type CryptoPoolState, cryptoPools, cryptoValues } from './crypto/crypto-pools.ts'
import type { FeeRule } from './crypto/swap-fee.ts'
import { whole } from './curve-answers.ts'

const GET_DY = contractCall<[bigint]>('function get_dy(uint256, uint256, uint256) view returns (uint256)')
const VERSION = contractCall<[Hex]>('function version() view returns (string)')
const DECIMALS = contractCall<[bigint]>('function decimals() view returns (uint256)')
const BALANCES = contractCall<[bigint]>('function balances(uint256) view returns (uint256)')
const PRICE_SCALE = contractCall<[bigint]>('function price_scale() view returns (uint256)')
const PRICE_SCALE_OF = contractCall<[bigint]>('function price_scale(uint256) view returns (uint256)')
const MATH = contractCall<[Address]>('function MATH() view returns (address)')
const FACTORY = contractCall<[Address]>('function factory() view returns (address)')
const POLICY = contractCall<[Address]>('function POLICY() view returns (address)')

const number = (name: string) => contractCall<[bigint]>(`function ${name}() view returns (uint256)`)
const NUMBERS = {
  A: number('A'),
  gamma: number('gamma'),
  D: number('D'),
  rampEnds: number('future_A_gamma_time'),
  midFee: number('mid_fee'),
  outFee: number('out_fee'),
  feeGamma: number('fee_gamma'),
  lastTime: number('last_timestamp'),
  donated: number('donation_shares'),
  /** Not 0 if the pool is stopped. Factory pools cannot be stopped. */
  isKilled: number('is_killed'),
  /** Exists in pools that lend their coins: `exchange` counts interest first, `get_dy` does not. */
  rewardReceiver: number('reward_receiver'),
}

interface Answers {
  numbers: Readonly<Record<keyof typeof NUMBERS, bigint | null>>
  priceScales: readonly bigint[] | null
  balances: readonly bigint[] | null
  decimals: readonly bigint[] | null
  math: Address | null
  factory: Address | null
  policy: Address | null
  version: string | null
}

type Asking<Result> = Generator<readonly EthCall[], Result, CallResults>

/** Fee rules by contract version. The same source is deployed with and without the letter. */
const POOL_RULES: Readonly<Record<string, readonly FeeRule[]>> = {
  '2.0.0': ['reducing'],
  // Some pools with donations report 2.1.0.
  '2.1.0': ['reducing', 'weighted'],
  '2.1.0d': ['weighted'],
  '3.0.0': ['limited'],
}
const MATHS_OF_TWO: Readonly<Record<string, CryptoInvariantName>> = {
  '2.0.0': 'twocrypto-2.0',
  '2.1.0': 'twocrypto-2.1',
  '0.1.0': 'twocrypto-stable',
  '0.1.1': 'twocrypto-stable-0.1.1',
}

export function* cryptoState(pool: Pool, timestamp: number): StateSteps {
  const answers = yield* askCryptoPool(pool)
  const { numbers, policy } = answers
  // Without this function the pool cannot be stopped.
  const isKilled = numbers.isKilled !== null && numbers.isKilled !== 0n
  const isPaying = !isKilled && numbers.rewardReceiver === null
  const rule = feeRuleOf(answers)
  // A policy contract, if there is one, sets the fee.
  if (!isPaying || rule === null || (policy !== null && policy !== ZERO_ADDRESS)) return null
  const invariants = yield* invariantsOf(pool, answers)
  const ends = numbers.rampEnds
  const now = BigInt(timestamp)
  const candidates = invariants.flatMap((invariant) => {
    const state = stateOf(answers, invariant, rule, now)
    if (state === null || ends === null) return []
    return [candidate(cryptoPools, cryptoValues(state), ends > now ? timestamp : null)]
  })
  return yield* firstCheckedState(candidates, {
    call: (from, to, amountIn) => ({ to: pool.address, data: GET_DY.data(from, to, amountIn) }),
    read: (reply) => GET_DY.read(reply)?.[0] ?? null,
  })
}

function* askCryptoPool({ address: to, coins = [] }: Pool): Asking<Answers> {
  const names = Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]
  const priceCalls = coins.length === 2 ? [PRICE_SCALE.data()] : [PRICE_SCALE_OF.data(0), PRICE_SCALE_OF.data(1)]
  const calls = [
    ...[MATH, FACTORY, POLICY, VERSION].map((call) => call.data()),
    ...names.map((name) => NUMBERS[name].data()),
    ...priceCalls,
    ...coins.map((_, index) => BALANCES.data(index)),
  ]
  const replies = yield [
    ...calls.map((data) => ({ to, data })),
    ...coins.map((coin) => ({ to: coin, data: DECIMALS.data() })),
  ]
  const [math, factory, policy, version, ...rest] = replies
  const values = rest.map((reply) => PRICE_SCALE.read(reply)?.[0] ?? null)
  const numbers = Object.fromEntries(names.map((name, index) => [name, values[index] ?? null]))
  const perCoin = values.slice(names.length)
  const prices = priceCalls.length
  return {
    numbers: numbers as Answers['numbers'],
    priceScales: whole(perCoin.slice(0, prices)),
    balances: whole(perCoin.slice(prices, prices + coins.length)),
    decimals: whole(perCoin.slice(prices + coins.length)),
    math: MATH.read(math)?.[0] ?? null,
    factory: FACTORY.read(factory)?.[0] ?? null,
    policy: POLICY.read(policy)?.[0] ?? null,
    version: versionIn(version),
  }
}

function feeRuleOf({ numbers, policy, math, version }: Answers): FeeRule | null {
  // The first generation computes in the pool itself or in a contract that it does not name.
  if (math === null) return 'reducing'
  const shown = policy !== null ? 'limited' : numbers.donated !== null ? 'weighted' : 'reducing'
  return POOL_RULES[version ?? '']?.includes(shown) ? shown : null
}

function* invariantsOf({ coins = [] }: Pool, { math, factory }: Answers): Asking<readonly CryptoInvariantName[]> {
  const ofThree = coins.length === 3
  if (math === null && ofThree) return ['tricrypto']
  // A factory pool names its factory. For other pools the quotes tell the curves apart, if amounts have enough digits.
  if (math === null) return factory === null ? ['crypto2-either', 'crypto2', 'crypto2-2022'] : ['crypto2']
  const [reply] = yield [{ to: math, data: VERSION.data() }]
  const version = versionIn(reply)
  if (ofThree) return version === '2.0.0' ? ['tricrypto-ng'] : []
  const name = MATHS_OF_TWO[version ?? '']
  return name === undefined ? [] : [name]
}

function stateOf(answers: Answers, invariant: CryptoInvariantName, rule: FeeRule, now: bigint): CryptoPoolState | null {
  const { numbers, priceScales, balances, decimals, math } = answers
  const { A, gamma, D, midFee, outFee, feeGamma, rampEnds, lastTime } = numbers
  const precisions = whole((decimals ?? []).map((digits) => (digits > 18n ? null : 10n ** (18n - digits))))
  const terms = whole([A, gamma, D, midFee, outFee, feeGamma, rampEnds])
  if (terms === null || precisions === null || priceScales === null || balances === null) return null
  const [a = 0n, g = 0n, d = 0n, mid = 0n, out = 0n, gammaOfFee = 0n, ends = 0n] = terms
  // The contract recomputes D before each swap if the ramp ends after this time.
  const rampOver = math === null ? 0n : rule === 'reducing' ? now : (lastTime ?? now)
  return {
    invariant,
    rule,
    A: a,
    gamma: g,
    D: d,
    midFee: mid,
    outFee: out,
    feeGamma: gammaOfFee,
    isRamping: ends > rampOver,
    priceScales,
    precisions,
    balances,
  }
}

function versionIn(reply: Hex | null | undefined): string | null {
  if (!reply || reply.length < 2 + 3 * 64 || uintWord(reply, 0) !== 32n || uintWord(reply, 1) > 32n) return null
  const codes = bytesTail(reply, 0).slice(2).match(/../g) ?? []
  const text = String.fromCharCode(...codes.map((code) => Number.parseInt(code, 16)))
  return /^v?([0-9.]+[a-z]?)$/.exec(text)?.[1] ?? null
}
