import { existsSync } from 'node:fs'
import { getAddress } from 'ethers'
import { describe, expect, it } from 'vitest'
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

  it.each<[NetworkName, string, string, number]>([
    ['eth', 'WETH', '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', 18],
    ['eth', 'USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 6],
    ['eth', 'USDT', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 6],
    ['eth', 'DAI', '0x6B175474E89094C44Da98b954EedeAC495271d0F', 18],
    ['eth', 'WBTC', '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599', 8],
    ['eth', 'LFRAX', '0x853d955aCEf822Db058eb8505911ED77F175b99e', 18],
    ['eth', 'frxUSD', '0xCAcd6fd266aF91b8AeD52aCCc382b4e165586E29', 18],
    ['eth', 'SHIB', '0x95aD61b0a150d79219dCF64E1E6Cc01f0B64C4cE', 18],
    ['bsc', 'WBNB', '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c', 18],
    ['bsc', 'USDT', '0x55d398326f99059fF775485246999027B3197955', 18],
    ['bsc', 'USDC', '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18],
    ['bsc', 'BTCB', '0x7130d2A12B9BCbFAe4f2634d864A1Ee1Ce3Ead9c', 18],
    ['bsc', 'ETH', '0x2170Ed0880ac9A755fd29B2688956BD959F933F8', 18],
    ['bsc', 'CAKE', '0x0E09FaBB73Bd3Ade0a17ECC321fD13a19e81cE82', 18],
    ['bsc', 'FDUSD', '0xc5f0f7b66764F6ec8C8Dff7BA683102295E16409', 18],
    ['bsc', 'USD1', '0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d', 18],
    ['bsc', 'BUSD', '0xe9e7CEA3DedcA5984780Bafc599bD69ADd087D56', 18],
    ['bsc', 'DAI', '0x1AF3F329e8BE154074D8769D1FFa4eE058B1DBc3', 18],
    ['bsc', 'DOGE', '0xbA2aE424d960c26247Dd6c32edC70B295c744C43', 8],
    ['polygon', 'WPOL', '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270', 18],
    ['polygon', 'WMATIC', '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270', 18],
    ['polygon', 'USDC', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 6],
    ['polygon', 'USDC.e', '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174', 6],
    ['polygon', 'USDT', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', 6],
    ['polygon', 'USDT0', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', 6],
    ['polygon', 'WETH', '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619', 18],
    ['polygon', 'WBTC', '0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6', 8],
  ])('say on %s that %s is %s with %i decimals', (network, symbol, address, decimals) => {
    const token = builtInDeployments[network].tokens.find((each) => {
      return each.symbol === symbol || each.aliases?.includes(symbol)
    })
    expect(token).toMatchObject({ address: address.toLowerCase(), decimals })
  })
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
