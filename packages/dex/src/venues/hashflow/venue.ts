import { contractCall } from '../../abi/contract-abi.ts'
import { addressWord, uintWord } from '../../abi/words.ts'
import type { Log } from '../../chain.ts'
import type { Venue } from '../protocol.ts'
import { type SettledTrade, settledVenue } from '../settled-venue.ts'
import deployments from './deployments.json' with { type: 'json' }

const TRADE =
  'event Trade(address trader, address effectiveTrader, bytes32 txid, address baseToken, address quoteToken, uint256 baseTokenAmount, uint256 quoteTokenAmount)'
const TRADE_WITH_FEES =
  'event Trade(address pool, address trader, bytes32 txid, address baseToken, address quoteToken, uint256 baseTokenAmount, uint256 quoteTokenAmount, uint256 fees)'

const hashflow = settledVenue({
  kind: 'hashflow',
  about: {
    name: 'Hashflow',
    verifiedBy: '`authorizedPools(contract)` of the router',
    notCovered: 'trades across chains; routers before that of 2023',
  },
  entry: { verifying: 'router' },
  events: { [TRADE]: hashflowTrade, [TRADE_WITH_FEES]: hashflowTrade },
  isListed: contractCall('function authorizedPools(address pool) view returns (bool)'),
})

function hashflowTrade({ data }: Log): SettledTrade {
  return {
    sold: addressWord(data, 3),
    soldAmount: uintWord(data, 5),
    bought: addressWord(data, 4),
    boughtAmount: uintWord(data, 6),
  }
}

export const venue: Venue = { protocols: [hashflow], deployments }
