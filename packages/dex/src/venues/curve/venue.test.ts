import { describe, expect, test } from 'vitest'
import { madePool } from '../../../test/made-hop.ts'
import { answerProof, type KnownResult } from '../../../test/run-proof.ts'
import { type Address, ZERO_ADDRESS } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import { provePool } from '../prove-pool.ts'
import { decodersOf } from '../registry.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const POOL = address('aa')
const [A, B, C, D] = [address('01'), address('02'), address('03'), address('04')]
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

test('an exchange that a router repeats is not read', () => {
  const topics = [...decodersOf(['curve']).keys()]
  expect(topics).not.toContain('0x56d0661e240dfb199ef196e16e6f42473990366314f0226ac978f7be3cd9ee83')
  expect(topics).not.toContain('0x6324485a21bc5138ec352d4949d0adc75d8e1382a687e1aa1ce6863f40c9e463')
})

describe('a pool', () => {
  const contracts = {
    addressProvider: address('f0'),
    crvusdFactory: address('f1'),
    cryptoFactory: address('f2'),
    stableNgFactory: address('f3'),
    twocryptoFactory: address('f4'),
    tricryptoFactory: address('f5'),
  }
  const dex: Dex = { name: 'curve', kind: 'curve', factory: address('ff'), contracts }
  const prove = (known: readonly KnownResult[], dexes: readonly Dex[] = [dex]) =>
    answerProof(provePool({ pool: POOL, family: 'curve', events: [] }, dexes), known)
  const coinsBy = (to: Address, type: string, coins: readonly string[]): KnownResult => {
    const length = Number(/\d+/.exec(type)?.[0] ?? coins.length)
    const filled = [...coins, ...Array(length - coins.length).fill(ZERO_ADDRESS)]
    return { to, abi: `function get_coins(address) view returns (${type})`, args: [POOL], result: [filled] }
  }
  const underlyingBy = (to: Address, type: string, coins: readonly string[]): KnownResult => ({
    ...coinsBy(to, type, coins),
    abi: `function get_underlying_coins(address) view returns (${type})`,
  })
  const registryBy = (id: number, registry: Address): KnownResult => ({
    to: contracts.addressProvider,
    abi: 'function get_address(uint256) view returns (address)',
    args: [id],
    result: [registry],
  })

  test.each([
    ['the StableSwap factory', dex.factory, 'address[4]', [A, B, C]],
    ['the factory of crvUSD pools', contracts.crvusdFactory, 'address[4]', [A, B]],
    ['the crypto factory', contracts.cryptoFactory, 'address[2]', [A, B]],
    ['the StableSwap NG factory', contracts.stableNgFactory, 'address[]', [A, B, C, D]],
    ['the twocrypto factory', contracts.twocryptoFactory, 'address[2]', [A, B]],
    ['the tricrypto factory', contracts.tricryptoFactory, 'address[3]', [A, B, C]],
  ])('is what %s knows, in the form that it returns', (_, factory, type, coins) => {
    const others = [dex.factory, contracts.cryptoFactory].filter((other) => other !== factory)
    expect(prove([...others.map((other) => coinsBy(other, 'address[2]', [])), coinsBy(factory, type, coins)])).toEqual(
      madePool(POOL, [A, B], { dex, fee: 0, coins }),
    )
  })

  test.each([
    ['the registry of stable pools', 0],
    ['the registry of crypto pools', 5],
    ['the MetaRegistry', 7],
  ])('older than the factories is what %s knows', (_, id) => {
    const registry = address('0e')
    const known = [coinsBy(dex.factory, 'address[4]', []), registryBy(id, registry)]
    expect(prove([...known, coinsBy(registry, 'address[8]', [A, B, C])])?.coins).toEqual([A, B, C])
    expect(prove([...known, coinsBy(registry, 'address[8]', [])])).toBeNull()
  })

  test('keeps the underlying tokens of its coins: what is lent, or the coins of its base pool', () => {
    const coins = coinsBy(contracts.stableNgFactory, 'address[]', [A, B])
    const of = (underlying: KnownResult) => prove([coins, underlying])?.underlying
    expect(of(underlyingBy(contracts.stableNgFactory, 'address[]', [A, C, D]))).toEqual([A, C, D])
    expect(of(underlyingBy(contracts.stableNgFactory, 'address[8]', [C, D]))).toEqual([C, D])
    expect(of(underlyingBy(contracts.stableNgFactory, 'address[8]', [C]))).toBeUndefined()
  })

  test('with the native coin has the zero address for it', () => {
    const known = coinsBy(dex.factory, 'address[4]', [NATIVE, A])
    expect(prove([known])).toMatchObject({ token0: ZERO_ADDRESS, token1: A, coins: [ZERO_ADDRESS, A] })
  })

  test.each([
    ['nothing at all', []],
    ['only zeros', [coinsBy(dex.factory, 'address[4]', [])]],
    ['one coin', [coinsBy(dex.factory, 'address[4]', [A])]],
    ['one coin twice', [coinsBy(dex.factory, 'address[4]', [A, A])]],
    ['its coins, but by a factory that is not configured', [coinsBy(address('66'), 'address[4]', [A, B])]],
    ['a number', [{ ...coinsBy(dex.factory, 'uint256', []), result: [2n ** 255n] }]],
  ])('for which the contracts return %s is unverified', (_, known) => {
    expect(prove(known)).toBeNull()
  })

  describe('of PancakeSwap', () => {
    const pancake: Dex = { name: 'pancakeswap-stableswap', kind: 'curve', factory: address('cc') }
    const claim = (coins: readonly string[]): KnownResult[] =>
      coins.map((coin, index) => ({
        to: POOL,
        abi: 'function coins(uint256) view returns (address)',
        args: [index],
        result: [coin],
      }))
    const pair = (pool: Address, tokens: readonly string[]): KnownResult => ({
      to: pancake.factory,
      abi: 'function getPairInfo(address, address) view returns ((address swapContract, address token0, address token1, address LPContract))',
      args: tokens,
      result: [[pool, ...tokens, D]],
    })
    const triple = (pool: Address, tokens: readonly string[]): KnownResult => ({
      to: pancake.factory,
      abi: 'function getThreePoolPairInfo(address, address) view returns ((address swapContract, address token0, address token1, address token2, address LPContract))',
      args: tokens.slice(0, 2),
      result: [[pool, ...tokens, D]],
    })

    test('is the one that the factory names for its coins', () => {
      expect(prove([...claim([A, B]), pair(POOL, [A, B])], [pancake])?.coins).toEqual([A, B])
      expect(prove([...claim([NATIVE, A]), pair(POOL, [NATIVE, A])], [pancake])?.coins).toEqual([ZERO_ADDRESS, A])
      const three = prove([...claim([A, B]), pair(ZERO_ADDRESS, [A, B]), triple(POOL, [A, B, C])], [pancake])
      expect(three).toEqual(madePool(POOL, [A, B], { dex: pancake, fee: 0, coins: [A, B, C] }))
    })

    test('is found beside a configured Curve', () => {
      expect(prove([...claim([A, B]), pair(POOL, [A, B])], [dex, pancake])?.dex).toBe(pancake)
    })
  })
})
