import type { Address, Deployment, Pool } from '@dexfeed/dex'

/** The accounts and contracts of made receipts. Addresses by name. */
const NAMES = [
  ...['WETH', 'AAA', 'BBB', 'CCC', 'TAX', 'NFT'],
  ...['trader', 'alice', 'bob', 'other', 'maker', 'helper', 'treasury', 'router', 'router2'],
  ...['cow', 'odos', 'uniswapx', 'entryPoint', 'impostor', 'unverified', 'darkVenue', 'manager'],
  ...['wethAaa', 'aaaBbb', 'wethBbb', 'bbbTax', 'wethTax', 'cccBbb', 'wethTax2'],
] as const
export type Name = (typeof NAMES)[number] | 'zero' | 'dead'

const ADDRESSES = new Map<Name, Address>([
  ...NAMES.map((name, at): [Name, Address] => [name, `0x${(at + 17).toString(16).padStart(2, '0').repeat(20)}`]),
  ['zero', `0x${'00'.repeat(20)}`],
  ['dead', '0x000000000000000000000000000000000000dead'],
])
const NAME_OF = new Map([...ADDRESSES].map(([name, address]) => [address as string, name]))

export const TOKENS = ['WETH', 'AAA', 'BBB', 'CCC', 'TAX'] as const
export type TokenName = (typeof TOKENS)[number]
export const PEOPLE = ['trader', 'alice', 'bob', 'other', 'maker', 'treasury', 'router', 'router2'] as const

const PAIRS = [
  ['wethAaa', 'WETH', 'AAA'],
  ['aaaBbb', 'AAA', 'BBB'],
  ['wethBbb', 'WETH', 'BBB'],
  ['bbbTax', 'BBB', 'TAX'],
  ['wethTax', 'WETH', 'TAX'],
  ['wethTax2', 'WETH', 'TAX'],
  ['cccBbb', 'CCC', 'BBB'],
] as const satisfies readonly (readonly [Name, TokenName, TokenName])[]
export type PairName = (typeof PAIRS)[number][0]

export function addressOf(name: Name): Address {
  return ADDRESSES.get(name) ?? '0x'
}

export function nameOf(address: string): string {
  return NAME_OF.get(address) ?? address
}

/** The pools that sell a token, and what they buy. */
export function pairsOf(token: TokenName): { pair: PairName; other: TokenName; isFirst: boolean }[] {
  return PAIRS.flatMap(([pair, token0, token1]): ReturnType<typeof pairsOf> => {
    if (token === token0) return [{ pair, other: token1, isFirst: true }]
    return token === token1 ? [{ pair, other: token0, isFirst: false }] : []
  })
}

const dex = { name: 'v2', kind: 'uniswap-v2', factory: `0x${'f0'.repeat(20)}` } as const

export const MADE_POOLS: ReadonlyMap<Address, Pool> = new Map(
  PAIRS.map(([name, token0, token1]): [Address, Pool] => {
    const tokens = { token0: addressOf(token0), token1: addressOf(token1) }
    return [addressOf(name), { address: addressOf(name), dex, ...tokens, fee: 3000, tickSpacing: null }]
  }),
)

export const MADE_DEPLOYMENT: Deployment = {
  network: 'eth',
  wrappedNative: addressOf('WETH'),
  stablecoins: [],
  anchors: [],
  dexes: [dex],
  settlements: [
    { kind: 'cow', address: addressOf('cow') },
    { kind: 'odos-v2', address: addressOf('odos') },
    { kind: 'uniswapx', address: addressOf('uniswapx') },
    { kind: 'erc4337', address: addressOf('entryPoint') },
  ],
  tokens: [],
  finalityDepth: 64,
}
