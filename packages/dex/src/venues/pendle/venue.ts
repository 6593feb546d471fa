import { contractCall } from '../../abi/contract-abi.ts'
import { addressTopic, intWord } from '../../abi/words.ts'
import type { Address } from '../../chain.ts'
import { coinsOf } from '../exchange.ts'
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
      const ptOut = intWord(data, 0)
      const syOut = intWord(data, 1)
      if (ptOut === 0n || syOut === 0n || ptOut > 0n === syOut > 0n) return null
      const [sold, bought] = coinsOf(ptOut > 0n)
      const [soldAmount, boughtAmount] = ptOut > 0n ? [-syOut, ptOut] : [-ptOut, syOut]
      return { sold, soldAmount, bought, boughtAmount, recipient: addressTopic(topics, 2) }
    },
  },
  holdsTokens: true,
  isListed: contractCall('function isValidMarket(address market) view returns (bool)'),
  coins: [TOKENS],
})

export const venue: Venue = { protocols: [pendle], deployments }
