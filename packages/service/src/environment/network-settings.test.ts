import { expect, test } from 'vitest'
import { checkChainEnvironment, checkIndexerEnvironment } from './check-environment.ts'

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

test('RPC_RATE says what the endpoints take, one for all or one for each http(s) URL', () => {
  const rates = (text: string, urls = 'https://a,wss://a,http://b') => {
    const { settings, problems } = checkIndexerEnvironment({ BSC_RPC_URL: urls, BSC_RPC_RATE: text }, () => '')
    return problems ?? settings?.networks[0]?.rates
  }
  expect(rates('')).toEqual([null, null])
  expect(rates('25')).toEqual([
    { perS: 25, burst: 25, unit: 'items' },
    { perS: 25, burst: 25, unit: 'items' },
  ])
  expect(rates('100:30, 330CU:600')).toEqual([
    { perS: 100, burst: 30, unit: 'items' },
    { perS: 330, burst: 600, unit: 'compute units' },
  ])
  expect(rates('auto,330cu')).toEqual([null, { perS: 330, burst: 330, unit: 'compute units' }])
  expect(rates('1,2,3')).toEqual(['BSC_RPC_RATE: names 3 rates for 2 http(s) endpoints: one for each, or one for all'])
  for (const wrong of ['0', '5:0', '-1', '1.5', '10/s', '100:', ':30', '5cu:x', '1e3', 'Infinity']) {
    expect(rates(wrong)).toEqual([expect.stringMatching(/^BSC_RPC_RATE: must be requests a second \(25\), .*, not "/)])
  }
  expect(rates(',')).toEqual(['BSC_RPC_RATE: names no rate'])
  const { settings } = checkIndexerEnvironment({ ...RPC, POLYGON_RPC_RATE: '5' }, () => '')
  expect(settings?.warnings).toEqual(['POLYGON_RPC_RATE: polygon is not indexed'])
})

test('RPC_COMPUTE_UNITS prices methods', () => {
  const units = (text: string) => {
    const { settings, problems } = checkIndexerEnvironment({ ...RPC, RPC_COMPUTE_UNITS: text }, () => '')
    return problems ?? settings?.networks[0]?.computeUnits
  }
  expect(units('')).toEqual({})
  expect(units('eth_getLogs:60, eth_getBlockReceipts : 500')).toEqual({ eth_getLogs: 60, eth_getBlockReceipts: 500 })
  expect(units('eth_call:1,eth_call:2')).toEqual(['RPC_COMPUTE_UNITS: names eth_call twice'])
  for (const wrong of ['eth_call', 'eth_call:-1', '__proto__:5', 'eth_call:1.5']) {
    expect(units(wrong)).toEqual([expect.stringMatching(/^RPC_COMPUTE_UNITS: must be a list of method:units/)])
  }
})

test('a program that reads one network keeps to the same budget', () => {
  const environment = {
    BSC_RPC_URL: 'http://b',
    BSC_RPC_RATE: '5cu',
    ETH_RPC_RATE: 'x',
    RPC_COMPUTE_UNITS: 'eth_call:1',
  }
  expect(checkChainEnvironment('bsc')(environment, () => '').settings?.network).toMatchObject({
    rates: [{ perS: 5, burst: 5, unit: 'compute units' }],
    computeUnits: { eth_call: 1 },
  })
})

test('DEX_CONFIG may name a dex that cannot be read: a warning', () => {
  const { settings, problems } = indexer(RPC, { eth: { ...ENTRY, dexes: [...DEXES, { name: 'dodo', kind: 'dodo' }] } })
  expect(problems).toBeUndefined()
  expect(settings?.warnings).toContainEqual(expect.stringMatching(/^DEX_CONFIG: .*dodo is skipped/))
})

test('HISTORY_URL names an archive of a network, and HISTORY_KEY its key', () => {
  const read = (environment: Record<string, string>) =>
    checkIndexerEnvironment({ ...RPC, ...environment }, (path) => `${path}-content\n`)
  const url = 'https://portal.example/datasets/ethereum-mainnet'
  const archiveOf = (environment: Record<string, string>) => read(environment).settings?.networks[0]?.archive
  expect(archiveOf({})).toBeNull()
  expect(archiveOf({ ETH_HISTORY_URL: url })).toEqual({ url, key: null })
  expect(archiveOf({ ETH_HISTORY_URL: url, ETH_HISTORY_KEY_FILE: 'key' })).toEqual({ url, key: 'key-content' })
  expect(read({ ETH_HISTORY_URL: 'wss://portal.example' }).problems?.[0]).toMatch(/^ETH_HISTORY_URL: must begin with/)
  expect(read({ ETH_HISTORY_KEY: 'x' }).settings?.warnings).toEqual([
    'ETH_HISTORY_KEY: is not used without ETH_HISTORY_URL',
  ])
})
