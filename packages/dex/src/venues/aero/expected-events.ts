import type { ExpectedEvents } from '../../../test/random/expected-events.ts'
import { pairSwap } from '../uniswap-v2/expected-events.ts'

export const EXPECTED_EVENTS: ExpectedEvents = { 'aero-v2': { Swap: pairSwap } }
