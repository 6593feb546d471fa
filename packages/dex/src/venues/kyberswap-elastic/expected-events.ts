import type { ExpectedEvents } from '../../../test/random/expected-events.ts'
import { ranges } from '../uniswap-v3/expected-events.ts'

export const EXPECTED_EVENTS: ExpectedEvents = { 'kyberswap-elastic': ranges }
