import type { Address, EthCall, Hex, PoolEvent } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { PoolRegistry } from '../src/pools/pool-registry.ts'
import { addressesOf, addressOf, madeDeployment, swapIn, verifyingChain, word } from './scene/made-values.ts'

/**
 *   pair, vault pool, Curve pool, DODO pool, an unknown contract of each kind
 *          '--- their proofs take two, one, two to five and two rounds, called together round by round ---'
 */
const [A, B, C] = addressesOf('01', '02', '03')
const V2 = { name: 'v2', kind: 'uniswap-v2', factory: addressOf('f1'), feeBps: 30 } as const
const BALANCER = { name: 'balancer', kind: 'balancer-v2', factory: addressOf('ba') } as const
const CURVE = { name: 'curve', kind: 'curve', factory: addressOf('f2') } as const
const DODO = {
  name: 'dodo',
  kind: 'dodo',
  factory: addressOf('f3'),
  contracts: { dvmFactory: addressOf('f3') },
} as const
const deployment = madeDeployment({ wrappedNative: A, dexes: [V2, BALANCER, CURVE, DODO], finalityDepth: 64 })

const ID = `${addressOf('a2')}${'00'.repeat(11)}07` as const
const PAIR = addressOf('a1')
const VAULT_POOL: Hex = `${BALANCER.factory}${ID.slice(2)}`
const CURVE_POOL = addressOf('a3')
const DODO_POOL = addressOf('a4')
const [FORGED_PAIR, FORGED_CURVE, FORGED_DODO] = [addressOf('e1'), addressOf('e3'), addressOf('e4')]
const FORGED_VAULT: Hex = `${addressOf('e2')}${ID.slice(2)}`

const words = (values: readonly (Hex | number)[]) => values.map((value) => word(value).slice(2)).join('')
const say = (to: Address, selector: Hex, args: readonly Hex[], ...result: readonly (Hex | number)[]): [string, Hex] => [
  `${to} ${selector}${words(args)}`,
  `0x${words(result)}`,
]
const FACTORY = '0xc45a0155'
const [TOKEN0, TOKEN1] = ['0x0dfe1681', '0xd21220a7'] as const
const [BASE_TOKEN, QUOTE_TOKEN] = ['0x4a248d2a', '0xd4b97046'] as const
/**
 * Selectors of getPair(address,address), getPool(bytes32), getPoolTokens(bytes32), get_coins(address) and
 * getDODOPool(address,address).
 */
const GET_PAIR = '0xe6a43905'
const GET_POOL = '0xf6c00927'
const GET_POOL_TOKENS = '0xf94d4668'
const GET_COINS = '0x9ac90d3d'
const GET_DODO_POOL = '0x57a281dc'
const pairClaims = (pair: Address) => [
  say(pair, FACTORY, [], V2.factory),
  say(pair, TOKEN0, [], A),
  say(pair, TOKEN1, [], B),
]
const dodoClaims = (pool: Address) => [say(pool, BASE_TOKEN, [], A), say(pool, QUOTE_TOKEN, [], B)]
const answers = new Map([
  ...pairClaims(PAIR),
  ...pairClaims(FORGED_PAIR),
  say(V2.factory, GET_PAIR, [A, B], PAIR),
  say(BALANCER.factory, GET_POOL, [ID], addressOf('a2'), 0),
  say(BALANCER.factory, GET_POOL_TOKENS, [ID], 0x60, 0xe0, 9, 3, A, B, C, 3, 1, 2, 3),
  say(CURVE.factory, GET_COINS, [CURVE_POOL], B, C),
  say(CURVE.factory, GET_COINS, [FORGED_CURVE], 0, 0),
  ...dodoClaims(DODO_POOL),
  ...dodoClaims(FORGED_DODO),
  say(DODO.factory, GET_DODO_POOL, [A, B], 0x20, 1, DODO_POOL),
])

const exchange = (pool: Hex, family: 'managed' | 'curve' | 'dodo'): PoolEvent => ({
  type: 'exchange',
  family,
  pool,
  transactionIndex: 0,
  logIndex: 0,
  sold: { token: A },
  soldAmount: 1n,
  bought: { token: B },
  boughtAmount: 1n,
})

test('proofs of every kind run in parallel, each with its own responses, and unknown contracts stay denied', async () => {
  const rounds: number[] = []
  const callMany = async (calls: readonly EthCall[]) => {
    rounds.push(calls.length)
    return calls.map(({ to, data }) => answers.get(`${to} ${data}`) ?? null)
  }
  const chain = verifyingChain({
    callMany,
    callElsewhere: callMany,
    logsOf: async () => [],
    hasCode: async () => null,
    head: async () => ({ number: 0, hash: '0x', parentHash: '0x', timestamp: 0 }),
  })
  const registry = new PoolRegistry(chain, deployment, { pools: [], tokens: [] })
  const events = [
    swapIn(FORGED_PAIR),
    exchange(FORGED_CURVE, 'curve'),
    exchange(VAULT_POOL, 'managed'),
    exchange(DODO_POOL, 'dodo'),
    exchange(FORGED_VAULT, 'managed'),
    swapIn(PAIR),
    exchange(FORGED_DODO, 'dodo'),
    exchange(CURVE_POOL, 'curve'),
  ]
  await registry.resolve(events, 'latest')
  expect([...registry.known.pools.values()].map(({ address: pool, dex, coins }) => [pool, dex.name, coins])).toEqual(
    expect.arrayContaining([
      [PAIR, 'v2', undefined],
      [VAULT_POOL, 'balancer', [A, B, C]],
      [CURVE_POOL, 'curve', [B, C]],
      [DODO_POOL, 'dodo', undefined],
    ]),
  )
  expect(registry.known.pools.size).toBe(4)
  expect([A, B, C].map((token) => registry.known.tokens.get(token)?.address)).toEqual([A, B, C])
  const saved = await registry.known.saveWith(registry.known.pools.keys(), {}, async () => undefined)
  expect(saved).toMatchObject({ pools: { length: 4 }, tokens: { length: 3 } })

  const asked = rounds.length
  await registry.resolve(events, 'latest')
  expect(rounds).toHaveLength(asked)
})
