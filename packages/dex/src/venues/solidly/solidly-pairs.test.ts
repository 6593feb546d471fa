import { expect, test } from 'vitest'
import { SOLVER, stablePair, volatilePair } from './quote.ts'

const USDC = 10n ** 6n
const DAI = 10n ** 18n
const stable = (solver: bigint, reserves = [10n ** 6n * USDC, 10n ** 6n * DAI]) =>
  stablePair.of([...reserves, 1n, 10_000n, USDC, DAI, solver])

test('values that no pair has are refused', () => {
  expect(volatilePair.of([1n, 1n, 1n])).toBeNull()
  expect(volatilePair.of([1n, 1n, 1n, 1n])).toBeNull()
  expect(stablePair.of([1n, 1n, 1n, 2n, 0n, 1n, 0n])).toBeNull()
  expect(stablePair.of([1n, 1n, 1n, 2n, 1n, 1n, 2n])).toBeNull()
  expect(stable(SOLVER.near, [0n, 0n])?.amountOut(0, 1, 1_000n)).toBeNull()
})
