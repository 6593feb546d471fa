import { describe, expect, test } from 'vitest'
import { type KnownResult, knownReplies, runSteps } from '../../test/run-proof.ts'
import type { Hex } from '../chain.ts'
import type { Dex, Pool } from '../pool.ts'
import { stateReadingOf } from './registry.ts'

const at = (byte: string): Hex => `0x${byte.repeat(20)}`
const [VAULT, CONTRACT, KNOWN, OTHER, PROVIDER, TRAP] = [at('ba'), at('c0'), at('f1'), at('f2'), at('d1'), at('d2')]
const NONE = at('00')
const rules: Partial<Dex> = { poolFactories: [OTHER, KNOWN], rateProviders: [PROVIDER] }

function reasonOf(kind: Dex['kind'], results: readonly KnownResult[], dex: Partial<Dex> = rules) {
  const address: Hex =
    kind === 'dodo' ? CONTRACT : `${VAULT}${CONTRACT.slice(2)}${kind === 'balancer-v2' ? '00'.repeat(12) : ''}`
  const [token0, token1] = [at('a1'), at('a2')]
  const of: Dex = { name: kind, kind, factory: VAULT, ...dex }
  const pool: Pool = { address, dex: of, token0, token1, fee: 0, tickSpacing: null, coins: [token0, token1] }
  return runSteps(stateReadingOf(pool)?.unknown?.(pool) ?? expect.fail('no check'), knownReplies(results))
}

const isFrom = (factory: Hex, result = true): KnownResult => ({
  to: factory,
  abi: 'function isPoolFromFactory(address) view returns (bool)',
  args: [CONTRACT],
  result: [result],
})

describe('a pool of Balancer V2', () => {
  const amplified: KnownResult = {
    to: CONTRACT,
    abi: 'function getAmplificationParameter() view returns (uint256, bool, uint256)',
    result: [1_000n, false, 1_000n],
  }
  const rates = (...providers: Hex[]): KnownResult => ({
    to: CONTRACT,
    abi: 'function getRateProviders() view returns (address[])',
    result: [providers],
  })

  test.each([
    ['weighted, of a known factory', [isFrom(KNOWN)], null],
    ['weighted, whose providers set fees alone', [isFrom(KNOWN), rates(TRAP)], null],
    ['stable, without rates', [isFrom(OTHER), amplified], null],
    ['stable, with known rates', [isFrom(KNOWN), amplified, rates(PROVIDER, NONE)], null],
    ['stable, with a rate of its maker', [isFrom(KNOWN), amplified, rates(PROVIDER, TRAP)], 'unknown-rate'],
    ['that says all the right things', [amplified, rates(), isFrom(TRAP)], 'unknown-code'],
    ['that known factories deny', [isFrom(KNOWN, false), isFrom(OTHER, false)], 'unknown-code'],
  ] as const)('%s', (_, results, reason) => {
    expect(reasonOf('balancer-v2', results)).toBe(reason)
  })

  test('is of unknown code in a deployment that names no factory', () => {
    expect(reasonOf('balancer-v2', [isFrom(KNOWN)], {})).toBe('unknown-code')
  })
})

describe('a pool of Balancer V3', () => {
  const tokens = (...types: [number, Hex][]): KnownResult => ({
    to: VAULT,
    args: [CONTRACT],
    result: [types.map(() => at('a1')), types.map((type) => [...type, false]), [], []],
    abi: 'function getPoolTokenInfo(address pool) view returns (address[], tuple(uint8, address, bool)[], uint256[], uint256[])',
  })
  const hooks = (...places: number[]): KnownResult => ({
    to: VAULT,
    args: [CONTRACT],
    result: [...Array.from({ length: 10 }, (_, place) => places.includes(place)), TRAP],
    abi: 'function getHooksConfig(address pool) view returns (bool, bool, bool, bool, bool, bool, bool, bool, bool, bool, address)',
  })

  test.each([
    ['of plain tokens', [isFrom(KNOWN), tokens([0, NONE]), hooks()], null],
    ['with a known rate', [isFrom(KNOWN), tokens([0, NONE], [1, PROVIDER]), hooks()], null],
    ['with a rate of its maker', [isFrom(KNOWN), tokens([1, PROVIDER], [1, TRAP]), hooks()], 'unknown-rate'],
    ['whose hooks are told of liquidity alone', [isFrom(KNOWN), tokens([0, NONE]), hooks(1, 2, 6)], null],
    ['whose hooks are called before swaps', [isFrom(KNOWN), tokens([0, NONE]), hooks(4)], 'hooks'],
    ['that somebody registered', [tokens([0, NONE]), hooks()], 'unknown-code'],
  ] as const)('%s', (_, results, reason) => {
    expect(reasonOf('balancer-v3', results)).toBe(reason)
  })
})

test.each([
  ['without an oracle', [], null],
  ['whose oracle is switched off', [NONE], null],
  ['with a known oracle', [PROVIDER], null],
  ['with an oracle of its owner', [TRAP], 'unknown-rate'],
] as const)('a pool of DODO %s', (_, oracles, reason) => {
  const abi = 'function _O_() view returns (address)'
  expect(
    reasonOf(
      'dodo',
      oracles.map((oracle) => ({ to: CONTRACT, abi, result: [oracle] })),
    ),
  ).toBe(reason)
})
