import { AbiCoder, Interface, keccak256, toBeHex } from 'ethers'
import { expect, test } from 'vitest'
import { replayLogs } from '../../../test/replay-receipt.ts'
import type { KnownResult } from '../../../test/run-proof.ts'
import { type Address, type Hex, NATIVE_PLACEHOLDER } from '../../chain/hex.ts'
import { builtInDeployments } from '../../deployments/dex-config.ts'

/**
 *   list in the contract's storage:  [other key, USDC/USDT key]
 *   LogSwap of the pool whose id is the beginning of the second key's hash
 */
const CONTRACT: Address = '0xbbcb91440523216e2b87052a99f69c604a7b6e00'
const USDC: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const USDT: Address = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const { dexes, wrappedNative } = builtInDeployments.eth
const SALT = toBeHex(0, 32)
const KEYS = [
  [USDC, NATIVE_PLACEHOLDER, SALT],
  [USDC, USDT, SALT],
] as const
const encode = (types: string[], values: readonly unknown[]) => AbiCoder.defaultAbiCoder().encode(types, values)
const idOf = (key: readonly string[]) => BigInt(keccak256(encode(['address', 'address', 'bytes32'], key)).slice(0, 18))

const stored = (slot: bigint, word: string | bigint): KnownResult => ({
  to: CONTRACT,
  abi: 'function readFromStorage(bytes32 slot) view returns (uint256)',
  args: [toBeHex(slot, 32)],
  result: [word],
})
const first = BigInt(keccak256(toBeHex(1, 32)))
const list = [stored(1n, 2n), ...KEYS.flat().map((word, index) => stored(first + BigInt(index), BigInt(word)))]

/** Decimals of token0, token1. */
const variables = (decimals: readonly [number, number]) => (BigInt(decimals[0]) << 126n) | (BigInt(decimals[1]) << 131n)

function hopsOf(
  id: bigint,
  decimals: readonly [number, number],
  isFirstSold: boolean,
  emitter = CONTRACT,
  known = list,
) {
  const swap = id | (isFirstSold ? 1n << 64n : 0n) | (5_000_000_123n << 65n) | (4_999_000_999n << 125n)
  const abi = new Interface(['event LogSwap(uint256 swapData, uint256 dexVariables)'])
  const { topics, data } = abi.encodeEventLog('LogSwap', [swap, variables(decimals)])
  const log = { address: emitter, topics: topics as Hex[], data: data as Hex, transactionIndex: 0, logIndex: 0 }
  return replayLogs(1, [log], dexes, known, wrappedNative).hops
}

test('a swap is of the pool whose key is listed, its amounts in the units of its tokens', () => {
  const id = idOf(KEYS[1])
  expect(hopsOf(id, [6, 6], true)).toMatchObject([
    { tokenIn: USDC, amountIn: 5_000_000n, tokenOut: USDT, amountOut: 4_999_000n },
  ])
  expect(hopsOf(id, [6, 6], false)).toMatchObject([
    { tokenIn: USDT, amountIn: 5_000_000n, tokenOut: USDC, amountOut: 4_999_000n },
  ])
  expect(hopsOf(idOf(KEYS[0]), [6, 18], true)).toMatchObject([
    {
      tokenIn: USDC,
      amountIn: 5_000_000n,
      tokenOut: wrappedNative,
      amountOut: 4_999_000_999n * 10n ** 9n,
      nativeOut: true,
    },
  ])
})

test('a swap of a pool that is not listed, or by any other contract, is dropped', () => {
  expect(hopsOf(idOf([USDT, USDC, SALT]), [6, 6], true)).toEqual([])
  expect(hopsOf(idOf(KEYS[1]), [6, 6], true, CONTRACT, [])).toEqual([])
  expect(hopsOf(idOf(KEYS[1]), [6, 6], true, CONTRACT, [stored(1n, 2n ** 40n)])).toEqual([])
  const forger: Address = `0x${'66'.repeat(20)}`
  expect(
    hopsOf(idOf(KEYS[1]), [6, 6], true, forger, [...list, ...list.map((each) => ({ ...each, to: forger }))]),
  ).toEqual([])
})
