import { type Expectation, type ExpectedEvents, settled } from '../../../test/random/expected-events.ts'

const trade: Expectation = (args) =>
  settled('airswap', args.senderToken, args.senderAmount, args.signerToken, args.signerAmount)

export const EXPECTED_EVENTS: ExpectedEvents = { airswap: { Swap: trade, SwapERC20: trade } }
