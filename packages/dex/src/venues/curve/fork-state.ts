import { contractCall } from '../../abi/contract-abi.ts'
import type { Pool } from '../../pool.ts'
import { type ContractQuote, candidate, checkedState } from '../checked-state.ts'
import type { StateSteps } from '../protocol.ts'
import { type CurveAnswers, whole } from './curve-answers.ts'
import { CURVE_STABLE, type StablePool, stableValues } from './stable/curve-stable.ts'
import { LISTA_STABLE, listaValues } from './stable/lista-stable.ts'

const GET_DY = contractCall<[bigint]>('function get_dy(uint256, uint256, uint256) view returns (uint256)')
const IS_KILLED = contractCall<[boolean]>('function is_killed() view returns (bool)')
const PAUSED = contractCall<[boolean]>('function paused() view returns (bool)')
const SKIPS = contractCall<[boolean]>('function skipPriceDiff() view returns (bool)')

const ADMIN_FEE = contractCall<[bigint]>('function admin_fee() view returns (uint256)')
const PRICES = contractCall<[readonly bigint[]]>('function fetchOraclePrice() view returns (uint256[2])')
const THRESHOLDS = [0, 1].map((coin) =>
  contractCall<[bigint]>(`function price${coin}DiffThreshold() view returns (uint256)`),
)

/** Units of A. Lista stores A in hundredths, but no view function says so. */
const PRECISIONS = [1n, 100n]

export function* forkState({ address: to }: Pool, answers: CurveAnswers, timestamp: number): StateSteps {
  const { amplification, ramp, fee, balances, fixedRates: rates } = answers
  if (amplification === null || ramp === null || fee === null || balances === null || rates === null) return null
  const now = BigInt(timestamp)
  const precise = rampedAmplification(ramp, now)
  const precision = PRECISIONS.find((units) => precise / units === amplification)
  if (precision === undefined) return null
  const [killed, paused, skips] = yield [IS_KILLED, PAUSED, SKIPS].map((call) => ({ to, data: call.data() }))
  if (IS_KILLED.read(killed)?.[0] || PAUSED.read(paused)?.[0]) return null
  const pool: StablePool = {
    amplification: precise,
    precision,
    rounding: 'each',
    keepsOne: true,
    prices: 'none',
    takesFee: 'before',
    fee,
    offPegMultiplier: 0n,
    basis: null,
    balances,
    rates,
  }
  const quote: ContractQuote = {
    call: (from, into, amountIn) => ({ to, data: GET_DY.data(from, into, amountIn) }),
    read: (reply) => GET_DY.read(reply)?.[0] ?? null,
  }
  const viewed = CURVE_STABLE.of(stableValues({ ...pool, takesFee: 'after' }))
  if (SKIPS.read(skips)?.[0] === false) {
    const [adminFee, prices, ...thresholds] = yield [ADMIN_FEE, PRICES, ...THRESHOLDS].map((call) => ({
      to,
      data: call.data(),
    }))
    const limits = whole(THRESHOLDS.map((call, coin) => call.read(thresholds[coin])?.[0]))
    const kept = ADMIN_FEE.read(adminFee)?.[0]
    const storedPrices = PRICES.read(prices)?.[0]
    if (kept === undefined || storedPrices === undefined || limits === null) return null
    const values = listaValues(pool, { adminFee: kept, prices: storedPrices, thresholds: limits })
    return yield* checkedState({ ...candidate(LISTA_STABLE, values, timestamp), viewed }, quote)
  }
  const movesFrom = ramp.ends > now ? timestamp : null
  return yield* checkedState({ ...candidate(CURVE_STABLE, stableValues(pool), movesFrom), viewed }, quote)
}

function rampedAmplification(
  { initial, future, begins, ends }: NonNullable<CurveAnswers['ramp']>,
  now: bigint,
): bigint {
  if (now >= ends || ends <= begins) return future
  const moved = (future > initial ? future - initial : initial - future) * (now - begins)
  return future > initial ? initial + moved / (ends - begins) : initial - moved / (ends - begins)
}
