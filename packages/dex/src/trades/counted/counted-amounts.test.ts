import { Interface } from 'ethers'
import { describe, expect, test } from 'vitest'
import { madeBlock, madePool } from '../../../test/made-hop.ts'
import { type AnchorPrices, USD } from '../../anchor-prices.ts'
import { type Address, type Hex, type Log, ZERO_ADDRESS } from '../../chain.ts'
import type { DexKind, Pool } from '../../pool.ts'
import { closedLoops } from '../../usd/closed-loop.ts'
import { priceTrade } from '../../usd/trade-value.ts'
import { decodersOf } from '../../venues/registry.ts'
import { pairId } from '../../venues/settled-venue.ts'
import { blockHops, toTrades } from '../to-trades.ts'
import { FLAG_CAPPED, type PricedTrade, type Trade } from '../trade.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [WETH, USDC, DAI, JUNK, UNI] = [address('11'), address('22'), address('23'), address('33'), address('44')]
const [SIGNER, CONTRACT, LENDER, MAKER] = [address('e1'), address('e2'), address('e3'), address('e4')]
const [ONE, TWO] = [address('f1'), address('f2')]
const [MANAGER, VAULT, ENTRY_POINT, EXCHANGE] = [address('a1'), address('a2'), address('43'), address('a4')]
const [PAIR, OTHER_PAIR, V3_POOL] = [address('b1'), address('b2'), address('b3')]
const [CURVE_POOL, CURVE_W] = [address('b4'), address('b5')]
const [V4_A, V4_B, V4_C] = ['0a', '0b', '0c'].map((byte): Hex => `${MANAGER}${byte.repeat(32)}`) as [Hex, Hex, Hex]
/** Tokens that makers pay and take. */
const madeTokens = [JUNK, UNI, address('45'), address('46')] as const
const OWN_CODE = address('c4')
const V2_OWN: Hex = `${VAULT}${OWN_CODE.slice(2)}${'02'.repeat(12)}`
const [VAULT_3, FEE_CONTROLLER] = [address('a3'), address('a5')]
const V3_OWN: Hex = `${VAULT_3}${OWN_CODE.slice(2)}`

const poolOf = (at: Hex, kind: DexKind, token0: Address, token1: Address, coins?: Address[]): [Hex, Pool] => [
  at,
  madePool(at, [token0, token1], {
    dex: { name: kind, kind, factory: address('ff') },
    fee: 0,
    ...(coins && { coins }),
  }),
]
const POOLS = new Map<Hex, Pool>([
  poolOf(V4_A, 'uniswap-v4', USDC, JUNK),
  poolOf(V4_B, 'uniswap-v4', USDC, JUNK),
  poolOf(V4_C, 'uniswap-v4', USDC, UNI),
  poolOf(V2_OWN, 'balancer-v2', USDC, JUNK, [USDC, JUNK, OWN_CODE]),
  poolOf(V3_OWN, 'balancer-v3', USDC, JUNK, [USDC, JUNK]),
  poolOf(PAIR, 'uniswap-v2', USDC, JUNK),
  poolOf(OTHER_PAIR, 'uniswap-v2', USDC, JUNK),
  poolOf(V3_POOL, 'uniswap-v3', USDC, JUNK),
  poolOf(CURVE_W, 'curve', WETH, JUNK, [WETH, JUNK]),
  poolOf(CURVE_POOL, 'curve', ZERO_ADDRESS, JUNK, [ZERO_ADDRESS, JUNK]),
])

const abi = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
  'event Sync(uint112 reserve0, uint112 reserve1)',
  'event PoolBalanceManaged(bytes32 indexed poolId, address indexed assetManager, address indexed token, int256 cashDelta, int256 managedDelta)',
  'event PoolBalanceChanged(bytes32 indexed poolId, address indexed liquidityProvider, address[] tokens, int256[] deltas, uint256[] protocolFeeAmounts)',
  'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
  'event Donate(bytes32 indexed id, address indexed sender, uint256 amount0, uint256 amount1)',
  'event ProtocolSwapFeeCollected(address indexed pool, address indexed token, uint256 amount)',
  'event ProtocolYieldFeeCollected(address indexed pool, address indexed token, uint256 amount)',
  'event RemoveLiquidity(address indexed provider, uint256[2] amounts, uint256[2] fees, uint256 supply)',
  'event TokenExchange(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought)',
  'event OtcOrderFilled(bytes32 orderHash, address maker, address taker, address makerToken, address takerToken, uint128 makerTokenFilledAmount, uint128 takerTokenFilledAmount)',
])
const WITHDRAWAL = 'event Withdrawal(address indexed src, uint256 wad)'
const swaps = {
  v2: 'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
  v3: 'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
  v4: 'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
  vault:
    'event Swap(bytes32 indexed poolId, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)',
  vault3:
    'event Swap(address indexed pool, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut, uint256 swapFeePercentage, uint256 swapFeeAmount)',
}
const DECODERS = decodersOf(['uniswap-v4', 'uniswap-v2', 'uniswap-v3', 'balancer-v2', 'zeroex', 'curve', 'balancer-v3'])

type Step = Pick<Log, 'address' | 'topics' | 'data'>
const log = (at: Address, name: string, values: readonly unknown[], by = abi): Step => ({
  address: at,
  ...(by.encodeEventLog(name, values) as { topics: Hex[]; data: Hex }),
})
const usd = (amount: number) => BigInt(amount) * 10n ** 6n
const move = (from: Address, to: Address, amount: bigint, token = USDC) => log(token, 'Transfer', [from, to, amount])
const idOf = (pool: Hex): Hex => `0x${pool.slice(42)}`
/** The amounts that the pool receives of its two tokens; negative if it pays. */
const v4 = (pool: Hex, amount0: bigint, amount1: bigint, fee = 0) =>
  // The manager reports amounts from the swapper's side.
  log(MANAGER, 'Swap', [idOf(pool), CONTRACT, -amount0, -amount1, 2n ** 96n, 0n, 0, fee], new Interface([swaps.v4]))
const changes = (pool: Hex, delta: bigint) =>
  log(MANAGER, 'ModifyLiquidity', [idOf(pool), CONTRACT, -60, 60, delta, idOf(V4_A)])
const vaultSwap = (tokenIn: Address, tokenOut: Address, amount: bigint) =>
  log(VAULT, 'Swap', [idOf(V2_OWN), tokenIn, tokenOut, amount, amount], new Interface([swaps.vault]))
const vault3Swap = (amount: bigint, fee: bigint) =>
  log(VAULT_3, 'Swap', [OWN_CODE, USDC, JUNK, amount, 9n, 0n, fee], new Interface([swaps.vault3]))
const collects = (of: 'Swap' | 'Yield', amount: bigint, token = USDC, pool = OWN_CODE) =>
  log(FEE_CONTROLLER, `Protocol${of}FeeCollected`, [pool, token, amount])
const pays = (pair: Address, amount: bigint, to = CONTRACT) =>
  log(pair, 'Swap', [CONTRACT, 0n, 1_000n, amount, 0n, to], new Interface([swaps.v2]))
const takes = (pair: Address, amount: bigint, to = CONTRACT) =>
  log(pair, 'Swap', [CONTRACT, amount, 0n, 0n, 1_000n, to], new Interface([swaps.v2]))
const v3 = (amount0: bigint, amount1: bigint) =>
  log(V3_POOL, 'Swap', [CONTRACT, CONTRACT, amount0, amount1, 2n ** 96n, 1n, 0], new Interface([swaps.v3]))
const done = (account: Address) =>
  log(ENTRY_POINT, 'UserOperationEvent', [`0x${'07'.repeat(32)}`, account, ZERO_ADDRESS, 0, true, 0, 0])

const coin = (priceE18: bigint, decimals: number) => ({ priceE18, decimals, depegged: false, isOld: false })
const prices: AnchorPrices = {
  stablecoins: new Map([
    [USDC, coin(USD, 6)],
    [DAI, coin(USD, 18)],
  ]),
  native: new Map([[WETH, coin(2_000n * USD, 18)]]),
  others: new Map(),
}

function tradesOf(steps: readonly Step[], value = 0n): Trade[] {
  const logs = steps.map((step, logIndex): Log => ({ ...step, transactionIndex: 0, logIndex }))
  const block = madeBlock(logs, SIGNER, { value })
  const events = logs.flatMap((log) => DECODERS.get(log.topics[0] ?? '0x')?.(log) ?? [])
  const ofMakers = events.flatMap(({ pool, family }) =>
    family === 'zeroex'
      ? [poolOf(pool, 'zeroex', USDC, madeTokens.find((token) => pool.endsWith(pairId(USDC, token).slice(2))) ?? JUNK)]
      : [],
  )
  const rules = {
    wrappedNative: WETH,
    trusted: new Set<Address>(),
    anchors: new Set([WETH, USDC, DAI]),
    settlements: [{ kind: 'erc4337', address: ENTRY_POINT } as const],
  }
  const hops = blockHops(block, events, new Map([...POOLS, ...ofMakers]), rules)
  return toTrades(hops, rules, new Map([['0xbeef', logs]]))
}

const rowsOf = (steps: readonly Step[], value?: bigint) =>
  tradesOf(steps, value).map((trade) => priceTrade(trade, prices, true))

/** Returns the USD value of all rows, and of all hops. */
function dollarsOf(rows: readonly PricedTrade[]): [number, number] {
  const sum = (values: readonly (bigint | null)[]) => values.reduce((total: bigint, each) => total + (each ?? 0n), 0n)
  const dollars = (amount: bigint) => Number(amount / 10n ** 6n) / 100
  return [dollars(sum(rows.map(({ usdE8 }) => usdE8))), dollars(sum(rows.flatMap(({ hopsUsdE8 }) => hopsUsdE8)))]
}

const MILLION = usd(1_000_000)
/** Enough liquidity for more than a million in its range. */
const DEEP = 10n ** 18n
const loan = move(LENDER, CONTRACT, MILLION)
const repaid = move(CONTRACT, LENDER, MILLION)

// In each scene the account has no dollars before or after. What its own pools swap was lent within the transaction: by
// a lender, by the manager, which settles debts at the end, or by another of its pools.
describe('a million that nobody paid counts as nothing, and sets no price', () => {
  const joined = log(VAULT, 'PoolBalanceChanged', [idOf(V2_OWN), CONTRACT, [USDC, JUNK], [MILLION, 0n], [0n, 0n]])
  const exited = log(VAULT, 'PoolBalanceChanged', [idOf(V2_OWN), CONTRACT, [JUNK, USDC], [0n, -MILLION], [0n, 0n]])
  const manages = (delta: bigint) => log(VAULT, 'PoolBalanceManaged', [idOf(V2_OWN), CONTRACT, USDC, delta, 0n])
  test.each<[string, Step[]]>([
    [
      'there and back through a pool of the manager, five times',
      Array.from({ length: 5 }, () => [v4(V4_A, MILLION, -9n), v4(V4_A, -MILLION, 9n)]).flat(),
    ],
    [
      'out of a second pool that was lent it',
      [changes(V4_B, DEEP), v4(V4_A, MILLION, -9n), v4(V4_B, -MILLION, 9n), changes(V4_B, -DEEP), changes(V4_A, -DEEP)],
    ],
    ['a fee of all that was paid, collected', [loan, v4(V4_A, MILLION, -1n, 1_000_000), changes(V4_A, 0n), repaid]],
    [
      'out of a pool that was given it',
      [log(MANAGER, 'Donate', [idOf(V4_A), CONTRACT, MILLION, 0n]), v4(V4_A, -MILLION, 9n)],
    ],
    ['two legs of a batch', [vaultSwap(USDC, JUNK, MILLION), vaultSwap(JUNK, USDC, MILLION)]],
    ['between a join and an exit', [loan, vaultSwap(USDC, JUNK, MILLION), exited, repaid]],
    ['out of what was joined', [loan, joined, vaultSwap(JUNK, USDC, MILLION), repaid]],
    ['out of what an asset manager lent', [loan, manages(MILLION), vaultSwap(JUNK, USDC, MILLION), repaid]],
    ['into what an asset manager takes', [loan, vaultSwap(USDC, JUNK, MILLION), manages(-MILLION), repaid]],
    [
      'a join by a swap for shares',
      [vaultSwap(USDC, OWN_CODE, MILLION), vaultSwap(JUNK, USDC, MILLION), vaultSwap(OWN_CODE, JUNK, MILLION)],
    ],
    [
      'into a pool of Balancer V3 whose creator collects the fees of its swaps and rates',
      [
        loan,
        vault3Swap(MILLION, usd(600_000)),
        collects('Swap', usd(600_000)),
        collects('Yield', usd(400_000)),
        repaid,
      ],
    ],
    [
      'out of a pair that was simply sent it',
      [
        loan,
        move(CONTRACT, PAIR, MILLION),
        log(PAIR, 'Sync', [MILLION, 1_000n]),
        move(PAIR, CONTRACT, MILLION),
        log(PAIR, 'Sync', [0n, 2_000n]),
        pays(PAIR, MILLION),
        repaid,
      ],
    ],
    [
      'into a pool whose liquidity is collected after',
      [loan, move(CONTRACT, V3_POOL, MILLION), v3(MILLION, -9n), move(V3_POOL, CONTRACT, MILLION), repaid],
    ],
    [
      'one loan through two accounts of its own',
      [
        ...[move(LENDER, ONE, MILLION), v4(V4_A, MILLION, -9n), move(ONE, MANAGER, MILLION), done(ONE)],
        ...[v4(V4_A, -MILLION, 9n), move(MANAGER, TWO, MILLION), move(TWO, LENDER, MILLION), done(TWO)],
      ],
    ],
    [
      'out of a maker that was lent it',
      [
        ...[move(LENDER, MAKER, MILLION), move(MAKER, CONTRACT, MILLION), move(CONTRACT, MAKER, 9n, JUNK)],
        log(EXCHANGE, 'OtcOrderFilled', [`0x${'01'.repeat(32)}`, MAKER, CONTRACT, USDC, JUNK, MILLION, 9n]),
        repaid,
      ],
    ],
    [
      'out of a pool of Curve that counts what it is sent',
      [
        ...[move(LENDER, CURVE_W, 10n ** 21n, WETH), move(CONTRACT, CURVE_W, 9n, JUNK)],
        ...[move(CURVE_W, CONTRACT, 10n ** 21n, WETH), move(CONTRACT, LENDER, 10n ** 21n, WETH)],
        log(CURVE_W, 'TokenExchange', [CONTRACT, 1, 9n, 0, 10n ** 21n]),
      ],
    ],
    [
      'coins out of a pool of Curve that was lent them',
      [
        log(CURVE_POOL, 'TokenExchange', [CONTRACT, 1, 9n, 0, 10n ** 21n]),
        log(CURVE_POOL, 'RemoveLiquidity', [CONTRACT, [0n, 9n], [0n, 0n], 1n]),
      ],
    ],
  ])('%s: it does not count', (_, steps) => {
    const rows = rowsOf(steps)
    expect(rows.length).toBeGreaterThan(0)
    expect(dollarsOf(rows)).toEqual([0, 0])
    // A hop of two tokens without a price has no value to cap.
    for (const { hops, hopsUsdE8, flags, hopsFlags = [] } of rows.filter(({ usdE8 }) => usdE8 !== null)) {
      expect(flags & FLAG_CAPPED).not.toBe(0)
      hops.forEach((_, at) => {
        if (hopsUsdE8[at] !== null) expect((hopsFlags[at] ?? 0) & FLAG_CAPPED).not.toBe(0)
      })
    }
  })

  test('but what rounding costs', () => {
    expect(dollarsOf(rowsOf([v4(V4_A, usd(100), -9n), v4(V4_A, -usd(98), 9n)]))).toEqual([2, 2])
  })
})

// ONE gives a thousand to TWO. On the way the same money passes through four of the attacker's makers, two in each
// direction.
test('capital counts at most twice in a transaction, whoever is named and whatever kind of pools it passes', () => {
  const capital = usd(1_000)
  const order = (makerToken: Address, takerToken: Address, amounts: readonly bigint[]) =>
    log(EXCHANGE, 'OtcOrderFilled', [`0x${'01'.repeat(32)}`, MAKER, CONTRACT, makerToken, takerToken, ...amounts])
  const sells = (token: Address) => [move(ONE, MAKER, capital), order(token, USDC, [9n, capital])]
  const buys = (token: Address) => [move(MAKER, TWO, capital), order(USDC, token, [capital, 9n])]
  const rows = rowsOf([
    ...[...sells(JUNK), move(MAKER, ONE, capital), ...sells(UNI), done(ONE)],
    ...[...buys(madeTokens[2]), move(TWO, MAKER, capital), ...buys(madeTokens[3]), done(TWO)],
  ])
  expect(dollarsOf(rows)).toEqual([2_000, 2_000])
})

test('of a part that comes back the hops share the rest, the first one with the remainder', () => {
  const rows = rowsOf([v4(V4_A, 10n, -9n), v4(V4_A, 10n, -9n), v4(V4_A, -13n, 9n)])
  expect(
    rows.flatMap(({ hops }) => hops.map(({ counted, amountIn, amountOut }) => counted ?? { amountIn, amountOut })),
  ).toEqual([
    { amountIn: 3n, amountOut: 9n },
    { amountIn: 2n, amountOut: 9n },
    { amountIn: 9n, amountOut: 2n },
  ])
})

describe('what somebody paid counts', () => {
  test.each<[string, Step[], number, bigint?]>([
    ['a swap of the manager', [v4(V4_A, usd(100), -9n), move(SIGNER, MANAGER, usd(100))], 100],
    [
      'the same while a hook adds liquidity and takes it out',
      [changes(V4_A, DEEP), v4(V4_A, usd(100), -9n), changes(V4_A, -DEEP), move(SIGNER, MANAGER, usd(100))],
      100,
    ],
    [
      'a swap of a hook’s pool, of whose fee of 1 % the hook collects its part, and donates another',
      [v4(V4_C, -usd(100), 9n, 10_000), changes(V4_C, 0n), log(MANAGER, 'Donate', [idOf(V4_C), CONTRACT, usd(1), 0n])],
      100,
    ],
    ['a fee of 99.99 %', [v4(V4_A, usd(100), -1n, 999_900), move(SIGNER, MANAGER, usd(100))], 100],
    [
      'a swap of Balancer V3, in whose transaction fees of another pool and in another token are collected',
      [vault3Swap(usd(100), usd(1)), collects('Swap', usd(9), JUNK), collects('Swap', usd(9), USDC, CURVE_POOL)],
      100,
    ],
    ['a route over two pools of the manager', [v4(V4_A, -usd(100), 9n), v4(V4_C, usd(100), -7n)], 200],
    [
      'arbitrage between two pairs',
      [
        ...[move(PAIR, OTHER_PAIR, 1_000n, JUNK), takes(PAIR, usd(100)), move(CONTRACT, PAIR, usd(100))],
        ...[move(OTHER_PAIR, CONTRACT, usd(101)), pays(OTHER_PAIR, usd(101))],
      ],
      201,
    ],
    [
      'liquidity that is moved beside it',
      [
        ...[move(SIGNER, V3_POOL, usd(100)), v3(usd(100), -9n)],
        ...[move(V3_POOL, LENDER, usd(60)), move(LENDER, V3_POOL, usd(60))],
      ],
      100,
    ],
    [
      'liquidity that somebody takes out in the same bundle',
      [move(SIGNER, V3_POOL, usd(100)), v3(usd(100), -9n), move(V3_POOL, LENDER, usd(100))],
      100,
    ],
    [
      'a join beside a swap of the same batch',
      [vaultSwap(USDC, JUNK, usd(100)), vaultSwap(USDC, OWN_CODE, usd(50)), move(SIGNER, VAULT, usd(150))],
      100,
    ],
    [
      'two accounts of a bundle, in opposite directions',
      [
        ...[move(ONE, MANAGER, usd(100)), v4(V4_A, usd(100), -9n), move(MANAGER, ONE, 9n, JUNK), done(ONE)],
        ...[move(TWO, MANAGER, 8n, JUNK), v4(V4_A, -usd(90), 8n), move(MANAGER, TWO, usd(90)), done(TWO)],
      ],
      190,
    ],
    [
      'coins sent to a pool of Curve',
      [
        log(CURVE_POOL, 'TokenExchange', [CONTRACT, 0, 10n ** 18n, 1, 9n]),
        log(CURVE_POOL, 'RemoveLiquidity', [LENDER, [0n, 9n], [0n, 0n], 1n]),
      ],
      2_000,
      10n ** 18n,
    ],
  ])('%s: it counts', (_, steps, dollars, value = 0n) => {
    const rows = rowsOf(steps, value)
    expect(dollarsOf(rows)[1]).toBe(dollars)
    for (const { flags } of rows) expect(flags & FLAG_CAPPED).toBe(0)
  })

  test('there and most of it back: one row, worth what is left', () => {
    const rows = rowsOf([v4(V4_A, -usd(926), 360n), v4(V4_A, usd(700), -271n)])
    expect(rows.map(({ sell, buy, flags }) => [sell.amount, buy.amount, flags])).toEqual([[89n, usd(226), 0]])
    expect(dollarsOf(rows)).toEqual([226, 226])
  })

  test('a pool that arbitrage passes twice: its net, and the other pools in full', () => {
    const steps = [v4(V4_A, usd(100), -9n), v4(V4_B, -usd(120), 9n), v4(V4_A, -usd(20), 2n), v4(V4_B, usd(1), -2n)]
    expect(dollarsOf(rowsOf(steps))).toEqual([199, 199])
  })
})

describe('a closed loop', () => {
  const isClosed = (steps: readonly Step[], value?: bigint) => closedLoops(tradesOf(steps, value), prices).size === 1
  const there = [v4(V4_A, usd(100), -9n), v4(V4_A, -usd(100), 9n)]
  const junk = (to: Address, amount: bigint) => move(ZERO_ADDRESS, to, amount, JUNK)
  const arbitrage = (profit: bigint) => [
    ...[move(PAIR, OTHER_PAIR, 1_000n, JUNK), takes(PAIR, usd(100)), move(CONTRACT, PAIR, usd(100))],
    ...[move(OTHER_PAIR, CONTRACT, usd(100) + profit), pays(OTHER_PAIR, usd(100) + profit)],
  ]
  test.each<[string, Step[], boolean]>([
    ['there and back, with nothing paid', there, true],
    ['the same, with dust paid for rounding', [...there, move(CONTRACT, MANAGER, 5n)], true],
    ['the same, while its own token says that somebody got it', [...there, junk(SIGNER, 1_000n)], true],
    [
      'the same at another price of its own token, which somebody got',
      [v4(V4_A, usd(100), -9n), v4(V4_B, -usd(100), 3n), junk(SIGNER, 6n)],
      true,
    ],
    ['arbitrage with a profit of 1 %', arbitrage(usd(1)), true],
    ['arbitrage with a larger profit', arbitrage(usd(2)), false],
    ['a purchase', [v4(V4_A, usd(100), -9n), move(SIGNER, MANAGER, usd(100)), move(MANAGER, SIGNER, 9n, JUNK)], false],
    [
      'one unlisted token for another, with nobody’s dollars',
      [
        ...[v4(V4_A, -usd(100), 9n), v4(V4_C, usd(100), -7n)],
        ...[move(SIGNER, MANAGER, 9n, JUNK), move(MANAGER, SIGNER, 7n, UNI)],
      ],
      false,
    ],
    ['a swap of pairs whose transfers are not known', [takes(PAIR, usd(100)), pays(OTHER_PAIR, usd(100))], false],
  ])('%s', (_, steps, closed) => {
    expect(isClosed(steps)).toBe(closed)
  })

  test('coins that the wrapper paid out are somebody’s', () => {
    const unwrapped = log(WETH, 'Withdrawal', [CONTRACT, 10n ** 18n], new Interface([WITHDRAWAL]))
    const sale = [move(SIGNER, CURVE_W, 9n, JUNK), move(CURVE_W, CONTRACT, 10n ** 18n, WETH)]
    const exchange = log(CURVE_W, 'TokenExchange', [CONTRACT, 1, 9n, 0, 10n ** 18n])
    expect(isClosed([...sale, exchange, unwrapped])).toBe(false)
    // Arbitrage that pays out its profit in coins.
    const tip = log(WETH, 'Withdrawal', [CONTRACT, 10n ** 15n], new Interface([WITHDRAWAL]))
    const back = [move(CONTRACT, CURVE_W, 999n * 10n ** 15n, WETH), move(CURVE_W, SIGNER, 9n, JUNK)]
    const returned = log(CURVE_W, 'TokenExchange', [CONTRACT, 0, 999n * 10n ** 15n, 1, 9n])
    expect(isClosed([...sale, exchange, ...back, returned, tip])).toBe(true)
  })
})
