import { AbiCoder, getCreate2Address, Interface, keccak256 } from 'ethers'
import { describe, expect, it } from 'vitest'
import { readState } from '../../../test/run-proof.ts'
import type { Address, Block, Hex, Log } from '../../chain.ts'
import { builtInDeployments } from '../../deployments/dex-config.ts'
import type { Dex, Pool } from '../../pool.ts'
import { bestRoute } from '../../quote/best-route.ts'
import { createMarket } from '../../quote/market.ts'
import { blockHops, toTrades, tradeRules, tradingTransactions } from '../../trades/to-trades.ts'
import type { CallResults, EthCall } from '../protocol.ts'
import { provePool } from '../prove-pool.ts'
import { decode, decodersOf, protocolOf } from '../registry.ts'
import real from './quickswap-v3.json' with { type: 'json' }

const POOL = `0x${'aa'.repeat(20)}` as const
const OTHER = `0x${'bb'.repeat(20)}` as const
const FACTORY = `0x${'cc'.repeat(20)}` as const
const WRAPPED = `0x${'ee'.repeat(20)}` as const
const KINDS = ['algebra-v1', 'algebra-v1.9', 'algebra-integral'] as const
type Kind = (typeof KINDS)[number]

const POSITION =
  'address indexed owner, int24 indexed bottomTick, int24 indexed topTick, uint128 liquidityAmount, uint256 amount0, uint256 amount1'
const v1 = new Interface([
  `event Burn(${POSITION})`,
  `event Mint(address sender, ${POSITION})`,
  'event Fee(uint16 fee)',
  'event Pool(address indexed token0, address indexed token1, address pool)',
])
const views = {
  'algebra-v1':
    'function globalState() view returns (uint160 price, int24 tick, uint16 fee, uint16 timepointIndex, uint8 communityFeeToken0, uint8 communityFeeToken1, bool unlocked)',
  'algebra-v1.9':
    'function globalState() view returns (uint160 price, int24 tick, int24 prevInitializedTick, uint16 fee, uint16 timepointIndex, uint8 communityFee, bool unlocked)',
  'algebra-integral':
    'function globalState() view returns (uint160 price, int24 tick, uint16 lastFee, uint8 pluginConfig, uint16 communityFee, bool unlocked)',
}

const dexOf = (kind: Kind): Dex => ({ name: 'algebra', kind, factory: FACTORY })
const poolOf = (kind: Kind): Pool => ({
  address: POOL,
  dex: dexOf(kind),
  token0: WRAPPED,
  token1: OTHER,
  fee: 0,
  tickSpacing: kind === 'algebra-v1' ? 60 : 0,
})

function log(from: Interface, name: string, values: unknown[], address: Address = POOL): Log {
  const { topics, data } = from.encodeEventLog(name, values)
  return { address, topics: topics as Hex[], data: data as Hex, transactionIndex: 0, logIndex: 0 }
}

function blockOf(logs: readonly Log[]): Block {
  const transactions = new Map([[0, { hash: '0x1' as const, from: OTHER, value: 0n }]])
  return { number: 1, hash: '0x1', parentHash: '0x0', timestamp: 1, logs, transactions }
}

const read = (kind: Kind, ...logs: Log[]) => decode(blockOf(logs), decodersOf([kind]))
const words = (...values: (bigint | Address)[]) =>
  `0x${values.map((value) => BigInt(value).toString(16).padStart(64, '0')).join('')}` as const

describe('events of Algebra pools', () => {
  it('say by a range of no width that limit orders changed, not liquidity', () => {
    const logs = [log(v1, 'Mint', [OTHER, OTHER, 60, 60, 5n, 1n, 2n]), log(v1, 'Burn', [OTHER, 60, 60, 5n, 1n, 2n])]
    expect(read('algebra-v1.9', ...logs).events).toMatchObject([
      { type: 'fee', change: { exact: false } },
      { type: 'fee', change: { exact: false } },
    ])
  })

  it('of a fee of 100 % or more are malformed', () => {
    const beyond: Log = { ...log(v1, 'Fee', [0]), data: words(1_000_000n) }
    expect(read('algebra-integral', beyond)).toEqual({ events: [], malformed: 1 })
  })
})

describe('QuickSwap V3 on Polygon', () => {
  const [swapped, removed] = real.transactions
  const decoded = (transaction: typeof swapped) => {
    const logs = (transaction?.logs ?? []).map((each) => ({ ...each, transactionIndex: 0 })) as Log[]
    const block = blockOf(logs)
    return { block, events: decode(block, decodersOf(['algebra-v1'])).events }
  }
  const rules = tradeRules(builtInDeployments.polygon)
  const dex = builtInDeployments.polygon.dexes.find(({ kind }) => kind === 'algebra-v1')
  const token0 = '0x2791bca1f2de4661ed88a30c99a7a9449aa84174'
  const token1 = '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359'

  it('has a swap’s amounts and fee as its tokens’ transfers have them', () => {
    const { block, events } = decoded(swapped)
    const address = swapped?.pool as Address
    if (!dex) throw new Error('not deployed')
    const pool: Pool = { address, dex, token0, token1, fee: 0, tickSpacing: 60 }
    const hops = blockHops(block, events, new Map([[address, pool]]), rules)
    const receipts = new Map(tradingTransactions(hops).map(({ hash }) => [hash, block.logs]))
    expect(toTrades(hops, rules, receipts)).toMatchObject([
      // From the receipt's Transfer events to and from the pool, without the 8 units for the community's vault.
      { sell: { token: token0, amount: 0x0345bb56n }, buy: { token: token1, amount: 0x0345d7dfn } },
    ])
    expect(events[0]).toMatchObject({ type: 'fee', change: { zeroForOne: 1, oneForZero: 1 } })
  })

  it('has the address that its pool deployer gives a pool of its tokens', () => {
    const salt = keccak256(AbiCoder.defaultAbiCoder().encode(['address', 'address'], [token0, token1]))
    const deployer = '0x2D98E2FA9da15aa6dC9581AB097Ced7af697CB92'
    const hash = '0x6ec6c9c8091d160c0aa74b2b14ba9c1717e95093bd3ac085cee99a49aab294a4'
    expect(getCreate2Address(deployer, salt, hash).toLowerCase()).toBe(swapped?.pool)
  })

  it('emits a new fee when liquidity is removed, which is not a trade', () => {
    const { block, events } = decoded(removed)
    expect(events).toMatchObject([
      { type: 'fee', change: { zeroForOne: 0xa14, oneForZero: 0xa14 } },
      { type: 'liquidity', tickLower: 313_380, tickUpper: 313_680, delta: -0x38b00ef9e692bdn },
    ])
    const address = removed?.pool as Address
    const pools = new Map([[address, { ...poolOf('algebra-v1'), address }]])
    expect(toTrades(blockHops(block, events, pools, rules), rules, new Map())).toEqual([])
  })
})

describe('an Algebra pool', () => {
  /** Runs the proof of a pool that makes these claims, if its factory returns `named`. */
  function proven(kind: Kind, named: Address, factory: Address = FACTORY) {
    const proof = provePool({ pool: POOL, family: 'concentrated', events: [] }, [dexOf(kind)])
    const says = [words(factory), words(WRAPPED), words(OTHER), null, words(60n)]
    const rounds: (readonly EthCall[])[] = []
    for (let results: CallResults = []; ; results = rounds.length === 1 ? says : [words(named)]) {
      const step = proof.next(results)
      if (step.done) return { pool: step.value, rounds: rounds[1] }
      rounds.push(step.value)
    }
  }

  it.each(KINDS)('of %s is one that its factory names for its tokens', (kind) => {
    const { pool, rounds } = proven(kind, POOL)
    expect(pool).toEqual(poolOf(kind))
    const call = new Interface(['function poolByPair(address, address)']).encodeFunctionData('poolByPair', [
      WRAPPED,
      OTHER,
    ])
    expect(rounds).toEqual([{ to: FACTORY, data: call }])
    expect(proven(kind, OTHER).pool).toBeNull()
    expect(proven(kind, POOL, OTHER)).toEqual({ pool: null, rounds: undefined })
  })

  it.each(KINDS)('of %s is announced by its factory', (kind) => {
    const protocol = protocolOf(kind)
    const created = protocol?.creation?.read(log(v1, 'Pool', [WRAPPED, OTHER, POOL], FACTORY))
    expect(created).toMatchObject({ pool: POOL, token0: WRAPPED, token1: OTHER })
    expect(protocol?.lookups(WRAPPED, OTHER).map(({ data }) => data)).toEqual([created?.lookupCall()])
  })

  function stateOf(kind: Kind, values: unknown[], ...more: CallResults) {
    const globalState = new Interface([views[kind]]).encodeFunctionResult('globalState', values) as Hex
    return readState(protocolOf(kind).state, poolOf(kind), [globalState, words(9n), ...more])
  }

  it('reads its fee at the position of its version', () => {
    const state = (fee: number) => ({
      kind: 'concentrated',
      sqrtPriceX96: 5n,
      tick: -3,
      liquidity: 9n,
      fee: { zeroForOne: fee, oneForZero: fee, exact: true },
    })
    expect(stateOf('algebra-v1', [5n, -3, 700, 1, 2, 3, true])).toEqual(state(700))
    expect(stateOf('algebra-v1.9', [5n, -3, -60, 800, 1, 2, true], words(60n))).toEqual(state(800))
    expect(stateOf('algebra-integral', [5n, -3, 900, 2, 1, true])).toEqual(state(900))
  })

  it('has no state with a plugin before swaps, or in the layout of another version', () => {
    expect(stateOf('algebra-integral', [5n, -3, 900, 0b1100_0001, 1, true])).toBeNull()
    expect(stateOf('algebra-v1.9', [5n, -3, -60, 800, 1, 2, true], null)).toBeNull()
    const short = new Interface([views['algebra-integral']]).encodeFunctionResult('globalState', [5n, 1, 1, 0, 1, true])
    expect(readState(protocolOf('algebra-v1').state, poolOf('algebra-v1'), [short as Hex, words(9n)])).toBeNull()
  })

  it('pays by the fee of the direction, and nothing while that fee is not its own', () => {
    const fee = { zeroForOne: 500_000, oneForZero: 0, exact: true }
    const state = { kind: 'concentrated', sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: 10n ** 24n } as const
    const ticks = [
      { tick: -600, gross: 10n ** 24n, net: 10n ** 24n },
      { tick: 600, gross: 10n ** 24n, net: -(10n ** 24n) },
    ]
    const market = createMarket([{ pool: poolOf('algebra-integral'), state: { ...state, fee }, ticks }])
    const sell = (from: Address, to: Address) => bestRoute(market, { sell: from, buy: to, amountIn: 1000n })?.amountOut
    expect([sell(WRAPPED, OTHER), sell(OTHER, WRAPPED)]).toEqual([499n, 999n])
    market.setState(POOL, { ...state, fee: { ...fee, zeroForOne: 0 } })
    expect(sell(WRAPPED, OTHER)).toBe(999n)
    market.setState(POOL, { ...state, fee: { ...fee, exact: false } })
    expect([sell(WRAPPED, OTHER), sell(OTHER, WRAPPED)]).toEqual([undefined, undefined])
  })
})
