import { contractCall } from '../../abi/contract-abi.ts'
import { MAX_UINT256, uintWord } from '../../abi/words.ts'
import type { Address, Log } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import { exchangeEvent, exchangeOf } from '../exchange.ts'
import {
  type CallResults,
  NO_REFERENCES,
  type PoolCandidate,
  type PoolProof,
  type Protocol,
  type Venue,
} from '../protocol.ts'
import { touches } from '../touches.ts'
import deployments from './deployments.json' with { type: 'json' }
import { psm } from './quote.ts'
import { PSM_STATE } from './state.ts'

const SELL_GEM = 'event SellGem(address indexed owner, uint256 value, uint256 fee)'
const BUY_GEM = 'event BuyGem(address indexed owner, uint256 value, uint256 fee)'
const FILE = 'event File(bytes32 indexed what, uint256 data)'
/** LitePSM draws DAI, repays it, or gives its fees away. */
const BOOKKEEPING = ['event Fill(uint256 wad)', 'event Trim(uint256 wad)', 'event Chug(uint256 wad)']
const DAI = contractCall<[Address]>('function dai() view returns (address)')
const GEM = contractCall<[Address]>('function gem() view returns (address)')
const DECIMALS = contractCall<[bigint]>('function dec() view returns (uint256)')
const GEM_JOIN = contractCall<[Address]>('function gemJoin() view returns (address)')

/** DAI has 18 decimals, the gem 6. */
const GEM_DECIMALS = 6n
const DAI_PER_GEM = 10n ** 12n

const makerPsm: Protocol = {
  kind: 'maker-psm',
  about: {
    name: 'Maker PSM, LitePSM',
    verifiedBy: 'the configured contract is the emitter, and its join (LitePSM: itself) names a gem of 6 decimals',
    notCovered: "gems of other decimals; USDS, into which Sky's wrapper turns the DAI without an event",
  },
  family: 'maker-psm',
  entry: { verifying: 'psm' },
  events: {
    [SELL_GEM]: (log) => decodeTrade(log, true),
    [BUY_GEM]: (log) => decodeTrade(log, false),
    ...touches('maker-psm', FILE, ...BOOKKEEPING),
  },
  identity: { by: 'proof', prove: provePsm },
  state: PSM_STATE,
  formulas: [psm],
  ...NO_REFERENCES,
}

function decodeTrade(log: Log, isGemSold: boolean) {
  const gem = uintWord(log.data, 0)
  const fee = uintWord(log.data, 1)
  const full = gem * DAI_PER_GEM
  const dai = isGemSold ? full - fee : full + fee
  if (dai < 0n || dai > MAX_UINT256) return null
  return exchangeEvent('maker-psm', log, isGemSold ? exchangeOf(true, gem, dai) : exchangeOf(false, dai, gem))
}

function* provePsm({ pool }: PoolCandidate, dex: Dex): PoolProof {
  if (pool !== dex.factory) return null
  const [dai, join, ...ownReplies] = yield [DAI, GEM_JOIN, GEM, DECIMALS].map((call) => ({
    to: pool,
    data: call.data(),
  }))
  const [token1] = DAI.read(dai) ?? []
  const [gemJoin] = GEM_JOIN.read(join) ?? []
  const ofJoin = gemJoin && [GEM, DECIMALS].map((call) => ({ to: gemJoin, data: call.data() }))
  const token0 = readGem(ownReplies) ?? (ofJoin ? readGem(yield ofJoin) : null)
  if (!token0 || !token1 || token0 === token1) return null
  return { address: pool, dex, token0, token1, fee: 0, tickSpacing: null, coins: [token0, token1] }
}

function readGem([gem, decimals]: CallResults): Address | null {
  return DECIMALS.read(decimals)?.[0] === GEM_DECIMALS ? (GEM.read(gem)?.[0] ?? null) : null
}

export const venue: Venue = { protocols: [makerPsm], deployments }
