import { Interface } from 'ethers'
import { describe, expect, test } from 'vitest'
import type { Log } from '../../src/chain/block.ts'
import type { Address, Hex } from '../../src/chain/hex.ts'
import { builtInDeployments } from '../../src/deployments/dex-config.ts'
import type { NetworkName } from '../../src/deployments/networks.ts'
import { replayLogs, replayReceipt } from '../replay-receipt.ts'
import type { KnownResult } from '../run-proof.ts'

/**
 *   log, made by the ABI --decode--> event --prove--> pool --toHops--> hop
 *                                             ^
 *                 the results of the pool and of its configured factory
 *
 * The same log from another contract, which returns the same as the pool, makes no hop.
 */
const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [A, B, USER, POOL, FORGER] = ['0a', '0b', 'cc', '99', '66'].map(address) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]
const ID = `0x${'07'.repeat(16)}`

interface Venue {
  network: NetworkName
  dex: string
  /** Of the log; the pool's own if a factory lists pools. */
  emitter: Address
  event: string
  args: readonly unknown[]
  known: (pool: Address) => readonly KnownResult[]
}

const SOLD = 5_000_000n
const BOUGHT = 4_990_000n
const FEE = 1_000n
const nothing = () => []
const call = (to: Address, abi: string, result: unknown, args: readonly unknown[] = []): KnownResult => {
  return { to, abi: `function ${abi}`, args, result: Array.isArray(result) ? result : [result] }
}
const factoryOf = (network: NetworkName, dex: string): Address => {
  const found = builtInDeployments[network].dexes.find(({ name }) => name === dex)
  if (found === undefined) throw new Error(`${network} has no ${dex}`)
  return found.factory
}

const settled = (network: NetworkName, dex: string, event: string, args: readonly unknown[]): Venue => {
  return { network, dex, emitter: factoryOf(network, dex), event, args, known: nothing }
}
/** A pool that claims `factory`, which names it by `poolCall`. */
const concentrated = (network: NetworkName, dex: string, swap: string, poolCall: string, args: unknown[]): Venue => ({
  ...{ network, dex, emitter: POOL, event: swap },
  args: [USER, USER, SOLD, -BOUGHT, 2n ** 96n, 1n, 0, ...(swap.includes('pluginFee') ? [0, 0] : [])],
  known: (pool) => [
    call(pool, 'factory() view returns (address)', factoryOf(network, dex)),
    call(pool, 'token0() view returns (address)', A),
    call(pool, 'token1() view returns (address)', B),
    call(pool, 'fee() view returns (uint24)', 500),
    call(pool, 'tickSpacing() view returns (int24)', 10),
    call(factoryOf(network, dex), `${poolCall} view returns (address)`, POOL, args),
  ],
})
/** A pool that returns its tokens and that the factory is called about. */
const listed = (
  venue: Omit<Venue, 'emitter' | 'known'>,
  list: KnownResult,
  tokens: (pool: Address) => KnownResult[],
) => {
  return { ...venue, emitter: POOL, known: (pool: Address) => [list, ...tokens(pool)] }
}
const pairTokens = (pool: Address) => [
  call(pool, 'token0() view returns (address)', A),
  call(pool, 'token1() view returns (address)', B),
]

const V3_SWAP =
  'Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)'
const INTEGRAL_SWAP = V3_SWAP.replace(')', ', uint24 overrideFee, uint24 pluginFee)')
const BY_SPACING = ['getPool(address, address, int24)', [A, B, 10]] as const
const BY_FEE = ['getPool(address, address, uint24)', [A, B, 500]] as const
const BY_PAIR = ['poolByPair(address, address)', [A, B]] as const
const PAIR_SWAP =
  'Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)'

const pair = (network: NetworkName, dex: string): Venue => ({
  ...{ network, dex, emitter: POOL, event: PAIR_SWAP, args: [USER, SOLD, 0n, 0n, BOUGHT, USER] },
  known: (pool) => [
    call(pool, 'factory() view returns (address)', factoryOf(network, dex)),
    ...pairTokens(pool),
    call(factoryOf(network, dex), 'getPair(address, address) view returns (address)', POOL, [A, B]),
  ],
})
const METRIC_V1 =
  'Swap(address indexed sender, address indexed recipient, bool exactInput, int256 amount0Delta, int256 amount1Delta, int8 newTick, uint104 newPositionInBin, uint256 protocolFeeAmount)'
const METRIC =
  'Swap(address indexed sender, address indexed recipient, uint256 details, uint256 amountDeltas, uint256 platformFees)'
const metric = (network: NetworkName, dex: string, event: string, args: readonly unknown[]): Venue =>
  listed(
    { network, dex, event, args },
    call(factoryOf(network, dex), 'isPool(address) view returns (bool)', true, [POOL]),
    (pool) => [
      call(pool, 'getImmutables() view returns (address, address, address, uint256)', [
        factoryOf(network, dex),
        A,
        B,
        1,
      ]),
    ],
  )
const PACKED = (SOLD << 128n) | BigInt.asUintN(128, -BOUGHT)
const FERMI =
  'FermiSwap(address indexed recipient, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)'
const SWAPPED =
  'Swapped(address indexed sender, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut, address recipient)'
const BEBOP =
  'Swap(address indexed sender, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 destAmount)'
const RFQ_TRADE =
  'RFQTrade(address recipient, address sellerToken, address buyerToken, uint256 sellerTokenAmount, uint256 buyerTokenAmount, bytes16 quoteId, address signer)'
const LISTA =
  'TokenExchange(address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id, uint256 tokens_bought, uint256 swap_fee, uint256 admin_fee)'
const EULER =
  'Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, uint112 reserve0, uint112 reserve1, address indexed to)'
const EULER_WITH_FEES = EULER.replace(', uint112 reserve0', ', uint256 fee0, uint256 fee1, uint112 reserve0')
const rfq = [USER, A, B, SOLD, BOUGHT, ID, USER]
const lista = (network: NetworkName): Venue =>
  listed(
    { network, dex: 'lista-stableswap', event: LISTA, args: [USER, 0, SOLD, 1, BOUGHT, 1, 0] },
    call(
      factoryOf(network, 'lista-stableswap'),
      'getPairInfo(address, address) view returns (tuple(address, address, address, address)[])',
      [
        [
          [FORGER.replace('66', '67'), A, B, USER],
          [POOL, A, B, USER],
        ],
      ],
      [A, B],
    ),
    (pool) => [0, 1].map((index) => call(pool, 'coins(uint256) view returns (address)', [A, B][index], [index])),
  )
const euler = (network: NetworkName, dex: string, list: KnownResult): Venue => {
  const fees = dex === 'euler-swap' ? ([[SOLD - FEE, FEE, 0], EULER_WITH_FEES] as const) : ([[SOLD], EULER] as const)
  const [[paid, ...kept], event] = fees
  return listed({ network, dex, event, args: [USER, paid, 0, 0, BOUGHT, ...kept, 1, 1, USER] }, list, (pool) => [
    call(pool, 'getAssets() view returns (address, address)', [A, B]),
  ])
}
const deployed = call(factoryOf('eth', 'euler-swap'), 'deployedPools(address) view returns (bool)', true, [POOL])
const byPair = (network: NetworkName) =>
  call(factoryOf(network, 'euler-swap-v1'), 'poolsByPair(address, address) view returns (address[])', [[POOL]], [A, B])

const VENUES: readonly Venue[] = [
  concentrated('bsc', 'topaz-cl', V3_SWAP, BY_SPACING[0], [...BY_SPACING[1]]),
  concentrated('polygon', 'ramses-cl', V3_SWAP, BY_SPACING[0], [...BY_SPACING[1]]),
  concentrated('bsc', 'lista-v3', V3_SWAP, BY_FEE[0], [...BY_FEE[1]]),
  concentrated('polygon', 'w-dex', INTEGRAL_SWAP, BY_PAIR[0], [...BY_PAIR[1]]),
  concentrated('bsc', 'thena-integral', INTEGRAL_SWAP, BY_PAIR[0], [...BY_PAIR[1]]),
  pair('eth', 'ring'),
  pair('bsc', 'ring'),
  pair('bsc', 'lista-v2'),
  listed(
    {
      ...{ network: 'bsc', dex: 'topaz-v2', args: [USER, USER, SOLD, 0n, 0n, BOUGHT] },
      event:
        'Swap(address indexed sender, address indexed to, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out)',
    },
    call(factoryOf('bsc', 'topaz-v2'), 'isPool(address) view returns (bool)', true, [POOL]),
    pairTokens,
  ),
  lista('eth'),
  lista('bsc'),
  metric('eth', 'metric-v1', METRIC_V1, [USER, USER, true, SOLD, -BOUGHT, 1, 1n, 1n]),
  metric('eth', 'metric', METRIC, [USER, USER, 1n, PACKED, 1n]),
  metric('bsc', 'metric', METRIC, [USER, USER, 1n, PACKED, 1n]),
  metric('polygon', 'metric', METRIC, [USER, USER, 1n, PACKED, 1n]),
  euler('eth', 'euler-swap', deployed),
  euler('eth', 'euler-swap-v1', byPair('eth')),
  euler('bsc', 'euler-swap-v1', byPair('bsc')),
  settled(
    'bsc',
    'tessera',
    'TesseraTrade(address tokenIn, address tokenOut, uint256 amountIn, uint256 amountOut, address recipient)',
    [A, B, SOLD, BOUGHT, USER],
  ),
  settled(
    'bsc',
    'elfomofi',
    'ElfomoTrade(uint256 indexed quoteId, uint256 indexed partnerId, address executor, address receiver, address fromToken, address toToken, uint256 fromAmount, uint256 toAmount)',
    [1, 2, USER, USER, A, B, SOLD, BOUGHT],
  ),
  settled('eth', 'fermiswap-1', FERMI, [USER, A, B, SOLD, BOUGHT]),
  settled('eth', 'fermiswap', SWAPPED, [USER, A, B, SOLD, BOUGHT, USER]),
  settled('eth', 'bebop-pamm-1', BEBOP, [USER, A, B, SOLD, BOUGHT]),
  settled('eth', 'bebop-pamm-2', BEBOP, [USER, A, B, SOLD, BOUGHT]),
  settled('eth', 'bebop-pamm-3', SWAPPED, [USER, A, B, SOLD, BOUGHT, USER]),
  settled('eth', 'bebop-pamm', SWAPPED, [USER, A, B, SOLD, BOUGHT, USER]),
  ...(['eth', 'bsc'] as const).flatMap((network) => [
    settled(network, 'native-v3', RFQ_TRADE, rfq),
    settled(network, 'native-v4', RFQ_TRADE, rfq),
    settled(network, 'native-v6', RFQ_TRADE.replace('RFQ', 'PAMM'), rfq),
  ]),
  ...(['eth', 'polygon'] as const).flatMap((network) => [
    settled(
      network,
      'clipper',
      'Swapped(address indexed inAsset, address indexed outAsset, address indexed recipient, uint256 inAmount, uint256 outAmount, bytes auxiliaryData)',
      [A, B, USER, SOLD, BOUGHT, '0x01'],
    ),
    settled(
      network,
      'clipper-cove',
      'CoveSwapped(address indexed inAsset, address indexed outAsset, address indexed recipient, uint256 inAmount, uint256 outAmount, bytes32 auxiliaryData)',
      [A, B, USER, SOLD, BOUGHT, `0x${'01'.repeat(32)}`],
    ),
  ]),
]

describe.each(VENUES.map((venue) => [`${venue.dex} on ${venue.network}`, venue] as const))('%s', (_, venue) => {
  const { network, dex, event, args, known } = venue
  const { dexes, wrappedNative } = builtInDeployments[network]
  const abi = new Interface([`event ${event}`])
  const replay = (emitter: Address, results: readonly KnownResult[]) => {
    const { topics, data } = abi.encodeEventLog(/^\w+/.exec(event)?.[0] ?? '', args)
    const log: Log = { address: emitter, topics: topics as Hex[], data: data as Hex, transactionIndex: 0, logIndex: 0 }
    return replayLogs(1, [log], dexes, results, wrappedNative).hops
  }

  test('a swap is a hop, with the tokens and amounts of its event', () => {
    const hops = replay(venue.emitter, known(venue.emitter))
    expect(hops.map(({ pool }) => pool.dex.name)).toEqual([dex])
    expect(hops).toMatchObject([{ tokenIn: A, amountIn: SOLD, tokenOut: B, amountOut: BOUGHT }])
  })

  test('the same log of any other contract is dropped', () => {
    expect(replay(FORGER, [...known(venue.emitter), ...known(FORGER)])).toEqual([])
  })
})

test('a recorded trade of Clipper, which pays the coin', () => {
  const { dexes, wrappedNative } = builtInDeployments.eth
  const { hops, transfers } = replayReceipt('clipper', dexes, [], wrappedNative)
  const USDT: Address = '0xdac17f958d2ee523a2206206994597c13d831ec7'
  expect(hops).toMatchObject([{ tokenIn: USDT, amountIn: 1_500_000n, tokenOut: wrappedNative }])
  expect(transfers).toContainEqual(
    expect.objectContaining({ token: USDT, to: factoryOf('eth', 'clipper'), value: 1_500_000n }),
  )
})

test('a converter of Bancor says what the network says of the same step: reading both would count twice', () => {
  const { dexes, wrappedNative } = builtInDeployments.eth
  const conversion = new Interface([
    'event Conversion(address indexed source, address indexed target, address indexed trader, uint256 sourceAmount, uint256 targetAmount, int256 fee)',
  ])
  const { logs, hops } = replayReceipt('bancor-v2', dexes, [], wrappedNative)
  const reported = logs.flatMap(({ topics, data }) => {
    const { sourceAmount, targetAmount } = conversion.parseLog({ topics: [...topics], data })?.args.toObject() ?? {}
    return sourceAmount === undefined ? [] : [[sourceAmount, targetAmount]]
  })
  expect(reported.length).toBeGreaterThan(0)
  expect(reported).toEqual(hops.map(({ amountIn, amountOut }) => [amountIn, amountOut]))
})
