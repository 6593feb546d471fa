import { contractCall } from '../../abi/contract-abi.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '../../chain.ts'
import { PAIR_TOKENS, proveListed } from '../listed-venue.ts'
import { NO_REFERENCES, type Protocol, type Venue } from '../protocol.ts'
import { VELODROME_SWAP } from '../solidly/venue.ts'
import deployments from './deployments.json' with { type: 'json' }

/** Returns the zero address for a pool that is not recorded. */
const TARGET_TO_FACTORY = contractCall<[Address]>('function targetToFactory(address target) view returns (address)')

const IS_RECORDED = {
  data: TARGET_TO_FACTORY.data,
  read: (answer: Hex | null | undefined): [boolean] | null => {
    const [factory] = TARGET_TO_FACTORY.read(answer) ?? []
    return factory === undefined ? null : [factory !== ZERO_ADDRESS]
  },
}

/** Not quoted: replaceable contracts set each swap's fee by sender and gas price. */
const aeroV2: Protocol = {
  kind: 'aero-v2',
  about: {
    name: 'Aero V2',
    verifiedBy: '`targetToFactory(pool)` of the registry of factories',
    notCovered: null,
  },
  family: 'pair',
  entry: { verifying: 'factoryRegistry' },
  events: VELODROME_SWAP,
  holdsTokens: true,
  identity: { by: 'proof', prove: (candidate, dex) => proveListed(candidate, dex, IS_RECORDED, PAIR_TOKENS) },
  state: null,
  ...NO_REFERENCES,
}

export const venue: Venue = { protocols: [aeroV2], deployments }
