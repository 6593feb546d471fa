import { expect, test } from 'vitest'
import { parseDexConfig } from './dex-config.ts'

const address = (last: number) => `0x${last.toString(16).padStart(40, '0')}`
const parse = (dex: object) => parseDexConfig(JSON.stringify({ eth: { wrappedNative: address(1), dexes: [dex] } }))

test('a manager of pools may name the block that deployed it, and nobody else', () => {
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
