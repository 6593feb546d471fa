import { keccak256 } from 'ethers'
import { contractCall, selectorOf } from '../../abi/contract-abi.ts'
import { callData, hasWords, uintWord, wordOf } from '../../abi/words.ts'
import { type Address, type Hex, NATIVE_PLACEHOLDER, ZERO_ADDRESS } from '../../chain.ts'
import type { Pool } from '../../pool.ts'
import { type ContractQuote, candidate, checkedState } from '../checked-state.ts'
import { idOf } from '../managed-pool.ts'
import type { StateReading, StateSteps } from '../protocol.ts'
import { fluidLiteFormula, fluidLiteValues, movesWithTime } from './quote.ts'

const READ_STORAGE = contractCall<[bigint]>('function readFromStorage(bytes32 slot) view returns (uint256 result)')
/** The resolver returns six prices (the second is the center price), then real and imaginary reserves. */
const PRICES = selectorOf('function getPricesAndReserves(tuple(address token0, address token1, bytes32 salt) dexKey)')
const PRICES_WORDS = 10
const ESTIMATE = selectorOf(
  'function estimateSwapSingle(tuple(address token0, address token1, bytes32 salt) dexKey, bool swap0To1, int256 amountSpecified)',
)
const VARIABLES_SLOT = 2n

export const FLUID_LITE_STATE: StateReading = { steps: readPool, isReadAgain: true, ticks: null }

export function poolIdOf(key: readonly [token0: bigint, token1: bigint, salt: bigint]): Hex {
  return `0x${keccak256(`0x${key.map(wordOf).join('')}`)
    .slice(2, 18)
    .padEnd(64, '0')}`
}

function* readPool(pool: Pool, timestamp: number): StateSteps {
  const { address, dex, token0, token1 } = pool
  const resolver = dex.contracts?.resolver
  const [first, second] = [token0, token1].map(heldAs)
  if (resolver === undefined || first === undefined || second === undefined) return null
  // A `Pool` has no salt, so only pools whose key has salt 0 are quoted.
  const key = [BigInt(first), BigInt(second), 0n] as const
  if (poolIdOf(key) !== idOf(address)) return null
  const slot = keccak256(`0x${idOf(address).slice(2)}${wordOf(VARIABLES_SLOT)}`) as Hex
  const [stored, prices] = yield [
    { to: dex.factory, data: READ_STORAGE.data(slot) },
    { to: resolver, data: callData(PRICES, ...key) },
  ]
  const [variables] = READ_STORAGE.read(stored) ?? []
  if (variables === undefined || !prices || !hasWords(prices, PRICES_WORDS)) return null
  const centerPrice = uintWord(prices, 1)
  const imaginary0 = uintWord(prices, 8)
  const imaginary1 = uintWord(prices, 9)
  const values = fluidLiteValues({ variables, centerPrice, imaginary0, imaginary1 })
  const state = candidate(fluidLiteFormula, values, movesWithTime(variables) ? timestamp : null)
  return yield* checkedState(state, estimateOf(resolver, key))
}

function estimateOf(resolver: Address, key: readonly bigint[]): ContractQuote {
  return {
    call: (from, _to, amountIn) => ({ to: resolver, data: callData(ESTIMATE, ...key, from === 0 ? 1 : 0, amountIn) }),
    read: (reply: Hex) => (hasWords(reply, 1) ? uintWord(reply, 0) : null),
  }
}

function heldAs(token: Address): Address {
  return token === ZERO_ADDRESS ? NATIVE_PLACEHOLDER : token
}
