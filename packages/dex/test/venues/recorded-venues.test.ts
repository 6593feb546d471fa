import { getCreate2Address, solidityPackedKeccak256 } from 'ethers'
import { describe, expect, test } from 'vitest'
import { type Address, ZERO_ADDRESS } from '../../src/chain/hex.ts'
import { builtInDeployments } from '../../src/deployments/dex-config.ts'
import { pairId } from '../../src/venues/settled-venue.ts'
import { replayReceipt } from '../replay-receipt.ts'
import type { KnownResult } from '../run-proof.ts'

/**
 *   recorded receipt --decode--> events --prove--> pools --toHops--> hops
 *                                          ^
 *                     the factory's results; unknown calls revert
 *
 * The amounts of the hops must be ERC-20 transfers of the same receipt: one to the venue or its maker, the other from
 * it.
 */
const { wrappedNative: WETH, dexes } = builtInDeployments.eth
const USDC: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const USDT: Address = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const DAI: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'

const replay = (name: string, known: readonly KnownResult[]) => replayReceipt(name, dexes, known, WETH)

function expectMoved({ hops, transfers }: ReturnType<typeof replay>, holder: Address): void {
  for (const { tokenIn, amountIn, tokenOut, amountOut } of hops) {
    expect(transfers).toContainEqual(expect.objectContaining({ token: tokenIn, to: holder, value: amountIn }))
    expect(transfers).toContainEqual(expect.objectContaining({ token: tokenOut, from: holder, value: amountOut }))
  }
}

describe('Balancer V1', () => {
  const FACTORY = '0x9424b1412450d0f8fc2255faf6046b98213b76bd'
  const POOL: Address = '0x9866772a9bdb4dc9d2c5a4753e8658b8b0ca1fc3'
  const MKR: Address = '0x9f8f72aa9304c8b593d555f12ef6589cc3a579a2'
  const isPool = { to: FACTORY, abi: 'function isBPool(address b) view returns (bool)', args: [POOL], result: [true] }
  const tokens = { to: POOL, abi: 'function getCurrentTokens() view returns (address[])', result: [[WETH, MKR]] }

  test('a swap of a pool that the factory made', () => {
    const replayed = replay('balancer-v1', [isPool, tokens])
    expectMoved(replayed, POOL)
    expect(replayed.hops.map(({ pool }) => [pool.dex.name, pool.coins])).toEqual([['balancer-v1', [WETH, MKR]]])
    expect(replayed.swaps).toMatchObject([
      { sold: MKR, soldAmount: 4_871_526_566_626_222_080n, bought: WETH, boughtAmount: 8_040_744_552_527_259_395n },
    ])
  })

  test('tokens that were taken out of the pool since are those that its event names', () => {
    const replayed = replay('balancer-v1', [isPool, { ...tokens, result: [[WETH]] }])
    expect(replayed.swaps).toMatchObject([{ sold: MKR, bought: WETH }])
    expect(replay('balancer-v1', [isPool]).swaps).toMatchObject([{ sold: MKR, bought: WETH }])
  })

  test('a pool that the factory denies, or does not know, is refused', () => {
    expect(replay('balancer-v1', [{ ...isPool, result: [false] }, tokens]).hops).toEqual([])
    expect(replay('balancer-v1', [tokens]).hops).toEqual([])
  })
})

describe('Maverick V1', () => {
  const FACTORY = '0xeb6625d65a0553c9dbc64449e56abfe519bd9c9b'
  const POOL: Address = '0x352b186090068eb35d532428676ce510e17ab581'
  const isPool = {
    to: FACTORY,
    abi: 'function isFactoryPool(address pool) view returns (bool)',
    args: [POOL],
    result: [true],
  }
  const coins = [
    { to: POOL, abi: 'function tokenA() view returns (address)', result: [WETH] },
    { to: POOL, abi: 'function tokenB() view returns (address)', result: [USDT] },
  ]

  test('a swap of a pool that the factory lists, in the coins that it counts', () => {
    const replayed = replay('maverick-v1', [isPool, ...coins])
    expectMoved(replayed, POOL)
    expect(replayed.swaps).toMatchObject([
      { sold: USDT, soldAmount: 196_000_000n, bought: WETH, boughtAmount: 120_307_508_052_265_362n },
    ])
  })

  test('a pool that does not return both coins, or that the factory does not list, is refused', () => {
    expect(replay('maverick-v1', [isPool, ...coins.slice(0, 1)]).hops).toEqual([])
    expect(replay('maverick-v1', [isPool, ...coins.slice(1)]).hops).toEqual([])
    expect(replay('maverick-v1', [{ ...isPool, result: [false] }, ...coins]).hops).toEqual([])
    expect(replay('maverick-v1', coins).hops).toEqual([])
  })
})

describe('0x', () => {
  const EXCHANGE = '0xdef1c0ded9bec7f1a1670819833240f027b25eff'
  const MAKER: Address = '0x1d22397edfc4edf622d692050635bfc1febf1404'

  test('a maker’s order that the exchange filled, its two tokens being the pool', () => {
    const replayed = replay('zeroex-rfq', [])
    expectMoved(replayed, MAKER)
    expect(replayed.hops.map(({ pool }) => pool.address)).toEqual([`${EXCHANGE}${pairId(USDC, WETH).slice(2)}`])
    expect(replayed.swaps).toMatchObject([
      { sold: WETH, soldAmount: 7_583_062_500_000_000_000n, bought: USDC, boughtAmount: 8_493_864_136n },
    ])
  })

  test('a limit order after a pool', () => {
    const FXS: Address = '0x3432b6a60d23ca0dfca7761b7ab56459d9c964d0'
    const POOL: Address = '0xecba967d84fcf0405f6b32bc45f4d36bfdbb2e81'
    const FACTORY: Address = '0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f'
    const address = (name: string, result: Address): KnownResult => {
      return { to: POOL, abi: `function ${name}() view returns (address)`, result: [result] }
    }
    const getPair = 'function getPair(address, address) view returns (address)'
    const replayed = replay('zeroex-limit', [
      address('factory', FACTORY),
      address('token0', FXS),
      address('token1', WETH),
      { to: FACTORY, abi: getPair, args: [FXS, WETH], result: [POOL] },
    ])
    expect(replayed.swaps).toMatchObject([
      { sold: FXS, soldAmount: 78_379_336_579_549_459_990n, bought: USDC, boughtAmount: 1_774_103_925n },
    ])
    expect(replayed.transfers).toContainEqual(expect.objectContaining({ token: USDC, value: 1_774_103_925n }))
  })

  test('an OTC order, of whose amounts the maker’s comes first', () => {
    const replayed = replay('zeroex-otc', [])
    expectMoved(replayed, '0xbb289bc97591f70d8216462df40ed713011b968a')
    expect(replayed.swaps).toMatchObject([
      { sold: USDC, soldAmount: 5_000_000_000n, bought: WETH, boughtAmount: 1_451_795_843_603_885_824n },
    ])
  })

  test('counts from the configured exchange alone', () => {
    const others = dexes.map((dex) => (dex.kind === 'zeroex' ? { ...dex, factory: MAKER } : dex))
    expect(replayReceipt('zeroex-rfq', others, [], WETH).hops).toEqual([])
  })
})

describe('Bancor V2', () => {
  const BNT: Address = '0x1f573d6fb3f13d689ff844b4ce37794d79a7ff1c'

  test('a conversion into the coin itself', () => {
    const replayed = replay('bancor-v2', [])
    expect(replayed.hops).toMatchObject([{ nativeOut: true, pool: { token0: ZERO_ADDRESS, token1: BNT } }])
    expect(replayed.swaps).toMatchObject([
      { sold: BNT, soldAmount: 394_602_310_104_684_172_801n, bought: WETH, boughtAmount: 182_678_962_859_143_963n },
    ])
    expect(replayed.transfers).toContainEqual(
      expect.objectContaining({ token: BNT, value: 394_602_310_104_684_172_801n }),
    )
  })
})

test('a trade of Bancor V3, in one event', () => {
  const SNX: Address = '0xc011a73ee8576fb46f5e1c5751ca3b9fe0af2a6f'
  const replayed = replay('bancor-v3', [])
  expect(replayed.hops).toMatchObject([{ nativeIn: true, tokenIn: WETH, amountIn: 752_074_189_832_382_334n }])
  expect(replayed.swaps).toMatchObject([{ bought: SNX, boughtAmount: 341_205_359_202_527_935_745n }])
  expect(replayed.transfers).toContainEqual(
    expect.objectContaining({ token: SNX, value: 341_205_359_202_527_935_745n }),
  )
})

describe('Maker', () => {
  const JOIN: Address = '0x0a59649758aa4d66e25f08dd01271e891fe52199'
  const LITE_PSM: Address = '0xf6e72db5454dd049d0788e411b06cfaf16853042'
  const PSM: Address = '0x89b78cfa322f6c5de0abceecab66aee45393cc5a'
  const returns = (to: Address, name: string, type: string, result: Address | number): KnownResult => {
    return { to, abi: `function ${name}() view returns (${type})`, result: [result] }
  }
  const gem = (to: Address) => [returns(to, 'gem', 'address', USDC), returns(to, 'dec', 'uint256', 6)]

  test.each([
    ['LitePSM', 'maker-lite-psm', [returns(LITE_PSM, 'dai', 'address', DAI), ...gem(LITE_PSM)], 2_972_491_485n],
    [
      'PSM, after a pool',
      'curve-metapool',
      [returns(PSM, 'dai', 'address', DAI), returns(PSM, 'gemJoin', 'address', JOIN), ...gem(JOIN)],
      498_148_186_425n,
    ],
  ] as const)('USDC bought of the %s', (_, name, known, boughtAmount) => {
    const replayed = replay(name, known)
    const soldAmount = boughtAmount * 10n ** 12n
    expect(replayed.swaps).toMatchObject([{ sold: DAI, soldAmount, bought: USDC, boughtAmount }])
    expect(replayed.transfers).toContainEqual(expect.objectContaining({ token: DAI, value: soldAmount }))
    expect(replayed.transfers).toContainEqual(expect.objectContaining({ token: USDC, value: boughtAmount }))
  })
})

describe('orders that are filled token for token', () => {
  const IMBTC: Address = '0x3212b29e33587a00fb1c83346f5dbfa69a458923'
  const WBTC: Address = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'

  test.each([
    ['Tokenlon RFQ, its fee not taken yet', 'tokenlon', 'tokenlon-rfq', IMBTC, 64_930_000n, USDT, 10_857_136_301n],
    ['Tokenlon PMM, which fills an order of 0x V2', 'tokenlon-pmm', 'zeroex-v2', IMBTC, 59_940_000n, WBTC, 59_880_060n],
    ['0x V2', 'zeroex-v2', 'zeroex-v2', USDC, 24_743_025_899n, WETH, 15_310_553_848_164_505_600n],
    ['AirSwap', 'airswap-swap', 'airswap-swap', WETH, 745_100_314_691_286_032n, USDT, 781_928_518n],
    ['AirSwap, ERC-20 alone', 'airswap-swap-erc20', 'airswap-swap-erc20', USDT, 460_690_956n, USDC, 460_669_801n],
  ] as const)('%s', (_, name, dex, sold, soldAmount, bought, boughtAmount) => {
    const replayed = replay(name, [])
    expect(replayed.hops.map(({ pool }) => pool.dex.name)).toEqual([dex])
    expect(replayed.swaps).toMatchObject([{ sold, soldAmount, bought, boughtAmount }])
    const { transfers } = replayed
    expect(transfers).toContainEqual(expect.objectContaining({ token: sold, value: soldAmount }))
    expect(transfers).toContainEqual(expect.objectContaining({ token: bought, value: boughtAmount }))
  })
})

describe('Hashflow', () => {
  const POOL: Address = '0xe8a8700fafd46cbe81aa983d180fe2ee89d3e401'
  const ROUTER = '0x55084ee0fef03f14a305cd24286359a35d735151'
  const isPool = {
    to: ROUTER,
    abi: 'function authorizedPools(address pool) view returns (bool)',
    args: [POOL],
    result: [true],
  }

  test('a trade of a contract that the router has authorised', () => {
    const replayed = replay('hashflow', [isPool])
    expectMoved(replayed, POOL)
    expect(replayed.hops.map(({ pool }) => pool.address)).toEqual([`${POOL}${pairId(USDC, DAI).slice(2)}`])
    expect(replayed.swaps).toMatchObject([
      { sold: USDC, soldAmount: 13_529_583_641n, bought: DAI, boughtAmount: 13_525_150_221_146_494_103_302n },
    ])
  })

  test('a trade of a current pool, whose event has no fees and which pays from its maker’s account', () => {
    const WBTC: Address = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'
    const pool: Address = '0x442a03356d0203756e10c8838d9bcf571863a9a1'
    const account: Address = '0x2c6bea966e83dff8619e54fd819da727ed5102e1'
    const replayed = replay('solidly-v3', [{ ...isPool, args: [pool] }])
    expectMoved(replayed, account)
    expect(replayed.swaps).toMatchObject([
      { sold: USDC, soldAmount: 26_330_575_114n, bought: WBTC, boughtAmount: 56_251_459n },
    ])
  })

  test('one of any other contract is refused', () => {
    expect(replay('hashflow', []).hops).toEqual([])
    expect(replay('hashflow', [{ ...isPool, result: [false] }]).hops).toEqual([])
  })
})

describe('Solidly V3', () => {
  const FACTORY: Address = '0x70fe4a44ea505cfa3a57b95cf2862d4fd5f0f687'
  const WBTC: Address = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'
  /** npm @paraswap/dex-lib 5.0.6, dex/solidly-v3/config. */
  const INIT_CODE_HASH = '0xe9b68c5f77858eecac2e651646e208175e9b1359d68d0e14fc69f8c54e5010bf'
  const pools = [
    { pool: '0x6146be494fee4c73540cb1c5f87536abf1452500', tokens: [USDC, USDT], spacing: 1 },
    { pool: '0x02704ed8b5a8e817f354d59432e115e0d8053394', tokens: [WBTC, WETH], spacing: 10 },
  ] as const
  const known = pools.flatMap(({ pool, tokens: [token0, token1], spacing }): KnownResult[] => [
    { to: pool, abi: 'function factory() view returns (address)', result: [FACTORY] },
    { to: pool, abi: 'function token0() view returns (address)', result: [token0] },
    { to: pool, abi: 'function token1() view returns (address)', result: [token1] },
    { to: pool, abi: 'function fee() view returns (uint24)', result: [100] },
    { to: pool, abi: 'function tickSpacing() view returns (int24)', result: [spacing] },
    {
      to: FACTORY,
      abi: 'function getPool(address, address, int24) view returns (address)',
      args: [token0, token1, spacing],
      result: [pool],
    },
  ])

  test.each(pools)(
    'the recorded pool $pool is at the address that the factory gives it for tokens and tick spacing',
    (one) => {
      const types = ['uint256', 'uint256', 'int256']
      const salt = solidityPackedKeccak256(types, [...one.tokens.map(BigInt), one.spacing])
      expect(getCreate2Address(FACTORY, salt, INIT_CODE_HASH).toLowerCase()).toBe(one.pool)
    },
  )

  test('swaps of two of its pools within a route of several venues', () => {
    const replayed = replay('solidly-v3', known)
    expect(replayed.hops.map(({ pool }) => pool.address)).toEqual(pools.map(({ pool }) => pool))
    for (const [index, { pool }] of pools.entries()) {
      expectMoved({ ...replayed, hops: replayed.hops.slice(index, index + 1) }, pool)
    }
    expect(replayed.hops).toMatchObject([
      { tokenIn: USDC, amountIn: 21_941_068_110n, tokenOut: USDT },
      { tokenIn: WETH, amountIn: 7_622_579_954_726_984_274n, tokenOut: WBTC },
    ])
  })

  test('a pool that the factory returns for another tick spacing is refused', () => {
    const others = known.map((answer) => (answer.args ? { ...answer, args: [...answer.args.slice(0, 2), 60] } : answer))
    expect(replay('solidly-v3', others).hops).toEqual([])
  })
})
