import type { ExpectedEvents } from '../../../test/random/expected-events.ts'
import { feeChange, ranges } from '../uniswap-v3/expected-events.ts'

const algebra = {
  ...ranges,
  Fee: ({ fee }) => feeChange({ zeroForOne: Number(fee), oneForZero: Number(fee) }),
} satisfies ExpectedEvents[string]

export const EXPECTED_EVENTS: ExpectedEvents = {
  'algebra-v1': algebra,
  'algebra-v1.9': algebra,
  'algebra-directional': ranges,
  'algebra-integral': {
    ...algebra,
    PluginConfig: ({ newPluginConfig }) => feeChange({ exact: newPluginConfig % 2n === 0n }),
  },
}
