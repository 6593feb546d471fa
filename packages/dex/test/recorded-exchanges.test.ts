import { describe, expect, test } from 'vitest'
import type { Address } from '../src/chain/hex.ts'
import { builtInDeployments } from '../src/deployments/dex-config.ts'
import type { Dex } from '../src/pool.ts'
import type { Hop } from '../src/trades/trade.ts'
import { emitterOf } from '../src/venues/managed-pool.ts'
import { replayReceipt } from './replay-receipt.ts'
import type { KnownResult } from './run-proof.ts'

/**
 *   recorded receipt --decode--> events --prove--> pools --toHops--> hops --collapse--> what the trader did
 *                                          ^
 *                          the contracts' results, encoded by their ABIs.
 *
 * The amounts of the hops must be ERC-20 transfers of the same receipt, so a wrong coin is found.
 */
const { wrappedNative, dexes } = builtInDeployments.eth
const USDC: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const USDT: Address = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const DAI: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'
const WBTC: Address = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'
const ZERO = `0x${'00'.repeat(20)}`
const padded = (coins: readonly string[], length: number) => [[...coins, ...Array(length - coins.length).fill(ZERO)]]

const CURVE = '0x0000000022d53366457f9d5e68ec105046fc4383'
const REGISTRY = '0x90e00ace148ca3b23ac1bc8c240c2a7dd9c2d7f5'
const THREE_POOL: Address = '0xbebc44782c7db0a1a60cb6fe97d0b483032ff1c7'
const GET_ADDRESS = 'function get_address(uint256) view returns (address)'
const GET_COINS_8 = 'function get_coins(address) view returns (address[8])'
const GET_UNDERLYING_8 = 'function get_underlying_coins(address) view returns (address[8])'
const registry: KnownResult[] = [{ to: CURVE, abi: GET_ADDRESS, args: [0], result: [REGISTRY] }]
const threePool: KnownResult[] = [
  ...registry,
  { to: REGISTRY, abi: GET_COINS_8, args: [THREE_POOL], result: padded([DAI, USDC, USDT], 8) },
  { to: REGISTRY, abi: GET_UNDERLYING_8, args: [THREE_POOL], result: padded([DAI, USDC, USDT], 8) },
]

const replay = (name: string, known: readonly KnownResult[]) => replayReceipt(name, dexes, known, wrappedNative)

/** The pool (or the vault that keeps it) received one token and paid out the other. */
function expectMoved({ hops, transfers }: ReturnType<typeof replay>): void {
  for (const { pool, tokenIn, amountIn, tokenOut, amountOut } of hops) {
    const holder = emitterOf(pool.address)
    expect(transfers).toContainEqual(expect.objectContaining({ token: tokenIn, to: holder, value: amountIn }))
    expect(transfers).toContainEqual(expect.objectContaining({ token: tokenOut, from: holder, value: amountOut }))
  }
}

const dexOf = ({ pool }: Hop) => pool.dex.name

describe('Curve', () => {
  test('an exchange of the crypto pool tricrypto2, older than the factories', () => {
    const pool: Address = '0xd51a44d3fae010294c616388b506acda1bfaae46'
    const coins = { to: REGISTRY, abi: GET_COINS_8, args: [pool], result: padded([USDT, WBTC, wrappedNative], 8) }
    const replayed = replay('curve-tricrypto2', [{ to: CURVE, abi: GET_ADDRESS, args: [5], result: [REGISTRY] }, coins])
    expectMoved(replayed)
    expect(replayed.swaps).toMatchObject([
      { sold: USDT, soldAmount: 360_000_000_000n, bought: WBTC, boughtAmount: 803_672_066n },
    ])
  })

  test('an underlying exchange of a metapool: its own coin for one of the base pool, and no more than that', () => {
    const pool: Address = '0xceaf7747579696a2f0bb206a14210e3c9e6fb269'
    const factory = '0xb9fc157394af804a3578134a6585c0dc9cc990d4'
    const UST: Address = '0xa693b19d2931d498c5b318df961919bb4aee87a5'
    const lp = '0x6c3f90f043a72fa612cbac8115ee7e52bde6e490'
    const getCoins = 'function get_coins(address) view returns (address[4])'
    const replayed = replay('curve-metapool', [
      ...threePool,
      { to: factory, abi: getCoins, args: [pool], result: padded([UST, lp], 4) },
      { to: factory, abi: GET_UNDERLYING_8, args: [pool], result: padded([UST, DAI, USDC, USDT], 8) },
    ])
    expectMoved(replayed)
    expect(replayed.swaps).toMatchObject([
      { sold: UST, soldAmount: 500_000_000_000n, bought: DAI, boughtAmount: 498_148_186_425_395_819_728_852n },
    ])
  })

  test('a route through a StableSwap NG pool and 3pool is one swap', () => {
    const pool: Address = '0x02950460e2b9529d0e00284a5fa2d7bdf3fa4d72'
    const factory = '0x6a8cbed756804b16e05e741edabd5cb544ae21bf'
    const USDE: Address = '0x4c9edd5852cd905f086c759e8383e09bff1e68b3'
    const getCoins = 'function get_coins(address) view returns (address[])'
    const replayed = replay('curve-stable-ng-3pool', [
      ...threePool,
      { to: factory, abi: getCoins, args: [pool], result: [[USDE, USDC]] },
    ])
    expectMoved(replayed)
    expect(replayed.hops).toHaveLength(2)
    expect(replayed.swaps).toMatchObject([
      { sold: USDE, soldAmount: 458_480_413_000_000_000_000_000n, bought: USDT, boughtAmount: 459_177_562_744n },
    ])
  })

  test('a route through two crypto NG pools is one swap', () => {
    const factory = '0x98ee851a00abee0d95d08cf4ca2bdce32aeaaf7f'
    const first: Address = '0x027b40f5917fcd0eac57d7015e120096a5f92ca9'
    const second: Address = '0xec977f46467a3021785cff88894886e617abd65b'
    const sold: Address = '0xb58e61c3098d85632df34eecfb899a1ed80921cb'
    const between: Address = '0xf939e0a03fb07f59a73314e73794be0e57ac1b4e'
    const bought: Address = '0x01791f726b4103694969820be083196cc7c045ff'
    const getCoins = 'function get_coins(address) view returns (address[2])'
    const replayed = replay('curve-crypto-ng', [
      { to: factory, abi: getCoins, args: [first], result: [[between, sold]] },
      { to: factory, abi: getCoins, args: [second], result: [[between, bought]] },
    ])
    expectMoved(replayed)
    const amounts = { soldAmount: 100n * 10n ** 18n, boughtAmount: 1_048_060_900_433_824_474_469n }
    expect(replayed.swaps).toMatchObject([{ sold, bought, ...amounts }])
  })

  test('an exchange of a pool that no factory and no registry knows is dropped', () => {
    expect(replay('curve-tricrypto2', registry).hops).toEqual([])
  })
})

describe('Balancer V2', () => {
  const VAULT = '0xba12222222228d8ba445958a75a0704d566bf2c8'
  const pool = (id: string, tokens: readonly string[]): KnownResult[] => [
    {
      to: VAULT,
      abi: 'function getPool(bytes32) view returns (address, uint8)',
      args: [id],
      result: [id.slice(0, 42), Number(`0x${id.slice(42, 46)}`)],
    },
    {
      to: VAULT,
      abi: 'function getPoolTokens(bytes32) view returns (address[] tokens, uint256[] balances, uint256 lastChangeBlock)',
      args: [id],
      result: [tokens, tokens.map(() => 1n), 1n],
    },
  ]

  test('a batch through two pools is one swap', () => {
    const bought: Address = '0xcfeaead4947f0705a14ec42ac3d44129e1ef3ed5'
    const replayed = replay('balancer-v2-batch', [
      ...pool('0x96646936b91d6b9d7d0c47c496afbf3d6ec7b6f8000200000000000000000019', [USDC, wrappedNative]),
      ...pool('0x5f7fa48d765053f8dd85e052843e12d23e3d7bc50002000000000000000000c0', [wrappedNative, bought]),
    ])
    expect(replayed.hops.map(dexOf)).toEqual(['balancer-v2', 'balancer-v2'])
    expect(replayed.swaps).toMatchObject([
      { sold: USDC, soldAmount: 500_000_000n, bought, boughtAmount: 25_194_340_742n },
    ])
    expect(replayed.transfers.map(({ value }) => value)).toEqual([500_000_000n, 25_194_340_742n])
  })

  test('shares that a batch takes and returns between the pools are not liquidity', () => {
    const bbUsdc: Address = '0x9210f1204b5a24742eba12f710636d76240df3d0'
    const bbUsdt: Address = '0x2bbf681cc4eb09218bee85ea2a5d3d13fa40fc0c'
    const stable: Address = '0x7b50775383d3d6f0215a8f290f2c9e2eebbeceb2'
    const replayed = replay('balancer-v2-linear', [
      ...pool(`${bbUsdc}0000000000000000000000fc`, [bbUsdc, USDC, '0xd093fa4fb80d09bb30817fdcd442d4d02ed3e5de']),
      ...pool(`${stable}0000000000000000000000fe`, [bbUsdt, stable, bbUsdc]),
      ...pool(`${bbUsdt}0000000000000000000000fd`, [bbUsdt, USDT, '0xf8fd466f12e236f4c96f7cce6c79eadb819abf58']),
    ])
    expect(replayed.dropped).toEqual([])
    expect(replayed.hops).toHaveLength(3)
    expect(replayed.swaps).toMatchObject([
      { sold: USDC, soldAmount: 191_104_909_509n, bought: USDT, boughtAmount: 191_355_616_003n },
    ])
    expect(replayed.transfers).toContainEqual(
      expect.objectContaining({ token: USDC, to: VAULT, value: 191_104_909_509n }),
    )
    expect(replayed.transfers).toContainEqual(
      expect.objectContaining({ token: USDT, from: VAULT, value: 191_355_616_003n }),
    )
  })
})

describe('Balancer V3', () => {
  const VAULT = '0xba1333333333a1ba1108e8412f11850a5c319ba9'
  const POOL = '0x8523bcadcda4bd329435940dcc49a7c4c0a14d94'
  const LINK: Address = '0x514910771af9ca656af840dff83e8264ecf986ca'
  const isRegistered = 'function isPoolRegistered(address) view returns (bool)'

  test('a swap of a registered pool', () => {
    const replayed = replay('balancer-v3', [
      { to: VAULT, abi: isRegistered, args: [POOL], result: [true] },
      {
        to: VAULT,
        abi: 'function getPoolTokens(address) view returns (address[])',
        args: [POOL],
        result: [[WBTC, LINK]],
      },
    ])
    expectMoved(replayed)
    expect(replayed.swaps).toMatchObject([
      { sold: LINK, soldAmount: 183_840_224_600_000_000n, bought: WBTC, boughtAmount: 2_374n },
    ])
  })

  test('the event of the vault is enough if the vault cannot be called, and not if the vault denies it', () => {
    expect(replay('balancer-v3', []).swaps).toMatchObject([{ sold: LINK, bought: WBTC }])
    expect(replay('balancer-v3', [{ to: VAULT, abi: isRegistered, args: [POOL], result: [false] }]).swaps).toEqual([])
  })
})

test('a swap of a DODO pool that its factory lists', () => {
  const POOL: Address = '0x4b543e89351faa242cb0172b2da0cdb52db699b4'
  const [WETH, USDCE] = ['0x7ceb23fd6bc0add59e62ac25578270cff1b9f619', '0x2791bca1f2de4661ed88a30c99a7a9449aa84174']
  const factory: Address = `0x${'d0'.repeat(20)}`
  const dodo: Dex = { name: 'dodo', kind: 'dodo', factory, contracts: { dppFactory: factory } }
  const known: KnownResult[] = [
    { to: POOL, abi: 'function _BASE_TOKEN_() view returns (address)', result: [WETH] },
    { to: POOL, abi: 'function _QUOTE_TOKEN_() view returns (address)', result: [USDCE] },
    {
      to: factory,
      abi: 'function getDODOPool(address, address) view returns (address[])',
      args: [WETH, USDCE],
      result: [[`0x${'11'.repeat(20)}`, POOL]],
    },
  ]
  const replayed = replayReceipt('dodo-polygon', [dodo], known, builtInDeployments.polygon.wrappedNative)
  expectMoved(replayed)
  expect(replayed.swaps).toMatchObject([
    { sold: WETH, soldAmount: 18_112_457_331_430_920n, bought: USDCE, boughtAmount: 54_901_590n },
  ])
})
