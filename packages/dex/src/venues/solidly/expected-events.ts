import { dependencies, type ExpectedEvents, touches } from '../../../test/random/expected-events.ts'
import { pairLiquidity, pairSwap } from '../uniswap-v2/expected-events.ts'

const pairs = { Swap: pairSwap, ...pairLiquidity, ...touches('pair', 'Sync') }

export const EXPECTED_EVENTS: ExpectedEvents = {
  solidly: pairs,
  'velodrome-v2': { ...pairs, ...dependencies('pair', 'SetPauseState') },
}
