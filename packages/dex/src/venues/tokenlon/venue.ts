import { addressWord, uintWord } from '../../abi/words.ts'
import type { Venue } from '../protocol.ts'
import { settledVenue } from '../settled-venue.ts'
import deployments from './deployments.json' with { type: 'json' }

const FILLED =
  'event FillOrder(string source, bytes32 indexed transactionHash, bytes32 indexed orderHash, address indexed userAddr, address takerAssetAddr, uint256 takerAssetAmount, address makerAddr, address makerAssetAddr, uint256 makerAssetAmount, address receiverAddr, uint256 settleAmount, uint16 feeFactor)'

/** Trades against makers' orders. The fee is deducted from the maker's payment. */
const tokenlon = settledVenue({
  kind: 'tokenlon',
  about: {
    name: 'Tokenlon RFQ',
    verifiedBy: 'the configured contract is the emitter',
    notCovered: 'limit orders; the AMM wrapper, which repeats pools (PMM is read as 0x V2)',
  },
  events: {
    [FILLED]: ({ data }) => ({
      sold: addressWord(data, 1),
      soldAmount: uintWord(data, 2),
      bought: addressWord(data, 4),
      boughtAmount: uintWord(data, 5),
    }),
  },
})

export const venue: Venue = { protocols: [tokenlon], deployments }
