import { Interface } from 'ethers'
import { expect, test } from 'vitest'
import { readStateBy } from '../../../test/run-proof.ts'
import type { Address, Hex } from '../../chain.ts'
import type { Pool } from '../../pool.ts'
import type { EthCall } from '../protocol.ts'
import { fluidFormula, fluidValues } from './quote.ts'
import { FLUID_STATE } from './state.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [POOL, RESOLVER, FACTORY] = [address('01'), address('02'), address('03')]
const dex = { name: 'fluid', kind: 'fluid', factory: FACTORY, contracts: { resolver: RESOLVER } } as const
const pool: Pool = { address: POOL, dex, token0: address('0a'), token1: address('0b'), fee: 0, tickSpacing: null }

const limit = 'tuple(uint256 available, uint256 expandsTo, uint256 expandDuration)'
const collateral = 'tuple(uint256 real0, uint256 real1, uint256 imaginary0, uint256 imaginary1)'
const debt = 'tuple(uint256 debt0, uint256 debt1, uint256 real0, uint256 real1, uint256 imaginary0, uint256 imaginary1)'
const limits = `tuple(${limit} w0, ${limit} w1, ${limit} b0, ${limit} b1)`
const ABI = new Interface([
  'function readFromStorage(bytes32 slot) view returns (uint256)',
  'function constantsView2() view returns (uint256, uint256, uint256, uint256)',
  `function getPoolReservesAdjusted(address pool) returns (tuple(address pool, address token0, address token1, uint256 fee, uint256 centerPrice, ${collateral} collateral, ${debt} debt, ${limits} limits))`,
  'function estimateSwapIn(address dex, bool swap0to1, uint256 amountIn, uint256 amountOutMin) returns (uint256)',
])

const PRICE = 10n ** 27n
/** A pool of collateral and debt at price 1, with a fee of 0.01 %. */
const packed = (price: bigint) => (((price >> 60n) << 8n) | 60n) << 41n
const variables = packed(PRICE)
const variables2 = 3n | (100n << 2n)
const WHOLE = 10n ** 18n
const coin = (part: bigint) => ({
  numerator: 10n ** 6n,
  denominator: 1n,
  collateral: 50n * WHOLE + part,
  collateralImaginary: 5_000n * WHOLE + part,
  debt: 20n * WHOLE + part,
  debtImaginary: 2_000n * WHOLE + part,
  withdrawable: 40_000_000n,
  borrowable: 9_000_000n,
})
const coins = [coin(0n), coin(0n)] as const
const state = { variables, variables2, centerPrice: PRICE, coins }
const maths = fluidFormula.of(fluidValues(state))

function answer({ to, data }: EthCall, taken = 0n): Hex {
  const call = ABI.parseTransaction({ data })
  const reply = (...result: unknown[]) => ABI.encodeFunctionResult(call?.name ?? '', result) as Hex
  if (call?.name === 'readFromStorage') return reply(BigInt(call.args[0]) === 0n ? variables : variables2)
  if (call?.name === 'constantsView2') return reply(10n ** 6n, 1n, 10n ** 6n, 1n)
  expect(to).toBe(RESOLVER)
  if (call?.name === 'estimateSwapIn') {
    const [, isFirstSold, amountIn] = call.args
    return reply((maths?.amountOut(isFirstSold ? 0 : 1, isFirstSold ? 1 : 0, amountIn) ?? taken) - taken)
  }
  const [one, other] = coins
  const sides = (of: (each: typeof one) => bigint) => [of(one), of(other)]
  const limited = (of: (each: typeof one) => bigint) => sides(of).map((available) => [available, 0n, 0n])
  const reserves = [...sides((each) => each.collateral), ...sides((each) => each.collateralImaginary)]
  const debts = [7n, 8n, ...sides((each) => each.debt), ...sides((each) => each.debtImaginary)]
  const all = [...limited((each) => each.withdrawable), ...limited((each) => each.borrowable)]
  return reply([POOL, pool.token0, pool.token1, 100n, PRICE, reserves, debts, all])
}

test('the reserves and limits that the resolver returns are the state, for a minute', () => {
  const read = readStateBy(FLUID_STATE, pool, (calls) => calls.map((call) => answer(call)), 1_000)
  expect(read).toEqual({ kind: 'formula', formula: 'fluid', values: fluidValues(state), freshUntil: 1_060 })
  expect(maths?.balances).toEqual([49_000_000n, 49_000_000n])
  expect(maths?.amountOut(0, 1, 1_000_000n)).toBeGreaterThan(999_000n)
})

test('a pool is not quoted if the resolver estimates other amounts, or if none is configured', () => {
  expect(readStateBy(FLUID_STATE, pool, (calls) => calls.map((call) => answer(call, 1n)))).toBeNull()
  const { contracts: _contracts, ...bare } = dex
  expect(readStateBy(FLUID_STATE, { ...pool, dex: bare }, (calls) => calls.map((call) => answer(call)))).toBeNull()
})

test('nothing is paid while swaps are paused', () => {
  const paused = { ...state, variables2: variables2 | (1n << 255n) }
  expect(fluidFormula.of(fluidValues(paused))?.amountOut(0, 1, 1_000_000n)).toBeNull()
})
