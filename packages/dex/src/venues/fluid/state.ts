import { contractCall } from '../../abi/contract-abi.ts'
import { hasWords, uintWord, wordOf } from '../../abi/words.ts'
import type { Address, Hex } from '../../chain.ts'
import type { Pool } from '../../pool.ts'
import { type ContractQuote, candidate, checkedState } from '../checked-state.ts'
import type { StateReading, StateSteps } from '../protocol.ts'
import { type FluidCoin, fluidFormula, fluidValues } from './quote.ts'

const READ_STORAGE = contractCall<[bigint]>('function readFromStorage(bytes32 slot) view returns (uint256 result)')
/** Returns the numerator and denominator of the conversion to twelve decimals, of token0 and then of token1. */
const CONSTANTS = contractCall<[bigint, bigint, bigint, bigint]>(
  'function constantsView2() view returns (uint256, uint256, uint256, uint256)',
)
/** The resolver returns addresses, fee and center price, then collateral reserves, debt reserves and limits. */
const RESERVES = contractCall('function getPoolReservesAdjusted(address pool)')
const RESERVES_WORDS = 27
const CENTER_PRICE = 4
const COLLATERAL = 5
/** First word of the debt reserves, after the two debts. */
const DEBT = 11
/** First word of the limits. A limit is the available amount, the amount it expands to and the time that this takes. */
const WITHDRAWABLE = 15
const BORROWABLE = 21
const LIMIT_WORDS = 3
/** The resolver returns what `swapIn` would pay, or 0. */
const ESTIMATE = contractCall<[bigint]>(
  'function estimateSwapIn(address dex, bool swap0to1, uint256 amountIn, uint256 amountOutMin) returns (uint256)',
)

/**
 * Reads pools through the deployment's resolver; without a resolver pools are not quoted. Interest changes the reserves
 * all the time, and other users of the Liquidity layer change its limits.
 */
export const FLUID_STATE: StateReading = { steps: readFluid, isReadAgain: true, ticks: null }

function* readFluid({ address, dex }: Pool, timestamp: number): StateSteps {
  const resolver = dex.contracts?.resolver
  if (resolver === undefined) return null
  const [first, second, constants, reserves] = yield [
    ...[0n, 1n].map((slot) => ({ to: address, data: READ_STORAGE.data(`0x${wordOf(slot)}`) })),
    { to: address, data: CONSTANTS.data() },
    { to: resolver, data: RESERVES.data(address) },
  ]
  const [[variables] = [], [variables2] = []] = [READ_STORAGE.read(first) ?? [], READ_STORAGE.read(second) ?? []]
  const factors = CONSTANTS.read(constants)
  if (variables === undefined || variables2 === undefined || factors === null) return null
  if (!reserves || !hasWords(reserves, RESERVES_WORDS)) return null
  const coinOf = (coin: 0 | 1): FluidCoin => ({
    numerator: factors[coin === 0 ? 0 : 2],
    denominator: factors[coin === 0 ? 1 : 3],
    collateral: uintWord(reserves, COLLATERAL + coin),
    collateralImaginary: uintWord(reserves, COLLATERAL + 2 + coin),
    debt: uintWord(reserves, DEBT + coin),
    debtImaginary: uintWord(reserves, DEBT + 2 + coin),
    withdrawable: uintWord(reserves, WITHDRAWABLE + coin * LIMIT_WORDS),
    borrowable: uintWord(reserves, BORROWABLE + coin * LIMIT_WORDS),
  })
  const centerPrice = uintWord(reserves, CENTER_PRICE)
  const values = fluidValues({ variables, variables2, centerPrice, coins: [coinOf(0), coinOf(1)] })
  return yield* checkedState(candidate(fluidFormula, values, timestamp), estimateOf(resolver, address))
}

function estimateOf(resolver: Address, pool: Address): ContractQuote {
  return {
    call: (from, _to, amountIn) => ({ to: resolver, data: ESTIMATE.data(pool, from === 0 ? 1 : 0, amountIn, 0n) }),
    read: (reply: Hex) => {
      const [paid = 0n] = ESTIMATE.read(reply) ?? []
      return paid === 0n ? null : paid
    },
  }
}
