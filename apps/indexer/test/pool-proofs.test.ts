import { type Address, type Deployment, type Hex, type PoolEvent, type Question, ZERO_ADDRESS } from '@dexfeed/dex'
import { Interface } from 'ethers'
import { expect, test } from 'vitest'
import { PoolRegistry } from '../src/pool-registry.ts'

/**
 *   pair, vault pool, Curve pool, DODO pool, a stranger of each kind
 *        '--- their proofs take two, one, two to five and two rounds, asked together round by round ---'
 */
const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [A, B, C] = [address('01'), address('02'), address('03')]
const V2 = { name: 'v2', kind: 'uniswap-v2', factory: address('f1'), feeBps: 30 } as const
const BALANCER = { name: 'balancer', kind: 'balancer-v2', factory: address('ba') } as const
const CURVE = { name: 'curve', kind: 'curve', factory: address('f2') } as const
const DODO = { name: 'dodo', kind: 'dodo', factory: address('f3'), contracts: { dvmFactory: address('f3') } } as const
const deployment: Deployment = {
  network: 'eth',
  wrappedNative: A,
  stablecoins: [],
  anchors: [],
  dexes: [V2, BALANCER, CURVE, DODO],
  tokens: [],
  finalityDepth: 64,
}

const ID = `${address('a2')}${'00'.repeat(11)}07` as const
const PAIR = address('a1')
const VAULT_POOL: Hex = `${BALANCER.factory}${ID.slice(2)}`
const CURVE_POOL = address('a3')
const DODO_POOL = address('a4')
const [FORGED_PAIR, FORGED_CURVE, FORGED_DODO] = [address('e1'), address('e3'), address('e4')]
const FORGED_VAULT: Hex = `${address('e2')}${ID.slice(2)}`

const say = (to: Address, abi: string, args: readonly unknown[], ...result: readonly unknown[]): [string, Hex] => {
  const face = new Interface([`function ${abi}`])
  const name = abi.slice(0, abi.indexOf('('))
  return [`${to} ${face.encodeFunctionData(name, args)}`, face.encodeFunctionResult(name, result) as Hex]
}
const pairClaims = (pair: Address) => [
  say(pair, 'factory() view returns (address)', [], V2.factory),
  say(pair, 'token0() view returns (address)', [], A),
  say(pair, 'token1() view returns (address)', [], B),
]
const dodoClaims = (pool: Address) => [
  say(pool, '_BASE_TOKEN_() view returns (address)', [], A),
  say(pool, '_QUOTE_TOKEN_() view returns (address)', [], B),
]
const LIST = 'getPoolTokens(bytes32) view returns (address[], uint256[], uint256)'
const answers = new Map([
  ...pairClaims(PAIR),
  ...pairClaims(FORGED_PAIR),
  say(V2.factory, 'getPair(address, address) view returns (address)', [A, B], PAIR),
  say(BALANCER.factory, 'getPool(bytes32) view returns (address, uint8)', [ID], address('a2'), 0),
  say(BALANCER.factory, LIST, [ID], [A, B, C], [1n, 2n, 3n], 4n),
  say(CURVE.factory, 'get_coins(address) view returns (address[2])', [CURVE_POOL], [B, C]),
  say(CURVE.factory, 'get_coins(address) view returns (address[2])', [FORGED_CURVE], [ZERO_ADDRESS, ZERO_ADDRESS]),
  ...dodoClaims(DODO_POOL),
  ...dodoClaims(FORGED_DODO),
  say(DODO.factory, 'getDODOPool(address, address) view returns (address[])', [A, B], [DODO_POOL]),
])

const swap = (pool: Hex): PoolEvent => ({
  ...{ type: 'swap', family: 'pair', pool, transactionIndex: 0, logIndex: 0 },
  ...{ amount0: 1n, amount1: -1n, state: null },
})
const exchange = (pool: Hex, family: 'managed' | 'curve' | 'dodo'): PoolEvent => ({
  ...{ type: 'exchange', family, pool, transactionIndex: 0, logIndex: 0 },
  ...{ sold: { token: A }, soldAmount: 1n, bought: { token: B }, boughtAmount: 1n },
})

test('proofs of every kind run side by side, each with its own answers, and strangers stay strangers', async () => {
  const rounds: number[] = []
  const callMany = async (calls: readonly Question[]) => {
    rounds.push(calls.length)
    return calls.map(({ to, data }) => answers.get(`${to} ${data}`) ?? null)
  }
  const registry = new PoolRegistry({ callMany }, deployment, { pools: [], tokens: [] })
  const events = [
    swap(FORGED_PAIR),
    exchange(FORGED_CURVE, 'curve'),
    exchange(VAULT_POOL, 'managed'),
    exchange(DODO_POOL, 'dodo'),
    exchange(FORGED_VAULT, 'managed'),
    swap(PAIR),
    exchange(FORGED_DODO, 'dodo'),
    exchange(CURVE_POOL, 'curve'),
  ]
  await registry.resolve(events, 'latest')
  expect([...registry.pools.values()].map(({ address: pool, dex, coins }) => [pool, dex.name, coins])).toEqual(
    expect.arrayContaining([
      [PAIR, 'v2', undefined],
      [VAULT_POOL, 'balancer', [A, B, C]],
      [CURVE_POOL, 'curve', [B, C]],
      [DODO_POOL, 'dodo', undefined],
    ]),
  )
  expect(registry.pools.size).toBe(4)
  expect([A, B, C].map((token) => registry.token(token)?.address)).toEqual([A, B, C])
  expect(registry.unsaved(registry.pools.keys())).toMatchObject({ pools: { length: 4 }, tokens: { length: 3 } })

  const asked = rounds.length
  await registry.resolve(events, 'latest')
  expect(rounds).toHaveLength(asked)
})
