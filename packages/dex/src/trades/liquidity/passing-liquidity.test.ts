import { Interface } from 'ethers'
import { describe, expect, test } from 'vitest'
import { madeHop, madePool } from '../../../test/made-hop.ts'
import { type Address, type Hex, type Log, ZERO_ADDRESS } from '../../chain.ts'
import type { DexKind, Pool } from '../../pool.ts'
import type { Hop } from '../trade.ts'
import { withPassingLiquidity } from './passing-liquidity.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [USDC, FOO] = [address('22'), address('33')]
const [POOL, VAULT, USER, OTHER] = [address('aa'), address('bb'), address('ee'), address('dd')]
const ID: Hex = `0x${'1d'.repeat(32)}`
/** A pool in a Balancer vault: its contract, and its id, which begins with the contract's address. */
const [BPT, V2_ID]: [Address, Hex] = [address('cc'), `0x${'cc'.repeat(20)}${'02'.repeat(12)}`]

const abi = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event TransferBatch(address indexed sender, address indexed from, address indexed to, uint256[] ids, uint256[] amounts)',
  'event Mint(address indexed sender, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)',
  'event DepositedToBins(address indexed sender, address indexed to, uint256[] ids, bytes32[] amounts)',
  'event WithdrawnFromBins(address indexed sender, address indexed to, uint256[] ids, bytes32[] amounts)',
  'event PoolBalanceChanged(bytes32 indexed poolId, address indexed liquidityProvider, address[] tokens, int256[] deltas, uint256[] protocolFeeAmounts)',
  'event LiquidityAdded(address indexed pool, address indexed liquidityProvider, uint8 indexed kind, uint256 totalSupply, uint256[] amountsAddedRaw, uint256[] swapFeeAmountsRaw)',
  'event LiquidityRemoved(address indexed pool, address indexed liquidityProvider, uint8 indexed kind, uint256 totalSupply, uint256[] amountsRemovedRaw, uint256[] swapFeeAmountsRaw)',
  'event RemoveLiquidityOne(address indexed provider, int128 token_id, uint256 token_amount, uint256 coin_amount, uint256 token_supply)',
])
const curve = (count: number) =>
  new Interface([
    `event AddLiquidity(address indexed provider, uint256[${count}] token_amounts, uint256[${count}] fees, uint256 invariant, uint256 token_supply)`,
    `event RemoveLiquidity(address indexed provider, uint256[${count}] token_amounts, uint256[${count}] fees, uint256 token_supply)`,
  ])
const infinity = new Interface([
  'event Mint(bytes32 indexed id, address indexed sender, uint256[] ids, bytes32 salt, bytes32[] amounts, bytes32 compositionFeeAmount, bytes32 feeAmountToProtocol)',
  'event Burn(bytes32 indexed id, address indexed sender, uint256[] ids, bytes32 salt, bytes32[] amounts)',
])

const poolOf = (kind: DexKind, of: Hex = POOL): Pool =>
  madePool(of, [USDC, FOO], { dex: { name: kind, kind, factory: address('ff') }, fee: 0 })
const PAIR = poolOf('uniswap-v2')

type Step =
  | Pick<Log, 'address' | 'topics' | 'data'>
  | { pool: Pool; data: Hex; tokens: readonly [Address, Address]; amounts: readonly [bigint, bigint] }
const log = (of: Address, name: string, values: unknown[], by = abi): Step => ({
  address: of,
  ...(by.encodeEventLog(name, values) as { topics: Hex[]; data: Hex }),
})
const words = (...some: bigint[]): Hex =>
  `0x${some.map((amount) => BigInt.asUintN(256, amount).toString(16).padStart(64, '0')).join('')}`
const swap = (pool: Pool, data: Hex = '0x', tokens = [USDC, FOO] as const, amounts = [9n, 9n] as const): Step => ({
  pool,
  data,
  tokens,
  amounts,
})
const made = (amount: bigint, of: Address = POOL, to = USER) => log(of, 'Transfer', [ZERO_ADDRESS, to, amount])
const gone = (amount: bigint, of: Address = POOL) => log(of, 'Transfer', [USER, ZERO_ADDRESS, amount])

function found(steps: readonly Step[]): number[] {
  const hops: Hop[] = []
  const logs = steps.map((step, logIndex): Log => {
    if (!('pool' in step)) return { ...step, transactionIndex: 0, logIndex }
    const { pool, tokens, amounts } = step
    hops.push(madeHop(logIndex, [tokens[0], amounts[0]], [tokens[1], amounts[1]], { pool }))
    return { address: pool.address.slice(0, 42) as Address, topics: [], data: step.data, transactionIndex: 0, logIndex }
  })
  return withPassingLiquidity(hops, logs).flatMap(({ isOfJitLiquidity, logIndex }) =>
    isOfJitLiquidity ? [logIndex] : [],
  )
}

describe('shares that are made before a swap and gone after it', () => {
  test.each<[string, Step[], number[]]>([
    ['all of them', [made(5n), swap(PAIR), gone(5n)], [1]],
    ['some of them', [made(5n), swap(PAIR), gone(1n)], [1]],
    ['in parts', [made(2n), swap(PAIR), made(3n), swap(PAIR), gone(4n), swap(PAIR), gone(1n)], [1, 3, 5]],
    ['of the pool of Solidly', [made(5n), swap(poolOf('solidly')), gone(5n)], [1]],
    ['of a pool of Curve that is its own token', [made(5n), swap(poolOf('curve')), gone(5n)], [1]],
    ['of Balancer V1', [made(5n, POOL, POOL), swap(poolOf('balancer-v1')), gone(5n)], [1]],
    ['of Balancer V2', [made(5n, BPT), swap(poolOf('balancer-v2', `${VAULT}${V2_ID.slice(2)}`)), gone(5n, BPT)], [1]],
    ['of Balancer V3', [made(5n, BPT), swap(poolOf('balancer-v3', `${VAULT}${BPT.slice(2)}`)), gone(5n, BPT)], [1]],
  ])('%s', (_, steps, marked) => {
    expect(found(steps)).toEqual(marked)
  })

  test.each<[string, Step[]]>([
    ['shares that stay', [made(5n), swap(PAIR), made(5n)]],
    ['shares that stay while others are sold', [made(5n), swap(PAIR), log(POOL, 'Transfer', [USER, OTHER, 5n])]],
    ['shares that were there', [swap(PAIR), gone(5n)]],
    ['shares that are taken out before and put back', [gone(5n), swap(PAIR), made(5n)]],
    [
      'a fee in shares for another account when they are removed',
      [made(1n, POOL, OTHER), gone(5n), swap(PAIR), gone(1n)],
    ],
    ['swaps before and after it', [swap(PAIR), made(5n), gone(5n), swap(PAIR)]],
    [
      'the first shares, which are locked',
      [log(POOL, 'Transfer', [ZERO_ADDRESS, ZERO_ADDRESS, 9n]), swap(PAIR), gone(9n)],
    ],
    ['of another pool', [made(5n, OTHER), swap(PAIR), gone(5n, OTHER)]],
    ['of a token that is swapped', [made(5n, USDC), swap(PAIR), gone(5n, USDC)]],
  ])('and not %s', (_, steps) => {
    expect(found(steps)).toEqual([])
  })
})

describe('liquidity whose events contain no shares', () => {
  const amounts = (count: number) => Array(count).fill(1n)
  const v2 = poolOf('balancer-v2', `${VAULT}${V2_ID.slice(2)}`)
  const v3 = poolOf('balancer-v3', `${VAULT}${BPT.slice(2)}`)
  const changed = (delta: bigint) =>
    log(VAULT, 'PoolBalanceChanged', [V2_ID, USER, [USDC, FOO], [delta, delta], [0n, 0n]])
  const ofPair = { in: log(POOL, 'Mint', [USER, 1n, 1n]), out: log(POOL, 'Burn', [USER, 1n, 1n, USER]) }
  const ofV3 = {
    in: log(VAULT, 'LiquidityAdded', [BPT, USER, 0, 1n, [1n], [0n]]),
    out: log(VAULT, 'LiquidityRemoved', [BPT, USER, 0, 1n, [1n], [0n]]),
  }
  const ofCurve = (count: number) => ({
    in: log(POOL, 'AddLiquidity', [USER, amounts(count), amounts(count), 1n, 1n], curve(count)),
    out: log(POOL, 'RemoveLiquidity', [USER, amounts(count), amounts(count), 1n], curve(count)),
  })
  test.each<[string, Pool, { in: Step; out: Step }]>([
    ['a pair', PAIR, ofPair],
    ['Curve, two coins', poolOf('curve'), ofCurve(2)],
    ['Curve, four coins', poolOf('curve'), ofCurve(4)],
    [
      'Curve, one coin taken out',
      poolOf('curve'),
      { in: ofCurve(3).in, out: log(POOL, 'RemoveLiquidityOne', [USER, 0, 1n, 1n, 1n]) },
    ],
    ['Balancer V2', v2, { in: changed(1n), out: changed(-1n) }],
    ['Balancer V3', v3, ofV3],
  ])('%s', (_, pool, { in: added, out: removed }) => {
    expect(found([added, swap(pool), removed])).toEqual([1])
    // It does not matter how much is added again afterwards: it may be dust.
    expect(found([added, swap(pool), removed, added])).toEqual([1])
    expect(found([added, swap(pool), added])).toEqual([])
    expect(found([swap(pool), added, removed, swap(pool)])).toEqual([])
    expect(found([removed, swap(pool), added])).toEqual([])
  })

  //  USDC -> shares - swap - shares -> USDC, all in the vault's pool
  test('shares that a pool swaps itself', () => {
    const [join, exit] = [swap(v2, '0x', [USDC, BPT]), swap(v2, '0x', [BPT, USDC])]
    expect(found([join, swap(v2), exit])).toEqual([1])
    expect(found([join, swap(v2)])).toEqual([])
    expect(found([swap(v2), exit])).toEqual([])
  })
})

describe('bins', () => {
  const book = poolOf('liquidity-book')
  const inBin = (bin: bigint) => swap(book, words(bin, 1n, 1n))
  const batch = (from: Address, to: Address, ids: bigint[], amounts: bigint[]) =>
    log(POOL, 'TransferBatch', [USER, from, to, ids, amounts])
  const given = (...ids: bigint[]) =>
    batch(
      ZERO_ADDRESS,
      USER,
      ids,
      ids.map(() => 5n),
    )
  const taken = (...ids: bigint[]) =>
    batch(
      USER,
      ZERO_ADDRESS,
      ids,
      ids.map(() => 5n),
    )

  test('of Liquidity Book count by themselves', () => {
    expect(found([given(7n, 8n), inBin(7n), inBin(9n), taken(7n)])).toEqual([1])
    expect(found([given(7n, 8n), inBin(8n), taken(7n)])).toEqual([])
    expect(found([given(7n), inBin(7n), batch(USER, OTHER, [7n], [5n])])).toEqual([])
    expect(found([taken(7n), inBin(7n), given(7n)])).toEqual([])
    const empty = [`0x${'00'.repeat(32)}`]
    const [deposit, withdrawal] = ['DepositedToBins', 'WithdrawnFromBins'].map((name) =>
      log(POOL, name, [USER, USER, [7n], empty]),
    ) as [Step, Step]
    expect(found([deposit, inBin(7n), inBin(8n), withdrawal])).toEqual([1])
  })

  test('lists of a wrong shape are ignored', () => {
    const { topics } = taken(7n) as Log
    for (const data of ['0x', words(64n), words(64n, 96n, 2n ** 255n), words(3n, 4n), words(64n, 2n ** 200n)]) {
      expect(found([given(7n), inBin(7n), { address: POOL, topics, data: data as Hex }])).toEqual([])
    }
  })

  // Infinity: a swap reports its final bin; paying in token0 moves the price down
  test('of Infinity count where the swap may have been', () => {
    const pool = poolOf('pancakeswap-infinity-bin', `${VAULT}${ID.slice(2)}`)
    const to = (bin: bigint, paid: bigint) => swap(pool, words(-paid, paid, bin, 0n, 0n))
    const none = [`0x${'00'.repeat(32)}`]
    const put = (bin: bigint) => log(VAULT, 'Mint', [ID, USER, [bin], none[0], none, none[0], none[0]], infinity)
    const take = (bin: bigint) => log(VAULT, 'Burn', [ID, USER, [bin], none[0], none], infinity)
    expect(found([put(7n), to(7n, 1n), take(7n)])).toEqual([1])
    expect(found([put(7n), to(6n, 1n), take(7n)])).toEqual([1])
    expect(found([put(7n), to(8n, 1n), take(7n)])).toEqual([])
    expect(found([put(7n), to(8n, -1n), take(7n)])).toEqual([1])
    expect(found([put(7n), to(6n, -1n), take(7n)])).toEqual([])
    expect(found([to(6n, 1n), put(7n), to(5n, 1n), take(7n)])).toEqual([])
    expect(found([put(7n), to(7n, 1n), take(6n)])).toEqual([])
  })
})
