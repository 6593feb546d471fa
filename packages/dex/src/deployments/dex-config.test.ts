import { getAddress } from 'ethers'
import { describe, expect, it } from 'vitest'
import { DEX_KINDS } from '../venues/registry.ts'
import { parseDexConfig } from './dex-config.ts'

const WRAPPED = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const address = (last: number) => `0x${last.toString(16).padStart(40, '0')}`
const BAD_CHECKSUM = '0xc02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'

const TOKEN = { address: USDC, symbol: 'USDC', name: 'USD Coin', decimals: 6 }
const DEX = { name: 'uniswap-v2', kind: 'uniswap-v2', factory: address(0xf1), feeBps: 30 }
const ENTRY = { wrappedNative: WRAPPED, stablecoins: [USDC], dexes: [DEX], tokens: [TOKEN], finalityDepth: 64 }

const parse = (config: unknown) => parseDexConfig(JSON.stringify(config))
const parseEth = (changes: object) => parse({ eth: { ...ENTRY, ...changes } })
const without = (key: keyof typeof ENTRY) => Object.fromEntries(Object.entries(ENTRY).filter(([name]) => name !== key))

describe('parseDexConfig', () => {
  it('reads the documented example', () => {
    const { deployments, problems, warnings } = parse({
      eth: {
        wrappedNative: WRAPPED,
        stablecoins: [USDC],
        dexes: [
          { name: 'uniswap-v2', kind: 'uniswap-v2', factory: address(1), feeBps: 30 },
          { name: 'uniswap-v3', kind: 'uniswap-v3', factory: address(2) },
          { name: 'pancakeswap-v3', kind: 'pancakeswap-v3', factory: address(3) },
          { name: 'quickswap-v3', kind: 'algebra-v1', factory: address(4) },
          { name: 'algebra', kind: 'algebra-v1.9', factory: address(5) },
          { name: 'uniswap-v4', kind: 'uniswap-v4', poolManager: address(6), stateView: address(7) },
          { name: 'balancer-v2', kind: 'balancer-v2', vault: address(8) },
        ],
        tokens: [TOKEN],
        finalityDepth: 64,
      },
    })
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] })
    expect(deployments.eth?.dexes).toEqual([
      { name: 'uniswap-v2', kind: 'uniswap-v2', factory: address(1), feeBps: 30 },
      { name: 'uniswap-v3', kind: 'uniswap-v3', factory: address(2) },
      { name: 'pancakeswap-v3', kind: 'pancakeswap-v3', factory: address(3) },
      { name: 'quickswap-v3', kind: 'algebra-v1', factory: address(4) },
      { name: 'algebra', kind: 'algebra-v1.9', factory: address(5) },
      { name: 'uniswap-v4', kind: 'uniswap-v4', factory: address(6), contracts: { stateView: address(7) } },
      { name: 'balancer-v2', kind: 'balancer-v2', factory: address(8) },
    ])
    expect(deployments.eth?.tokens).toEqual([{ ...TOKEN, address: USDC.toLowerCase() }])
  })

  it('fills in what may be left out', () => {
    const { name, kind, factory } = DEX
    const { deployments, problems, warnings } = parse({
      bsc: { wrappedNative: WRAPPED },
      polygon: { ...ENTRY, dexes: [{ name, kind, factory }], tokens: [{ ...TOKEN, name: undefined }] },
    })
    expect(problems).toEqual([])
    expect(warnings).toEqual([
      'bsc.stablecoins: none, so no trade has a USD value',
      'bsc.dexes: none of a kind that is read, so nothing is indexed',
    ])
    expect(deployments.bsc).toEqual({
      network: 'bsc',
      wrappedNative: WRAPPED.toLowerCase(),
      stablecoins: [],
      anchors: [],
      dexes: [],
      settlements: [],
      tokens: [],
      finalityDepth: 64,
    })
    expect(deployments.polygon?.dexes).toEqual([{ ...DEX, feeBps: 30 }])
    expect(deployments.polygon?.tokens).toEqual([{ ...TOKEN, address: USDC.toLowerCase(), name: 'USDC' }])
  })

  it('reads the settlement contracts, in lower case', () => {
    const config = { ...ENTRY, settlements: [{ kind: 'cow', address: address(9).toUpperCase().replace('0X', '0x') }] }
    expect(parse({ eth: config }).deployments.eth?.settlements).toEqual([{ kind: 'cow', address: address(9) }])
    const { problems } = parse({ eth: { ...ENTRY, settlements: [{ kind: 'cowboy', address: address(9) }] } })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(/^eth\.settlements\[0\]\.kind: /)
  })

  it('reads the factories of a vault, and gives known rate providers to the kinds that take rates', () => {
    const vault = { name: 'balancer-v2', kind: 'balancer-v2', vault: address(8), poolFactories: [address(11)] }
    const curve = { name: 'curve', kind: 'curve', factory: address(12) }
    const config = { ...ENTRY, dexes: [DEX, vault, curve], rateProviders: [USDC] }
    const { deployments, problems, warnings } = parse({ eth: config })
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] })
    const rateProviders = [USDC.toLowerCase()]
    expect(deployments.eth?.dexes).toEqual([
      DEX,
      { name: 'balancer-v2', kind: 'balancer-v2', factory: address(8), poolFactories: [address(11)], rateProviders },
      { ...curve, rateProviders },
    ])
    expect(parse({ eth: { ...config, dexes: [{ ...vault, poolFactories: [7] }] } }).problems).toHaveLength(1)
  })

  it('ignores facts that it does not know in a warning each', () => {
    const config = {
      ...ENTRY,
      chainId: 1,
      ['__proto__']: {},
      dexes: [
        { ...DEX, fatory: 7, router: USDC, initCodeHash: '0x', startBlock: 10_000_835 },
        { name: 'uniswap-v3', kind: 'uniswap-v3', factory: address(2), feeBps: 'the pool’s', quoter: null },
      ],
      tokens: [{ ...TOKEN, logoURI: 'https://' }],
    }
    const { deployments, problems, warnings } = parse({ eth: config })
    expect(problems).toEqual([])
    const network = 'wrappedNative, stablecoins, anchors, dexes, settlements, rateProviders, tokens, finalityDepth'
    expect(warnings).toEqual([
      `eth.chainId: unknown key, ignored; there are ${network}`,
      `eth.__proto__: unknown key, ignored; there are ${network}`,
      'eth.dexes[0].fatory: unknown key, ignored; there are name, kind, factory, feeBps, feeCall',
      'eth.dexes[0].router: unknown key, ignored; there are name, kind, factory, feeBps, feeCall',
      'eth.dexes[0].initCodeHash: unknown key, ignored; there are name, kind, factory, feeBps, feeCall',
      'eth.dexes[0].startBlock: unknown key, ignored; there are name, kind, factory, feeBps, feeCall',
      'eth.dexes[1].feeBps: unknown key, ignored; there are name, kind, factory',
      'eth.dexes[1].quoter: unknown key, ignored; there are name, kind, factory',
      'eth.tokens[0].logoURI: unknown key, ignored; there are address, symbol, name, decimals, aliases',
    ])
    const v3 = { name: 'uniswap-v3', kind: 'uniswap-v3', factory: address(2) }
    expect(deployments).toEqual({ eth: { ...parseEth({}).deployments.eth, dexes: [DEX, v3] } })
  })

  it('warns about the unknown key beside the problem that it causes', () => {
    const { problems, warnings } = parseEth({ dexes: [{ ...DEX, factory: undefined, fatory: DEX.factory }] })
    expect(problems).toEqual(['eth.dexes[0].factory: is missing'])
    expect(warnings).toEqual([
      'eth.dexes[0].fatory: unknown key, ignored; there are name, kind, factory, feeBps, feeCall',
    ])
  })

  it('takes a token that is listed again as further symbols of the first entry', () => {
    const wrapped = { address: WRAPPED, symbol: 'WPOL', name: 'Wrapped POL', decimals: 18 }
    const again = { ...wrapped, address: WRAPPED.toLowerCase(), name: 'Wrapped Matic', symbol: 'WMATIC' }
    const tokens = [TOKEN, wrapped, again, TOKEN, { ...again, symbol: 'wpol', aliases: ['WMatic', 'W-POL'] }]
    const { deployments, problems, warnings } = parseEth({ tokens })
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] })
    expect(deployments.eth?.tokens).toEqual([
      { ...TOKEN, address: USDC.toLowerCase() },
      { ...wrapped, address: WRAPPED.toLowerCase(), aliases: ['WMATIC', 'W-POL'] },
    ])
  })

  it('takes two dexes of one name', () => {
    const { deployments, problems, warnings } = parseEth({ dexes: [DEX, { ...DEX, factory: address(0xf2) }] })
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] })
    expect(deployments.eth?.dexes.map(({ name }) => name)).toEqual([DEX.name, DEX.name])
  })

  it('counts a repeated stablecoin or anchor once, and as a stablecoin what is both', () => {
    const stablecoins = [USDC, address(9), USDC.toLowerCase()]
    const { deployments, problems, warnings } = parseEth({ stablecoins, anchors: [address(8), USDC, address(8)] })
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] })
    expect(deployments.eth).toMatchObject({ stablecoins: [USDC.toLowerCase(), address(9)], anchors: [address(8)] })
  })

  it('takes symbols with a space inside, and text of up to 255 characters however many bytes', () => {
    const tokens = [{ ...TOKEN, symbol: 'Cake LP', name: '🥞'.repeat(255), aliases: ['x'.repeat(255)] }]
    const { deployments, problems, warnings } = parseEth({ tokens })
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] })
    expect(deployments.eth?.tokens).toEqual([{ ...tokens[0], address: USDC.toLowerCase() }])
  })

  it('takes addresses in lower, upper and correctly mixed case, and returns them in lower case', () => {
    const mixed = getAddress(address(0xabcdef))
    const upper = `0x${address(0xabcde0).slice(2).toUpperCase()}`
    const { deployments, problems } = parseEth({ anchors: [mixed, upper, address(0xabcde1)] })
    expect(problems).toEqual([])
    expect(deployments.eth?.anchors).toEqual([address(0xabcdef), address(0xabcde0), address(0xabcde1)])
  })

  it('identifies a DODO by the first of its factories, and allows none of them in another entry', () => {
    const dodo = { name: 'dodo', kind: 'dodo', gspFactory: address(3), dvmFactory: address(1) }
    const { deployments, problems, warnings } = parseEth({ dexes: [dodo] })
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] })
    expect(deployments.eth?.dexes).toEqual([
      {
        name: 'dodo',
        kind: 'dodo',
        factory: address(1),
        contracts: { dvmFactory: address(1), gspFactory: address(3) },
      },
    ])
    expect(parseEth({ dexes: [dodo, { ...DEX, factory: address(3) }] }).problems).toEqual([
      'eth.dexes[1].factory: the same as eth.dexes[0].gspFactory',
    ])
  })

  it('keeps aliases and allows one symbol for two tokens', () => {
    const tokens = [
      { ...TOKEN, aliases: ['USDC.old'] },
      { ...TOKEN, address: address(5) },
    ]
    const { deployments, problems, warnings } = parseEth({ tokens })
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] })
    expect(deployments.eth?.tokens.map(({ aliases }) => aliases)).toEqual([['USDC.old'], undefined])
  })

  it('warns of a symbol that names the coin, and of a network without a single dex that is read', () => {
    expect(parseEth({ tokens: [{ ...TOKEN, symbol: 'eth' }] }).warnings).toEqual([
      'eth.tokens[0]: eth names the coin, so it cannot name this token',
    ])
    const { deployments, warnings } = parseEth({ dexes: [{ name: 'dodo', kind: 'dodo' }] })
    expect(deployments.eth?.dexes).toEqual([])
    expect(warnings).toContain('eth.dexes[0]: dodo is skipped because it has no factory')
    expect(warnings).toContain('eth.dexes: none of a kind that is read, so nothing is indexed')
  })

  it('accepts a byte order mark', () => {
    expect(parseDexConfig(`\uFEFF${JSON.stringify({ eth: ENTRY })}`).problems).toEqual([])
  })

  it('reports all problems of a file together, and still returns the networks without any', () => {
    const broken = { ...ENTRY, wrappedNative: '0x12', dexes: [{ ...DEX, factory: 7 }, { kind: 'sushi' }] }
    const { deployments, problems } = parse({ eth: ENTRY, bsc: broken, solana: ENTRY })
    expect(Object.keys(deployments)).toEqual(['eth'])
    expect(problems.map((line) => line.split(':')[0])).toEqual([
      'bsc.wrappedNative',
      'bsc.dexes[0].factory',
      'bsc.dexes[1].kind',
      '"solana"',
    ])
  })
})

describe('parseDexConfig names the place and the reason:', () => {
  const kinds = DEX_KINDS.join(', ')
  const dex = (changes: object) => ({ dexes: [DEX, { ...DEX, name: 'fork', factory: address(0xf2), ...changes }] })
  const token = (changes: object) => ({ tokens: [{ ...TOKEN, ...changes }] })
  const text = 'must be 1 to 255 printable characters without space around them'

  it.each<[string, object, string]>([
    [
      'a short address',
      { wrappedNative: '0x12' },
      'eth.wrappedNative: is not an address (0x and 40 hex digits), not "0x12"',
    ],
    ['a wrong checksum', dex({ factory: BAD_CHECKSUM }), 'eth.dexes[1].factory: has a wrong checksum (EIP-55)'],
    ['a number for an address', { stablecoins: [5] }, 'eth.stablecoins[0]: must be of type string, not 5'],
    ['no list of stablecoins', { stablecoins: USDC }, 'eth.stablecoins: must be of type array, not '],
    ['an unknown kind', dex({ kind: 'uniswap-v5' }), `eth.dexes[1].kind: "uniswap-v5" is unknown; there are ${kinds}`],
    ['a missing kind', dex({ kind: undefined }), `eth.dexes[1].kind: is missing; there are ${kinds}`],
    ['a missing factory', dex({ factory: undefined }), 'eth.dexes[1].factory: is missing'],
    ['a missing vault', { dexes: [{ name: 'b', kind: 'balancer-v2' }] }, 'eth.dexes[0].vault: is missing'],
    ['an entry that is not an object', { dexes: ['uniswap-v2'] }, 'eth.dexes[0]: must be an object, not "uniswap-v2"'],
    ['a factory used twice', dex({ factory: DEX.factory }), 'eth.dexes[1].factory: the same as eth.dexes[0].factory'],
    [
      'a contract used twice under different fields',
      dex({ kind: 'balancer-v2', factory: undefined, feeBps: undefined, vault: DEX.factory }),
      'eth.dexes[1].vault: the same as eth.dexes[0].factory',
    ],
    ['a fee of everything', dex({ feeBps: 10_000 }), 'eth.dexes[1].feeBps: Too big: expected number to be <=9999'],
    ['a negative fee', dex({ feeBps: -1 }), 'eth.dexes[1].feeBps: Too small: expected number to be >=0, not -1'],
    ['a fraction of a fee', dex({ feeBps: 0.3 }), 'eth.dexes[1].feeBps: must be of type int, not 0.3'],
    ['the wrapped coin as stablecoin', { stablecoins: [WRAPPED] }, 'eth.stablecoins[0]: the same as eth.wrappedNative'],
    ['the wrapped coin as anchor', { anchors: [WRAPPED] }, 'eth.anchors[0]: the same as eth.wrappedNative'],
    [
      'a token with two scales',
      { tokens: [TOKEN, { ...TOKEN, decimals: 18 }] },
      'eth.tokens[1].decimals: 18, but eth.tokens[0].decimals of the same token is 6',
    ],
    ['the zero address', { wrappedNative: address(0) }, 'eth.wrappedNative: is the coin, not a token'],
    ['too many decimals', token({ decimals: 78 }), 'eth.tokens[0].decimals: Too big: expected number to be <=77'],
    ['an empty symbol', token({ symbol: '' }), `eth.tokens[0].symbol: ${text}, not ""`],
    ['a symbol with a line break', token({ symbol: 'A\nB' }), `eth.tokens[0].symbol: ${text}, not "A\\nB"`],
    ['a symbol that turns the line around', token({ symbol: 'A\u202EB' }), `eth.tokens[0].symbol: ${text}, not "A B"`],
    ['a symbol with a space before it', token({ symbol: ' A' }), `eth.tokens[0].symbol: ${text}, not " A"`],
    ['a name of 256 characters', token({ name: 'x'.repeat(256) }), `eth.tokens[0].name: ${text}, not "xxx`],
    ['a long name of a dex', dex({ name: 'x'.repeat(65) }), 'eth.dexes[1].name: must be 1 to 64 printable characters'],
    ['a bad alias', token({ aliases: ['A', ' B'] }), `eth.tokens[0].aliases[1]: ${text}, not " B"`],
    ['a finality depth of half a block', { finalityDepth: 0.5 }, 'eth.finalityDepth: must be of type int, not 0.5'],
    ['a negative finality depth', { finalityDepth: -1 }, 'eth.finalityDepth: Too small'],
  ])('%s', (_, changes, line) => {
    const { deployments, problems } = parseEth(changes)
    expect(problems).toHaveLength(1)
    expect(problems[0]?.slice(0, line.length)).toBe(line)
    expect(problems[0]).not.toMatch(/[\n\r]/)
    expect(deployments).toEqual({})
  })

  it.each<[string, string, RegExp]>([
    ['broken JSON', '{ "eth": \n }', /^not valid JSON: [^\n]+$/],
    ['an empty file', '', /^not valid JSON: /],
    ['a list', '[]', /^must be an object with an entry per network \(eth, bsc, polygon\b.*\)$/],
    ['an empty object', '{}', /^names no network$/],
    ['a network that is null', '{"eth":null}', /^eth: must be of type object, not null$/],
    ['an unknown network', '{"__proto__":{}}', /^"__proto__": unknown network; there are eth, bsc, polygon\b/],
    ['a missing key', JSON.stringify({ eth: without('wrappedNative') }), /^eth\.wrappedNative: is missing$/],
  ])('%s', (_, file, line) => {
    expect(parseDexConfig(file)).toEqual({ deployments: {}, problems: [expect.stringMatching(line)], warnings: [] })
  })
})
