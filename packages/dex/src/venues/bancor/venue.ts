import { id } from 'ethers'
import { addressTopic, hasWords, uintWord } from '../../abi/words.ts'
import type { Log } from '../../chain.ts'
import type { Venue } from '../protocol.ts'
import { type SettledTrade, settledVenue } from '../settled-venue.ts'
import deployments from './deployments.json' with { type: 'json' }

const CONVERSION =
  'event Conversion(address indexed smartToken, address indexed fromToken, address indexed toToken, uint256 fromAmount, uint256 toAmount, address trader)'
const TRADED =
  'event TokensTraded(bytes32 indexed contextId, address indexed sourceToken, address indexed targetToken, uint256 sourceAmount, uint256 targetAmount, uint256 bntAmount, uint256 targetFeeAmount, uint256 bntFeeAmount, address trader)'
const CARBON_TRADED =
  'event TokensTraded(address indexed trader, address indexed sourceToken, address indexed targetToken, uint256 sourceAmount, uint256 targetAmount, uint128 tradingFeeAmount, bool byTargetAmount)'

const STRATEGY_UPDATED = id(
  'StrategyUpdated(uint256,address,address,(uint128,uint128,uint64,uint64),(uint128,uint128,uint64,uint64),uint8)',
)
const STRATEGY_WORDS = 9
const BY_TRADE = 1n

/**
 * The network emits one event per conversion step and repeats the amounts of the converter, which the caller chooses.
 */
const bancorV2 = settledVenue({
  kind: 'bancor-v2',
  about: {
    name: 'Bancor V2',
    verifiedBy: 'the configured network is the emitter',
    notCovered: "networks before V2's last; converters, whose events the network repeats",
  },
  events: { [CONVERSION]: trade },
  amountsReportedBy: 'named-contract',
})

const bancorV3 = settledVenue({
  kind: 'bancor-v3',
  about: {
    name: 'Bancor V3',
    verifiedBy: 'the configured network is the emitter',
    notCovered: null,
  },
  events: { [TRADED]: trade },
})

const carbon = settledVenue({
  kind: 'carbon',
  about: {
    name: 'Carbon',
    verifiedBy: 'the configured controller is the emitter',
    notCovered: null,
  },
  events: { [CARBON_TRADED]: trade },
  isPartOfSwap: isUpdatedByTrade,
})

function isUpdatedByTrade({ topics, data }: Log): boolean {
  return (
    topics[0] === STRATEGY_UPDATED && hasWords(data, STRATEGY_WORDS) && uintWord(data, STRATEGY_WORDS - 1) === BY_TRADE
  )
}

function trade({ topics, data }: Log): SettledTrade {
  return {
    sold: addressTopic(topics, 2),
    soldAmount: uintWord(data, 0),
    bought: addressTopic(topics, 3),
    boughtAmount: uintWord(data, 1),
  }
}

export const venue: Venue = { protocols: [bancorV2, bancorV3, carbon], deployments }
