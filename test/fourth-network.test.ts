import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NETWORK_NAMES } from '@dexfeed/dex'
import { build, type Plugin, transformSync } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/**
 *   packages/dex/src/deployments/networks.ts   one more entry  -->  every part of the programs knows the network
 *   packages/dex/src/deployments/<name>.json   its deployment
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const NEW = NETWORK_NAMES.some((name: string) => name === 'base') ? 'gnosis' : 'base'
const ENV = NEW.toUpperCase()
const LIST = 'packages/dex/src/deployments/networks.ts'
const ENTRY = `  ${NEW}: {
    chainId: 8453,
    native: coin('Ether', 'ETH'),
    minBlockTimeS: 2,
    hasLogsWithoutTransaction: false,
    builtIn: ${NEW},
  },
} satisfies`
const WRAPPED = '0x4200000000000000000000000000000000000006'
const FACTORY = '0x8909dc15e40173ff4699343b6eb8132c65e18ec6'
const DEPLOYMENT = {
  wrappedNative: WRAPPED,
  dexes: [{ name: 'uniswap-v2', kind: 'uniswap-v2', factory: FACTORY }],
  tokens: [{ address: WRAPPED, symbol: 'WETH', decimals: 18 }],
}

const OTHER_WORDS = [
  'packages/service/src/logger.ts',
  'apps/api/src/adapters/geckoterminal.ts',
  'apps/api/src/adapters/geckoterminal-objects.ts',
]

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
      return { contents: `import ${NEW} from './${NEW}.json'\n${list}`, loader: 'ts' }
    })
    bundle.onResolve({ filter: new RegExp(`\\./${NEW}\\.json$`) }, ({ path }) => ({ path, namespace: 'deployment' }))
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
    expect(probe.NETWORK_NAMES).toEqual([...NETWORK_NAMES, NEW])
    expect(probe.NETWORKS[NEW].chainId).toBe(8453)
    expect(probe.builtInDeployments[NEW].dexes).toMatchObject([{ kind: 'uniswap-v2', factory: FACTORY }])
    const { deployments, problems } = probe.parseDexConfig(JSON.stringify({ [NEW]: DEPLOYMENT }))
    expect(problems).toEqual([])
    expect(deployments[NEW]).toEqual(probe.builtInDeployments[NEW])
  })

  test('for the environment', () => {
    const environment = {
      [`${ENV}_RPC_URL_FILE`]: '/run/secrets/url',
      NETWORKS: `${NEW.charAt(0).toUpperCase()}${NEW.slice(1)}`,
      START_BLOCK: `${NEW}:7`,
      LOG_LEVEL: 'info',
    }
    const readFile = () => 'https://rpc.example'
    const { settings, problems } = probe.checkIndexerEnvironment(environment, readFile)
    expect(problems).toBeUndefined()
    expect(settings.networks).toMatchObject([
      { network: NEW, rpcUrls: ['https://rpc.example'], startBlock: 7, deployment: { wrappedNative: WRAPPED } },
    ])
    expect(probe.checkApiEnvironment(environment, readFile).settings.networks).toEqual([NEW])
    expect(probe.checkChainEnvironment(NEW)({}, readFile).problems).toEqual([
      `${ENV}_RPC_URL: is not set; it says where to read ${NEW}`,
    ])
  })

  test('for requests, jobs and the OpenAPI document', () => {
    const tokens = { sellToken: WRAPPED, buyToken: FACTORY }
    expect(probe.parseQuoteRequest({ ...tokens, network: ENV }).network).toBe(NEW)
    expect(probe.parseSwapsRequest({ network: NEW, cursor: `5-${NEW}-0-0` }).cursor.network).toBe(NEW)
    expect(() => probe.parseQuoteRequest({ ...tokens, network: 'nowhere' })).toThrow(new RegExp(`bsc, eth, .*${NEW}`))
    expect(probe.backfillJob.shape.network.safeParse(NEW).success).toBe(true)
    const document = JSON.stringify(probe.openApiDocument('1'))
    const enums = document.match(/"enum":\["bsc"[^\]]*\]/g) ?? []
    expect(enums.length).toBeGreaterThan(3)
    expect(enums.filter((each) => !each.includes(`"${NEW}"`))).toEqual([])
  })

  test('for tokens and local chains', async () => {
    const reader = { tokens: async () => [{ address: WRAPPED, symbol: 'WETH', name: 'Wrapped Ether', decimals: 18 }] }
    expect(await new probe.TokenCatalog(reader).token(NEW, WRAPPED)).toMatchObject({ decimals: 18 })
    expect(probe.networkPlan(NEW).dexes.length).toBeGreaterThan(0)
  })
})

test('no other source names a network', () => {
  // These files describe each network: labels of the page, names at other sources, and models for local chains.
  const allowed = [
    LIST,
    'apps/web/src/format/networks.ts',
    ...['dexscreener', 'geckoterminal'].map((source) => `apps/api/src/compare/sources/${source}.ts`),
    'packages/contract/src/adapters/geckoterminal.ts',
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
        !/\.test\.ts$|\/expected-events\.ts$|\/generated\/|\/test-setup\//.test(file),
    )
    .filter((file) => !allowed.includes(file))
  expect(sources.length).toBeGreaterThan(200)
  expect(sources.flatMap((file) => networkNamesIn(file))).toEqual([])
})

/** Returns literals, properties and members that are a network's name, or begin with one as variables do. */
function networkNamesIn(file: string): string[] {
  const { code } = transformSync(readFileSync(join(root, file), 'utf8'), { loader: 'ts', legalComments: 'none' })
  const names = [...NETWORK_NAMES, NEW].join('|')
  const name = `(?:${names}|(?:${names.toUpperCase()})_\\w+)`
  const found = code.match(new RegExp(`(["'\`])${name}\\1|[.#]${name}\\b|(?:^|[{,])\\s+${name}(?=:)`, 'gm')) ?? []
  return found.map((text) => `${file} ${text.trim()}`)
}
