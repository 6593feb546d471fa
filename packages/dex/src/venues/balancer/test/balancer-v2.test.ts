import { createRequire } from 'node:module'
import { AbiCoder, id as hashOf } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Artifact, type Contract, type LocalChain, startLocalChain } from '../../../../test/local-chain.ts'
import type { Block, Log } from '../../../chain/block.ts'
import type { Address, Hex } from '../../../chain/hex.ts'
import type { Dex, Pool } from '../../../pool.ts'
import type { PoolEvent } from '../../../pool-event.ts'
import { toHops } from '../../../trades/hops.ts'
import { collapseHops } from '../../../trades/routes.ts'
import type { CallResults, EthCall, PoolProof } from '../../protocol.ts'
import { provePool } from '../../prove-pool.ts'
import { decode, decodersOf, dependenciesOf, stateReadingOf } from '../../registry.ts'

/**
 * The vault, its authorizer and weighted pools of Balancer V2 as on mainnet, on a local chain:
 *
 *   A --(pool of A, B)--> B --(pool of B, C)--> C
 */
const load = createRequire(import.meta.url)
const deployed = (name: string): Artifact => load(`@balancer-labs/v2-deployments/deployed/mainnet/${name}.json`)
const TOKEN: Artifact = load('@uniswap/v2-core/build/ERC20.json')
const WETH: Artifact = load('@uniswap/v2-periphery/build/WETH9.json')
const POOL: Artifact = {
  abi: [
    'function getPoolId() view returns (bytes32)',
    'function setSwapFeePercentage(uint256)',
    'function setPaused(bool)',
    'function getActionId(bytes4) view returns (bytes32)',
  ],
  bytecode: '',
}

const UNIT = 10n ** 18n
const SUPPLY = 10n ** 9n * UNIT
const RESERVE = 1_000n * UNIT
const SWAP_FEE = UNIT / 1_000n
const PAUSE_WINDOW_S = 7_776_000
const BUFFER_PERIOD_S = 2_592_000
const DEADLINE = 10n ** 12n
/** WeightedPool.JoinKind.INIT, IVault.SwapKind.GIVEN_IN */
const INIT = 0
const GIVEN_IN = 0

let chain: LocalChain
let vault: Contract
let authorizer: Contract
let dex: Dex
let wrappedNative: Address
let tokens: [Contract, Contract, Contract]
let ids: [Hex, Hex]

beforeAll(async () => {
  chain = await startLocalChain()
  const weth = await chain.deploy(WETH)
  authorizer = await chain.deploy(deployed('Authorizer'), chain.account)
  vault = await chain.deploy(deployed('Vault'), authorizer.address, weth.address, PAUSE_WINDOW_S, BUFFER_PERIOD_S)
  const factory = await chain.deploy(deployed('WeightedPoolFactory'), vault.address)
  tokens = [await makeToken(), await makeToken(), await makeToken()]
  const [a, b, c] = tokens
  ids = [await makePool(factory, [a, b]), await makePool(factory, [b, c])]
  wrappedNative = lower(weth.address)
  dex = { name: 'balancer-v2', kind: 'balancer-v2', factory: lower(vault.address) }
})
afterAll(() => chain?.stop())

const lower = (address: string) => address.toLowerCase() as Address

async function makeToken(): Promise<Contract> {
  const token = await chain.deploy(TOKEN, SUPPLY)
  await token.send('approve', vault.address, SUPPLY)
  return token
}

async function makePool(factory: Contract, members: readonly Contract[]): Promise<Hex> {
  const assets = members.map(({ address }) => address).sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
  const weights = assets.map(() => UNIT / BigInt(assets.length))
  const create = ['made pool', 'MADE', assets, weights, SWAP_FEE, chain.account]
  const [pool] = await factory.call('create', ...create)
  await factory.send('create', ...create)
  const [id] = await chain.at(pool, POOL).call('getPoolId')
  const amounts = assets.map(() => RESERVE)
  const userData = AbiCoder.defaultAbiCoder().encode(['uint256', 'uint256[]'], [INIT, amounts])
  await vault.send('joinPool', id, chain.account, chain.account, [assets, amounts, userData, false])
  return id
}

const funds = () => [chain.account, false, chain.account, false]
const balances = () =>
  Promise.all(tokens.map(async (token): Promise<bigint> => (await token.call('balanceOf', chain.account))[0]))

async function run<T>(steps: Generator<readonly EthCall[], T, CallResults>): Promise<T> {
  let step = steps.next([])
  while (!step.done) {
    const calls = step.value.map(({ to, data }) => chain.rpc('eth_call', [{ to, data }, 'latest']))
    const replies = await Promise.allSettled(calls)
    step = steps.next(replies.map((reply) => (reply.status === 'fulfilled' ? (reply.value as Hex) : null)))
  }
  return step.value
}

async function ask(proof: PoolProof): Promise<Pool | null> {
  const pool = await run(proof)
  return pool !== null && 'keyLog' in pool ? null : pool
}

async function readNewest() {
  const logs = (await chain.rpc('eth_getLogs', [{ fromBlock: 'latest', toBlock: 'latest' }])) as Log[]
  const block: Block = {
    number: 1,
    hash: '0x01',
    parentHash: '0x00',
    timestamp: 0,
    logs: logs.map((log, logIndex) => ({ ...log, transactionIndex: 0, logIndex })),
    transactions: new Map(),
  }
  const { events } = decode(block, decodersOf([dex.kind]))
  const pools = new Map<Address, Pool>()
  for (const event of events) {
    const pool = await ask(candidateOf(event, [dex]))
    if (pool !== null) pools.set(event.pool, pool)
  }
  const { hops } = toHops(events, pools, wrappedNative)
  return { events, pools, swaps: collapseHops(hops) }
}

const candidateOf = (event: PoolEvent, dexes: readonly Dex[]) =>
  provePool({ pool: event.pool, family: event.family, events: [event] }, dexes)

describe('Balancer V2 on a local chain', () => {
  test('a join is not a swap', async () => {
    expect((await readNewest()).events.map(({ type }) => type)).toEqual(['touch'])
  })

  test('a swap has the amounts of the balances, and its pool the tokens that the vault lists', async () => {
    const [a, b] = tokens
    const before = await balances()
    const single = [ids[0], GIVEN_IN, a.address, b.address, 7n * UNIT, '0x']
    await vault.send('swap', single, funds(), 0n, DEADLINE)
    const after = await balances()
    const { swaps, pools } = await readNewest()
    expect(swaps).toMatchObject([
      {
        sold: lower(a.address),
        soldAmount: (before[0] ?? 0n) - (after[0] ?? 0n),
        bought: lower(b.address),
        boughtAmount: (after[1] ?? 0n) - (before[1] ?? 0n),
      },
    ])
    const members = [lower(a.address), lower(b.address)].sort()
    const address = `${dex.factory}${ids[0].slice(2)}`
    expect([...pools.values()]).toEqual([
      { address, dex, token0: members[0], token1: members[1], fee: 0, tickSpacing: null, coins: members },
    ])
  })

  test('a batch through two pools is one swap', async () => {
    const before = await balances()
    const steps = [
      [ids[0], 0, 1, 5n * UNIT, '0x'],
      [ids[1], 1, 2, 0n, '0x'],
    ]
    const assets = tokens.map(({ address }) => address)
    await vault.send('batchSwap', GIVEN_IN, steps, assets, funds(), [SUPPLY, SUPPLY, SUPPLY], DEADLINE)
    const after = await balances()
    const { swaps, events } = await readNewest()
    expect(events).toHaveLength(2)
    expect(after[1]).toBe(before[1])
    expect(swaps).toMatchObject([
      {
        sold: lower(tokens[0].address),
        soldAmount: 5n * UNIT,
        bought: lower(tokens[2].address),
        boughtAmount: (after[2] ?? 0n) - (before[2] ?? 0n),
      },
    ])
  })

  test('an id that the vault does not know, or another vault, proves nothing', async () => {
    const { events } = await readNewest()
    const [event] = events
    if (event === undefined) throw new Error('the last block has no swap')
    const made: PoolEvent = { ...event, pool: `${event.pool.slice(0, -2)}ff` as Hex }
    expect(await ask(candidateOf(made, [dex]))).toBeNull()
    expect(await ask(candidateOf(event, [{ ...dex, factory: wrappedNative }]))).toBeNull()
  })

  // A paused vault emits no event of a pool. Its query still answers, but its swaps revert.
  test('a pause of the vault or a pool, and a pool’s fee, are events of contracts that the pool depends on', async () => {
    const address = `${dex.factory}${ids[0].slice(2)}` as const
    const members = [tokens[0], tokens[1]].map((token) => lower(token.address)).sort()
    const [token0 = '0x', token1 = '0x'] = members
    const pool: Pool = { address, dex, token0, token1, fee: 0, tickSpacing: null, coins: members }
    const isQuoted = async () => {
      const steps = stateReadingOf(pool)?.steps(pool, 1)
      return steps !== undefined && (await run(steps)) !== null
    }
    const contract = chain.at(`0x${ids[0].slice(2, 42)}`, POOL)
    for (const paused of [vault, contract]) {
      const [action] = await paused.call('getActionId', hashOf('setPaused(bool)').slice(0, 10))
      await authorizer.send('grantRole', action, chain.account)
    }
    expect(dependenciesOf(pool)).toEqual([dex.factory, lower(contract.address)])
    const touches = async () => (await readNewest()).events.map(({ type, pool: by }) => [type, by])
    expect(await isQuoted()).toBe(true)
    for (const paused of [vault, contract]) {
      await paused.send('setPaused', true)
      expect(await touches()).toEqual([['dependency', lower(paused.address)]])
      expect(await isQuoted()).toBe(false)
      await paused.send('setPaused', false)
      expect(await touches()).toEqual([['dependency', lower(paused.address)]])
      expect(await isQuoted()).toBe(true)
    }
    await contract.send('setSwapFeePercentage', 2n * SWAP_FEE)
    expect(await touches()).toEqual([['dependency', lower(contract.address)]])
  })
})
