import type { Address, Deployment, Pool } from '@dexfeed/dex'

const NAMES = [
  ...['WETH', 'AAA', 'BBB', 'CCC', 'TAX', 'NFT'],
  ...['trader', 'alice', 'bob', 'other', 'maker', 'helper', 'treasury', 'router', 'router2'],
  ...['cow', 'odos', 'odosV3', 'uniswapx', 'entryPoint', 'entryPoint2', 'augustus', 'limitOrders', 'limitOrdersV6'],
  ...['impostor', 'unverified', 'darkVenue', 'manager'],
  ...['wethAaa', 'aaaBbb', 'wethBbb', 'bbbTax', 'wethTax', 'cccBbb', 'wethTax2'],
  ...['curveStable', 'curveCrypto', 'curveCoin'],
] as const
export type Name = (typeof NAMES)[number] | 'zero' | 'dead' | 'coin' | 'system' | 'polygonCoin'

const ADDRESSES = new Map<Name, Address>([
  ...NAMES.map((name, at): [Name, Address] => [name, `0x${(at + 17).toString(16).padStart(2, '0').repeat(20)}`]),
  ['zero', `0x${'00'.repeat(20)}`],
  ['dead', '0x000000000000000000000000000000000000dead'],
  ['coin', `0x${'ee'.repeat(20)}`],
  ['polygonCoin', `0x${'0'.repeat(36)}1010`],
  ['system', '0xfffffffffffffffffffffffffffffffffffffffe'],
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
type PairName = (typeof PAIRS)[number][0]

/** curveCrypto names the wrapper but may hold coins; curveCoin names the coin. */
const CURVE = {
  curveStable: ['AAA', 'BBB', 'CCC'],
  curveCrypto: ['WETH', 'AAA'],
  curveCoin: ['coin', 'BBB'],
} as const satisfies Partial<Record<Name, readonly (TokenName | 'coin')[]>>
type CurveName = keyof typeof CURVE

export interface Turn {
  pool: PairName | CurveName
  from: TokenName
  to: TokenName
  isFirst: boolean
}

export function addressOf(name: Name): Address {
  return ADDRESSES.get(name) ?? '0x'
}

export function nameOf(address: string): string {
  return NAME_OF.get(address) ?? address
}

export function turnsFrom(from: TokenName): Turn[] {
  const pairs = PAIRS.flatMap(([pool, token0, token1]): Turn[] => {
    if (from === token0) return [{ pool, from, to: token1, isFirst: true }]
    return from === token1 ? [{ pool, from, to: token0, isFirst: false }] : []
  })
  const wrapped = (coin: TokenName | 'coin') => (coin === 'coin' ? 'WETH' : coin)
  const curve = (Object.keys(CURVE) as CurveName[]).flatMap((pool): Turn[] => {
    const coins = CURVE[pool].map(wrapped)
    if (!coins.includes(from)) return []
    const others = coins.filter((coin) => coin !== from)
    return others.map((to) => ({ pool, from, to, isFirst: coins.indexOf(from) < coins.indexOf(to) }))
  })
  return [...pairs, ...curve]
}

export function idsOf({ pool, from, to }: Turn): { sold: number; bought: number } | null {
  if (!(pool in CURVE)) return null
  const coins: readonly string[] = CURVE[pool as CurveName].map((coin) => (coin === 'coin' ? 'WETH' : coin))
  return { sold: coins.indexOf(from), bought: coins.indexOf(to) }
}

const pair = { name: 'v2', kind: 'uniswap-v2', factory: `0x${'f0'.repeat(20)}` } as const
const curve = { name: 'curve', kind: 'curve', factory: `0x${'f1'.repeat(20)}` } as const

export const MADE_POOLS: ReadonlyMap<Address, Pool> = new Map([
  ...PAIRS.map(([name, token0, token1]): [Address, Pool] => {
    const tokens = { token0: addressOf(token0), token1: addressOf(token1) }
    return [addressOf(name), { address: addressOf(name), dex: pair, ...tokens, fee: 3000, tickSpacing: null }]
  }),
  ...Object.entries(CURVE).map(([name, names]): [Address, Pool] => {
    const coins = names.map((each) => addressOf(each === 'coin' ? 'zero' : each))
    const address = addressOf(name as CurveName)
    const [token0 = '0x', token1 = '0x'] = coins
    return [address, { address, dex: curve, token0, token1, coins, fee: 0, tickSpacing: null }]
  }),
])

export const MADE_DEPLOYMENT: Deployment = {
  network: 'eth',
  wrappedNative: addressOf('WETH'),
  stablecoins: [],
  anchors: [],
  dexes: [pair, curve],
  settlements: [
    { kind: 'cow', address: addressOf('cow') },
    { kind: 'odos-v2', address: addressOf('odos') },
    { kind: 'uniswapx', address: addressOf('uniswapx') },
    { kind: 'odos-v3', address: addressOf('odosV3') },
    { kind: 'erc4337', address: addressOf('entryPoint') },
    { kind: 'erc4337', address: addressOf('entryPoint2') },
    { kind: 'paraswap-v5', address: addressOf('augustus') },
    { kind: '1inch-v5', address: addressOf('limitOrders') },
    { kind: '1inch-v6', address: addressOf('limitOrdersV6') },
  ],
  tokens: [{ address: addressOf('AAA'), symbol: 'AAA', name: 'AAA', decimals: 18 }],
  finalityDepth: 64,
}
