import { contractCall } from '../../abi/contract-abi.ts'
import { addressTopic, intWord } from '../../abi/words.ts'
import type { Address } from '../../chain.ts'
import { exchangeOfDeltas } from '../exchange.ts'
import { type CoinCall, listedVenue } from '../listed-venue.ts'
import type { Venue } from '../protocol.ts'
import deployments from './deployments.json' with { type: 'json' }

/** The event has the PT and the SY that the account received, after fees; one of them is negative. */
const SWAP =
  'event Swap(address indexed caller, address indexed receiver, int256 netPtOut, int256 netSyOut, uint256 netSyFee, uint256 netSyToReserve)'
const READ_TOKENS = contractCall<[Address, Address, Address]>(
  'function readTokens() view returns (address sy, address pt, address yt)',
)

/** A market's coins: the standardized yield token (SY) and the principal token (PT). */
const TOKENS: CoinCall = {
  data: () => READ_TOKENS.data(),
  read: (answer) => READ_TOKENS.read(answer)?.slice(0, 2) ?? [],
}

const pendle = listedVenue({
  kind: 'pendle',
  about: {
    name: 'Pendle V2',
    verifiedBy: '`isValidMarket(market)` of the factory',
    notCovered: 'limit orders; what SY tokens wrap',
  },
  events: {
    [SWAP]: ({ topics, data }) => {
      const exchange = exchangeOfDeltas(-intWord(data, 1), -intWord(data, 0))
      return exchange && { ...exchange, recipient: addressTopic(topics, 2) }
    },
  },
  holdsTokens: true,
  isListed: contractCall('function isValidMarket(address market) view returns (bool)'),
  coins: [TOKENS],
})

export const venue: Venue = { protocols: [pendle], deployments }
