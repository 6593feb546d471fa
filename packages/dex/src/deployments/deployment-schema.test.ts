import { expect, test } from 'vitest'
import { DEX_KINDS } from '../venues/registry.ts'
import { parseDexConfig } from './dex-config.ts'

const address = (last: number) => `0x${last.toString(16).padStart(40, '0')}`
const parse = (...dexes: object[]) => parseDexConfig(JSON.stringify({ eth: { wrappedNative: address(1), dexes } }))

test('only a manager of pools may have the block that deployed it', () => {
  const manager = { name: 'v4', kind: 'uniswap-v4', poolManager: address(4) }
  const blockOf = (deploymentBlock: unknown) => parse({ ...manager, deploymentBlock })
  expect(blockOf(21_688_329).deployments.eth?.dexes).toEqual([
    { name: 'v4', kind: 'uniswap-v4', factory: address(4), deploymentBlock: 21_688_329 },
  ])
  expect(blockOf(0).deployments.eth?.dexes[0]?.deploymentBlock).toBe(0)
  for (const wrong of [-1, 1.5, '21688329', 1_737_633_635_000]) {
    expect(blockOf(wrong).problems).toEqual([expect.stringMatching(/^eth\.dexes\[0\]\.deploymentBlock: /)])
  }
  const other = parse({ name: 'v2', kind: 'uniswap-v2', factory: address(2), deploymentBlock: 5 })
  expect(other.warnings).toContainEqual(expect.stringContaining('eth.dexes[0].deploymentBlock: unknown key, ignored'))
  expect(other.deployments.eth?.dexes[0]).not.toHaveProperty('deploymentBlock')
})

test('takes every kind of DEX with its own address field', () => {
  const by = (field: string, first: number, ...kinds: readonly string[]) =>
    kinds.map((kind, index) => ({ kind, [field]: address(first + index) }))
  const dexes = [
    ...by('factory', 1, 'uniswap-v2', 'uniswap-v3', 'pancakeswap-v3'),
    { kind: 'uniswap-v4', poolManager: address(4) },
    ...by('factory', 5, 'algebra-v1', 'algebra-v1.9', 'algebra-integral'),
    { kind: 'pancakeswap-infinity-cl', vault: address(8), clPoolManager: address(9) },
    { kind: 'pancakeswap-infinity-bin', vault: address(8), binPoolManager: address(10) },
    { kind: 'curve', factory: address(11), tricryptoFactory: address(12) },
    ...by('vault', 13, 'balancer-v2', 'balancer-v3'),
    { kind: 'dodo' },
    ...by(
      'factory',
      20,
      'balancer-v1',
      'maverick-v1',
      'maverick-v2',
      'fluid',
      'solidly',
      'solidly-v3',
      'algebra-directional',
      'liquidity-book',
      'kyberswap-classic',
    ),
    ...by('psm', 38, 'maker-psm'),
    ...by('router', 39, 'hashflow'),
    ...by('exchange', 40, 'zeroex', 'bancor-v2', 'bancor-v3', 'carbon', 'tokenlon', 'woofi'),
    ...by('factory', 46, 'kyberswap-elastic'),
    ...by('exchange', 47, 'zeroex-exchange', 'airswap', 'market-maker'),
    ...by('factory', 50, 'metric', 'velodrome-v2', 'euler-swap'),
    ...by('exchange', 54, 'fluid-lite'),
    { kind: 'ekubo', core: address(55), deploymentBlock: 1 },
  ].map((dex) => ({ name: dex.kind, ...dex }))
  expect(dexes.map(({ kind }) => kind).sort()).toEqual(DEX_KINDS)
  expect(parse(...dexes).problems).toEqual([])
})
