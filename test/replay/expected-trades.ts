type ExpectedRow = readonly [soldAmount: string, sold: string, boughtAmount: string, bought: string]

export interface ExpectedTransaction {
  what: string
  hash: string
  rows: readonly ExpectedRow[]
  dropped?: readonly string[]
}

const COIN = ''
const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7'

/** Derived by hand from the transfers of the trader's account, and the wrapper's events. */
export const ETH_TRADES: readonly ExpectedTransaction[] = [
  {
    what: 'coins for a token',
    hash: '0x1174c395636032eab8a153f955c7ff003fe72e2964bbb130aad5eed3aa4c8f85',
    rows: [['600000000000000000', COIN, '524071101370320565230', '0x0f7F961648aE6Db43C75663aC7E5414Eb79b5704']],
  },
  {
    what: 'coins for a token over two pools',
    hash: '0x54ef307c133636a99280e1723d36b93bf5a2283cd6beb8962a681388742afe61',
    rows: [['1077164339907042236', COIN, '1350000000000000000000', '0x9248c485b0B80f76DA451f167A8db30F33C70907']],
  },
  {
    what: 'an aggregator’s route over pools of two protocols',
    hash: '0xe80928d5e21f9628c047af1f8b191cbffbb6b8b9945adb502cfb3af152552f22',
    rows: [['8139778720', USDC, '2428335853907061625560', '0xD533a949740bb3306d119CC777fa900bA034cd52']],
    dropped: ['malformed'],
  },
  {
    what: 'a split over four pools, from coins',
    hash: '0xaf8755f0ab8a0cfa8901fe2a9250a8727cca54825210061aab90f34b7a3ed9ba',
    rows: [['262000000000000000000', COIN, '841047621362', USDC]],
  },
  {
    what: 'an aggregator’s fee in coins before, a transfer tax after: what was sent, and what arrived',
    hash: '0x4d988ee17e794be392efc93cab15d1b4b116150987b2be268c94e898d8a7dea4',
    rows: [['420000000000000000', COIN, '14829034112763', '0x43835ca7646c07B6933D0c1C16ddC41C4Cb5600e']],
  },
  {
    what: 'a token that sells its own tax within the trader’s sale',
    hash: '0x77304b79c47940bfe8cad87fd53ee52f95ab77a4c3d1f7111ecd99099565f8ae',
    rows: [
      ['1393713247534885115172066', '0x6C66200f3A815f9d41B47Edb5825BE3716289977', '166940122444252344', COIN],
      ['200000000000000000000000', '0x6C66200f3A815f9d41B47Edb5825BE3716289977', '24730668183770594', COIN],
    ],
  },
  {
    what: 'the same at the beginning of a longer route',
    hash: '0x0b9c175936937f58a307d5ee4ea9b9b10dfe08ab14aa8a206fe5fc0d57afff46',
    rows: [
      [
        '19058385752399758241298',
        '0xb12494C8824fc069757F47d177E666c571Cd49aE',
        '1502970',
        '0xaaAEBE6Fe48E54f431b0C390CfaF0b017d09D42d',
      ],
      ['4006689366941833588789', '0xb12494C8824fc069757F47d177E666c571Cd49aE', '33199929285620339', COIN],
    ],
  },
  {
    what: 'the same by a helper of the token, with liquidity added',
    hash: '0x3e022559cc20f8b3bfb2aa13b0063d7846b14fade4d785499b66770875ca880d',
    rows: [
      ['3882881235541', '0x4507cEf57C46789eF8d1a19EA45f4216bae2B528', '62459674590602451', COIN],
      ['231834328591', '0x4507cEf57C46789eF8d1a19EA45f4216bae2B528', '3740830353864307', COIN],
    ],
  },
  {
    what: 'the same with a buy-back that is burnt',
    hash: '0xde9a23bbe9ed4d056a2139b4927f832069bf04b5f0ff72a8a928927fd2c29de5',
    rows: [
      ['1921924123595704399202017529', '0x19f259affad4eaB74Ee306F709044B2c8145f692', '622533132724608755', COIN],
      ['21997560822190577417374104', '0x19f259affad4eaB74Ee306F709044B2c8145f692', '7578529675157086', COIN],
    ],
  },
  {
    what: 'the same where the trader keeps the wrapped coin and the token takes coins',
    hash: '0x28a1a05efa00486b3a6169affcbf4946c0533ce3052db21b7ef685b436fc7417',
    rows: [
      ['3426357937747304', '0x62d25303A9f534A50460E9a548d4F6E26C622ba1', '62236157268128989', WETH],
      ['3357830778992358', '0x62d25303A9f534A50460E9a548d4F6E26C622ba1', '64280877490352388', COIN],
    ],
  },
  {
    what: 'an arbitrage: a row per hop',
    hash: '0x147eafa948cc25c8391ddd9856b858d8dde5c30bde15a896656946c56652360f',
    rows: [
      ['499999999999999936', WETH, '9937145707537954674299690472', '0x939A7A577D93ad29B64C1595B1284ce660A479B9'],
      ['9937145707537954674299690472', '0x939A7A577D93ad29B64C1595B1284ce660A479B9', '507613191595210701', WETH],
    ],
  },
  {
    what: 'a route whose second pool is not verified: what the account got',
    hash: '0x305af0ce9d5d4b78162d13fa0539d0e34b1de3fc64f2450489e09a77260346c9',
    rows: [['131051428571428571400', '0xDc0327D50E6C73db2F8117760592C8BBf1CDCF38', '2715027839', USDC]],
    dropped: ['not-authentic'],
  },
  {
    what: 'an order settled by CoW Protocol, at last by an order of 0x that its maker had signed',
    hash: '0x84edbfadda985a9637c840fc968c429fbd9ec0ac6348014331f61ea76cb24c67',
    rows: [['79131894927605048305', '0x3432B6A60D23Ca0dFCa7761B7ab56459D9C964D0', '1774103926', USDC]],
  },
  {
    what: 'a transaction that was reverted',
    hash: '0x78b3bce497969c571bf4ac9a586679d01aff3410454380285c7e70a8ece2fd1f',
    rows: [],
  },
  {
    what: 'liquidity taken out',
    hash: '0x00007120e5281e9bdf9a57739e3ecaf736013e4a1a31ecfe44f719c229cc2cbd',
    rows: [],
  },
  {
    what: 'a stablecoin for the wrapped coin',
    hash: '0xdac8ae61a79ca02a05918b5e3e901d77d8a7fffe2fe1b0230fffcf24c721ea8d',
    rows: [['82499400000', USDC, '73592767849214643551', WETH]],
  },
  {
    what: 'a stablecoin for coins',
    hash: '0xc0b79535797361b85ed5311f84f494b0861c8db5d4e7248f5838b4e9d5678ecc',
    rows: [['1150000000', USDT, '1024650752524418840', COIN]],
  },
  {
    what: 'a stablecoin for a token over the wrapped coin',
    hash: '0x619c54b9ef2517672b1546b23ef6c9634dc408e2f552918c4a1c7fb16226edd8',
    rows: [['1000000000', USDC, '21517886689103', '0x67992E63434F23d4C5c32F926f6b96451b4C2509']],
  },
  {
    what: 'coins for a token, a block after the reference pools moved',
    hash: '0xa146270fd03e4b448e1e63a7fb33a9c266e925d0633f7956b9b0054e1a30877b',
    rows: [['140000000000000000', COIN, '45240671918783635726', '0xB6Ca7399B4F9CA56FC27cBfF44F4d2e4Eef1fc81']],
  },
  {
    what: 'three branches over pairs, concentrated liquidity and a Balancer pool, and on together',
    hash: '0xeeefe25741462f0832183925ac4b1b840b819fbacd95cfc635496d853b7022bd',
    rows: [['50000000000000000000000', '0xE60779CC1b2c1d0580611c526a8DF0E3f870EC48', '7003996145', USDC]],
  },
]
