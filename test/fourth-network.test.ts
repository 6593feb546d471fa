import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NETWORK_NAMES } from '@dexfeed/dex'
import { build, type Plugin, transformSync } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/**
 *   packages/dex/src/deployments/networks.ts   one entry more  -->  every part of the programs knows the network
 *   packages/dex/src/deployments/base.json   its deployment
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const LIST = 'packages/dex/src/deployments/networks.ts'
const ENTRY = `  base: {
    chainId: 8453,
    native: coin('ETH', 'ETHEREUM'),
    leastBlockTimeS: 2,
    hasLogsWithoutTransaction: false,
    builtIn: base,
  },
} satisfies`
const WRAPPED = '0x4200000000000000000000000000000000000006'
const FACTORY = '0x8909dc15e40173ff4699343b6eb8132c65e18ec6'
const DEPLOYMENT = {
  wrappedNative: WRAPPED,
  dexes: [{ name: 'uniswap-v2', kind: 'uniswap-v2', factory: FACTORY }],
  tokens: [{ address: WRAPPED, symbol: 'WETH', decimals: 18 }],
}

/** An option of pino has the name of a network. */
const OTHER_WORDS = ['packages/service/src/logger.ts']

const PROBE = `
export { builtInDeployments, NETWORK_NAMES, NETWORKS, parseDexConfig } from './packages/dex/src/index.ts'
export { backfillJob, openApiDocument, parseQuoteRequest, parseSwapsRequest } from './packages/contract/src/index.ts'
export { checkApiEnvironment, checkChainEnvironment, checkIndexerEnvironment } from './packages/service/src/environment/check-environment.ts'
export { networkPlan } from './packages/devnet/src/deployment/network-plan.ts'
export { TokenCatalog } from './apps/api/src/token-catalog.ts'
`

const withFourth: Plugin = {
  name: 'with-fourth-network',
  setup(bundle) {
    bundle.onResolve({ filter: /^@dexfeed\// }, ({ path }) => {
      return { path: join(root, path.replace('@dexfeed', 'packages'), 'src/index.ts') }
    })
    bundle.onLoad({ filter: /deployments.networks\.ts$/ }, ({ path }) => {
      const list = readFileSync(path, 'utf8').replace('} satisfies', ENTRY)
      return { contents: `import base from './base.json'\n${list}`, loader: 'ts' }
    })
    bundle.onResolve({ filter: /\.\/base\.json$/ }, ({ path }) => ({ path, namespace: 'deployment' }))
    bundle.onLoad({ filter: /.*/, namespace: 'deployment' }, () => {
      return { contents: JSON.stringify(DEPLOYMENT), loader: 'json' }
    })
  },
}

let folder: string
// biome-ignore lint/suspicious/noExplicitAny: the types know three networks
let probe: any

beforeAll(async () => {
  const data = join(root, '.data')
  mkdirSync(data, { recursive: true })
  folder = mkdtempSync(join(data, 'fourth-network-'))
  const outfile = join(folder, 'probe.mjs')
  await build({
    stdin: { contents: PROBE, resolveDir: root, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    plugins: [withFourth],
  })
  probe = await import(outfile)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a fourth network is an entry of the list and its deployment file', () => {
  test('for what is followed', () => {
    expect(probe.NETWORK_NAMES).toEqual([...NETWORK_NAMES, 'base'])
    expect(probe.NETWORKS.base.chainId).toBe(8453)
    expect(probe.builtInDeployments.base.dexes).toMatchObject([{ kind: 'uniswap-v2', factory: FACTORY }])
    const { deployments, problems } = probe.parseDexConfig(JSON.stringify({ base: DEPLOYMENT }))
    expect(problems).toEqual([])
    expect(deployments.base).toEqual(probe.builtInDeployments.base)
  })

  test('for the environment', () => {
    const environment = {
      BASE_RPC_URL_FILE: '/run/secrets/base',
      NETWORKS: 'Base',
      START_BLOCK: 'base:7',
      LOG_LEVEL: 'info',
    }
    const readFile = () => 'https://rpc.example'
    const { settings, problems } = probe.checkIndexerEnvironment(environment, readFile)
    expect(problems).toBeUndefined()
    expect(settings.networks).toMatchObject([
      { network: 'base', rpcUrls: ['https://rpc.example'], startBlock: 7, deployment: { wrappedNative: WRAPPED } },
    ])
    expect(probe.checkApiEnvironment(environment, readFile).settings.networks).toEqual(['base'])
    expect(probe.checkChainEnvironment('base')({}, readFile).problems).toEqual([
      'BASE_RPC_URL: is not set; it says where to read base',
    ])
  })

  test('for requests, jobs and the OpenAPI document', () => {
    const tokens = { sellToken: WRAPPED, buyToken: FACTORY }
    expect(probe.parseQuoteRequest({ ...tokens, network: 'BASE' }).network).toBe('base')
    expect(probe.parseSwapsRequest({ network: 'base', cursor: '5-base-0-0' }).cursor.network).toBe('base')
    expect(() => probe.parseQuoteRequest({ ...tokens, network: 'nowhere' })).toThrow(/bsc, eth, .*base/)
    expect(probe.backfillJob.shape.network.safeParse('base').success).toBe(true)
    const document = JSON.stringify(probe.openApiDocument('1'))
    const enums = document.match(/"enum":\["bsc"[^\]]*\]/g) ?? []
    expect(enums.length).toBeGreaterThan(3)
    expect(enums.filter((each) => !each.includes('"base"'))).toEqual([])
  })

  test('for tokens and local chains', async () => {
    const reader = { tokens: async () => [{ address: WRAPPED, symbol: 'WETH', name: 'Wrapped Ether', decimals: 18 }] }
    expect(await new probe.TokenCatalog(reader).token('base', WRAPPED)).toMatchObject({ decimals: 18 })
    expect(probe.networkPlan('base').dexes.length).toBeGreaterThan(0)
  })
})

test('no other source names a network', () => {
  // Local chains are modelled on three of them. A further network gets the first one's plan. The page has labels, and other sources their own names.
  const allowed = [
    LIST,
    'apps/web/src/format/networks.ts',
    ...['dexscreener', 'geckoterminal'].map((source) => `apps/api/src/compare/sources/${source}.ts`),
    'packages/devnet/src/deployment/network-plan.ts',
    ...OTHER_WORDS,
  ]
  const sources = ['apps', 'packages', 'scripts']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
    )
    .map((file) => file.replaceAll('\\', '/'))
    .filter(
      (file) =>
        /^(scripts|\w+\/[\w-]+\/src)\/.*\.(ts|mjs)$/.test(file) &&
        !/\.test\.ts$|\/generated\/|\/test-setup\//.test(file),
    )
    .filter((file) => !allowed.includes(file))
  expect(sources.length).toBeGreaterThan(200)
  expect(sources.flatMap((file) => networkNamesIn(file))).toEqual([])
})

/**
 * Returns the literals, property names and members that are a network's name, or start with it as environment variables
 * do.
 */
function networkNamesIn(file: string): string[] {
  const { code } = transformSync(readFileSync(join(root, file), 'utf8'), { loader: 'ts', legalComments: 'none' })
  const names = [...NETWORK_NAMES, 'base'].join('|')
  const name = `(?:${names}|(?:${names.toUpperCase()})_\\w+)`
  const found = code.match(new RegExp(`(["'\`])${name}\\1|[.#]${name}\\b|(?:^|[{,])\\s+${name}(?=:)`, 'gm')) ?? []
  return found.map((text) => `${file} ${text.trim()}`)
}
