import { expect, test } from 'vitest'
import { FACTORY_ENTRY } from '../venues/protocol.ts'
import { DEX_KINDS, protocolOf } from '../venues/registry.ts'
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

test.each(DEX_KINDS)('an entry of %s has the address fields that its venue names', (kind) => {
  const { verifying, others = [] } = protocolOf(kind).entry ?? FACTORY_ENTRY
  const contracts = others.map((field, index) => [field, address(3 + index)] as const)
  const entry = { name: kind, kind, ...Object.fromEntries(contracts) }
  const { deployments, problems, warnings } = parse({ ...entry, ...(verifying && { [verifying]: address(2) }) })
  expect(problems).toEqual([])
  expect(warnings).not.toContainEqual(expect.stringContaining('unknown key'))
  const factory = verifying === null ? contracts[0]?.[1] : address(2)
  const named = contracts.length === 0 ? {} : { contracts: Object.fromEntries(contracts) }
  expect(deployments.eth?.dexes).toMatchObject([{ name: kind, kind, factory, ...named }])
  if (verifying !== null) expect(parse(entry).problems).toEqual([`eth.dexes[0].${verifying}: is missing`])
})
