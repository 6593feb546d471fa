import { expect, test } from 'vitest'
import { checkIndexerEnvironment } from './check-environment.ts'

const ZERO = '0x0000000000000000000000000000000000000001'
const RPC = { ETH_RPC_URL: 'https://rpc.example/v3/KEY' }
const DEXES = [{ name: 'uniswap-v2', kind: 'uniswap-v2', factory: ZERO, feeBps: 30 }]
const ENTRY = { wrappedNative: ZERO, stablecoins: [], dexes: DEXES, tokens: [], finalityDepth: 64 }

const indexer = (environment: Record<string, string>, dexConfig: object) =>
  checkIndexerEnvironment({ ...environment, DEX_CONFIG: 'dex.json' }, () => JSON.stringify(dexConfig))

test('DEX_CONFIG replaces the built-in deployment of the networks that it names', () => {
  const { settings, problems } = indexer({ ...RPC, BSC_RPC_URL: 'http://b' }, { eth: ENTRY })
  expect(problems).toBeUndefined()
  expect(settings?.networks[0]?.deployment.wrappedNative).toBe(ZERO)
  expect(settings?.networks[1]?.deployment.tokens.length).toBeGreaterThan(100)
})

test('the problems of DEX_CONFIG come with the others', () => {
  const { problems } = indexer({}, { eth: {}, base: {} })
  expect(problems?.length).toBeGreaterThan(2)
  expect(problems?.at(-1)).toContain('none is set')
  for (const line of problems?.slice(0, -1) ?? []) expect(line).toMatch(/^DEX_CONFIG: /)
})

test('DEX_CONFIG may name a dex that cannot be read: a warning', () => {
  const { settings, problems } = indexer(RPC, { eth: { ...ENTRY, dexes: [...DEXES, { name: 'dodo', kind: 'dodo' }] } })
  expect(problems).toBeUndefined()
  expect(settings?.warnings).toContainEqual(expect.stringMatching(/^DEX_CONFIG: .*dodo is skipped/))
})
