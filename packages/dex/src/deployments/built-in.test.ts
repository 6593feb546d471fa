import { existsSync } from 'node:fs'
import { getAddress } from 'ethers'
import { describe, expect, it } from 'vitest'
import knownTokens from '../../test/fixtures/known-tokens.json' with { type: 'json' }
import { builtInDeployments, builtInEntry, parseDexConfig } from './dex-config.ts'
import type eth from './eth.json'
import { NETWORK_NAMES, NETWORKS, type NetworkName } from './networks.ts'
import type ethTokens from './tokens/eth.json'

type Entry = typeof eth & { tokens: typeof ethTokens; dexes: { name: string; kind: string }[] }

/** The built-in deployments in the form of a `DEX_CONFIG` file. */
const builtInConfig = Object.fromEntries(
  NETWORK_NAMES.map((network) => [network, builtInEntry(network) as Entry] as const),
) as Record<NetworkName, Entry>
/** Networks with a separate list in `tokens/`. */
const LISTED = NETWORK_NAMES.filter((network) => existsSync(new URL(`tokens/${network}.json`, import.meta.url)))

describe('the built-in deployments', () => {
  it('are what a DEX_CONFIG file of the same text gives, without a problem', () => {
    const { deployments, problems, warnings } = parseDexConfig(JSON.stringify(builtInConfig))
    expect(problems).toEqual([])
    expect(deployments).toEqual({ ...builtInDeployments })
    expect(warnings).toEqual([])
  })

  it('know the block of each manager of Uniswap V4, below which no keys of pools are looked for', () => {
    const dexes = NETWORK_NAMES.flatMap((network) => builtInDeployments[network].dexes)
    const managers = dexes.filter(({ kind }) => kind === 'uniswap-v4')
    expect(managers.filter(({ deploymentBlock }) => deploymentBlock === undefined)).toEqual([])
  })

  it.each(NETWORK_NAMES)('list every token with a trusted price on %s', (network) => {
    const { wrappedNative, stablecoins, anchors, tokens } = builtInDeployments[network]
    const listed = new Set(tokens.map(({ address }) => address))
    expect([wrappedNative, ...stablecoins, ...anchors].filter((address) => !listed.has(address))).toEqual([])
  })

  it('are the tables of docs/internals/deployments.md', async () => {
    await expect(documentation()).toMatchFileSnapshot('../../../../docs/internals/deployments.md')
  })
})

describe('the curated symbol lists', () => {
  it.each(NETWORK_NAMES)('name one token by each symbol on %s, and none like the coin', (network) => {
    const { symbol, aliases } = NETWORKS[network].native
    const symbols = builtInDeployments[network].tokens.flatMap((token) => [token.symbol, ...(token.aliases ?? [])])
    const folded = [symbol, ...aliases, ...symbols].map((each) => each.toUpperCase())
    expect(folded.filter((each, index) => folded.indexOf(each) !== index)).toEqual([])
  })

  it.each(LISTED)('are a few hundred tokens, in order of their symbols, checksummed, on %s', (network) => {
    const { tokens } = builtInConfig[network]
    expect(tokens.length).toBeGreaterThan(300)
    expect(tokens.map(({ address }) => address)).toEqual(tokens.map(({ address }) => getAddress(address)))
    const symbols = tokens.map(({ symbol }) => symbol.toUpperCase())
    expect(symbols).toEqual(symbols.toSorted((a, b) => (a < b ? -1 : 1)))
  })

  it.each(knownTokens)(
    'say on $network that $symbol is $address with $decimals decimals',
    ({ network, symbol, address, decimals }) => {
      const token = builtInDeployments[network as NetworkName].tokens.find((each) => {
        return each.symbol === symbol || each.aliases?.includes(symbol)
      })
      expect(token).toMatchObject({ address: address.toLowerCase(), decimals })
    },
  )
})

/** Returns the page: the DEXes by kind and network, and the tokens with a trusted price. */
function documentation(): string {
  const tokensOf = NETWORK_NAMES.map((network) => {
    const { tokens, finalityDepth, stablecoins = [], anchors = [] } = builtInConfig[network]
    const symbols = (addresses: readonly string[]) =>
      addresses.map((address) => tokens.find((token) => token.address === address)?.symbol ?? address).join(', ')
    return `| ${network} | ${symbols(stablecoins)} | ${symbols(anchors)} | ${tokens.length} | ${finalityDepth} |`
  })
  const kinds = new Set(NETWORK_NAMES.flatMap((network) => builtInConfig[network].dexes.map(({ kind }) => kind)))
  const dexesOf = [...kinds].sort().map((kind) => {
    const cells = NETWORK_NAMES.map((network) => {
      const dexes = builtInConfig[network].dexes.filter((dex) => dex.kind === kind)
      return dexes.map(({ name }) => name).join(', ')
    })
    return `| \`${kind}\` | ${cells.join(' | ')} |`
  })
  return [
    '# Built-in deployments',
    '',
    'What dexfeed indexes without a `DEX_CONFIG` file. `npm test -- packages/dex/src/deployments -u` writes it.',
    '',
    "- A DEX's kind determines what is read from it: [protocols](protocols.md). Its contracts and fee are in `deployments.json` of its venue, those of [settlements](../../packages/dex/src/deployments/README.md#settlements) in the entry of the network.",
    '- Stablecoins and anchors are the tokens with a trusted price: [usd](usd.md).',
    '- Final blocks are at least `finalityDepth` below the head.',
    '',
    '| network | stablecoins | anchors | tokens with a curated symbol | `finalityDepth` |',
    '| --- | --- | --- | --- | --- |',
    ...tokensOf,
    '',
    `| kind | ${NETWORK_NAMES.join(' | ')} |`,
    `|${' --- |'.repeat(NETWORK_NAMES.length + 1)}`,
    ...dexesOf,
    '',
  ].join('\n')
}
